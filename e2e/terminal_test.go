//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// terminal is a program in a terminal of tmux.
type terminal struct {
	*testing.T
	socket string
	env    []string
}

// terminal starts a program in a folder. Without tmux the test is skipped.
func (w *world) terminal(dir string, command ...string) *terminal {
	w.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		w.Skip("tmux is not installed: the test types into the interface of an agent")
	}
	t := &terminal{w.T, filepath.Join(w.home, "tmux"), append(w.environ(), "PWD="+dir, "TERM=xterm-256color")}
	t.tmux(append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "50", "-c", dir}, command...)...)
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("the screen:\n%s", t.screen())
		}
		exec.Command("tmux", "-S", t.socket, "kill-server").Run()
	})
	return t
}

func (t *terminal) tmux(args ...string) string {
	t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = t.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %v: %v %s", args, err, out)
	}
	return string(out)
}

// screen is what one would see, "" once the program has ended.
func (t *terminal) screen() string {
	cmd := exec.Command("tmux", "-S", t.socket, "capture-pane", "-p")
	cmd.Env = t.env
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// shows waits for something on the screen.
func (t *terminal) shows(what string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(t.screen(), what); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q is not on the screen", what)
		}
	}
}

// enter types a line, and sends it when it is there.
func (t *terminal) enter(line string) {
	t.Helper()
	t.tmux("send-keys", "-l", line)
	t.shows(line)
	t.tmux("send-keys", "Enter")
}

// paste enters several lines at once.
func (t *terminal) paste(lines ...string) {
	t.Helper()
	t.tmux("set-buffer", strings.Join(lines, "\n"))
	t.tmux("paste-buffer", "-p")
	t.shows(lines[len(lines)-1])
	t.tmux("send-keys", "Enter")
}

// ended waits for the program to end.
func (t *terminal) ended() {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); t.screen() != ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program did not end")
		}
	}
}
