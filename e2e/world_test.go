//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"codememory/e2e/scriptedllm"
)

// program is codememory, built once for all tests.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds the program, unless a variable names one to test, such as that of
// a release.
func run(m *testing.M) int {
	if program = os.Getenv("E2E_PROGRAM"); program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "codememory-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "codememory")
	build := exec.Command("go", "build", "-o", program, "codememory/cmd/codememory")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build codememory:", err)
		return 1
	}
	return m.Run()
}

// world is a home of its own with a model and CodeMemory. Agents are added by
// the functions of their files.
type world struct {
	*testing.T
	home     string
	model    *scriptedllm.Server
	opencode string
	programs map[string]string // of the other agents, by the names of the agents
	env      map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	model, err := scriptedllm.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	home := t.TempDir()
	w := &world{T: t, home: home, model: model, programs: map[string]string{}}
	w.env = map[string]string{
		"HOME": home, "PATH": os.Getenv("PATH"), "SHELL": "/bin/sh", "LANG": "C.UTF-8", "TMPDIR": w.folder("tmp"),
		"XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_DATA_HOME": filepath.Join(home, ".local", "share"),
		"XDG_CACHE_HOME": filepath.Join(home, ".cache"), "XDG_STATE_HOME": filepath.Join(home, ".local", "state"),
		// Whatever asks npm in spite of the installer's care fails, slowly.
		"npm_config_registry":  "http://127.0.0.1:1/",
		"CODEMEMORY_HTTP_PORT": "0", "CODEMEMORY_DAEMON_IDLE_EXIT": "10m",
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_AUTHOR_NAME": "dev", "GIT_AUTHOR_EMAIL": "dev@example.com",
		"GIT_COMMITTER_NAME": "dev", "GIT_COMMITTER_EMAIL": "dev@example.com",
	}
	t.Cleanup(func() {
		w.codememory(home, "stop")
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(home, ".local", "state", "codememory", "daemon.log"))
			t.Logf("the daemon logged:\n%s", log)
		}
	})
	return w
}

func (w *world) folder(name string) string {
	w.Helper()
	dir := filepath.Join(w.home, filepath.FromSlash(name))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.Fatal(err)
	}
	return dir
}

// writeJSON writes a file of the home.
func (w *world) writeJSON(name string, value any) {
	w.Helper()
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		w.Fatal(err)
	}
	w.folder(path.Dir(name))
	if err := os.WriteFile(filepath.Join(w.home, filepath.FromSlash(name)), data, 0o600); err != nil {
		w.Fatal(err)
	}
}

// project makes a repository with one commit.
func (w *world) project(name string) string {
	w.Helper()
	dir := w.folder("src/" + name)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"), 0o644); err != nil {
		w.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "begin"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, w.environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			w.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return dir
}

func (w *world) environ() []string {
	var list []string
	for name, value := range w.env {
		list = append(list, name+"="+value)
	}
	return list
}

// install connects agents.
func (w *world) install(agents ...string) {
	w.Helper()
	if _, err := w.codememory(w.home, append([]string{"install"}, agents...)...); err != nil {
		w.Fatal(err)
	}
}

// codememory runs the program in a folder and returns what it printed.
func (w *world) codememory(dir string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(w.environ(), "PWD="+dir)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("codememory %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

func (w *world) remember(dir string, args ...string) {
	w.Helper()
	if _, err := w.codememory(dir, append([]string{"remember"}, args...)...); err != nil {
		w.Fatal(err)
	}
}

// daemon returns the process of the running daemon.
func (w *world) daemon() int {
	data, err := os.ReadFile(filepath.Join(w.home, ".local", "share", "codememory", "daemon.json"))
	if err != nil {
		return 0
	}
	var info struct {
		PID int `json:"pid"`
	}
	if json.Unmarshal(data, &info) != nil {
		return 0
	}
	return info.PID
}

func (w *world) signal(s syscall.Signal) {
	w.Helper()
	if err := syscall.Kill(w.daemon(), s); err != nil {
		w.Fatalf("signal the daemon: %v", err)
	}
}

func (w *world) await(most time.Duration, what string, met func() bool) {
	w.Helper()
	for end := time.Now().Add(most); ; time.Sleep(50 * time.Millisecond) {
		if met() {
			return
		}
		if time.Now().After(end) {
			w.Fatalf("not within %v: %s", most, what)
		}
	}
}

// lockedBuffer takes the output of a process while it is read.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
