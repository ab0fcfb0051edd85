package main

import (
	"encoding/json"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected files in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"codememory": main})
}

// TestScripts runs every script over both roads: through a daemon that the
// first command starts, and with the stores opened by each command itself.
func TestScripts(t *testing.T) {
	for _, road := range []struct {
		name      string
		autostart bool
	}{{"with a daemon", true}, {"in process", false}} {
		t.Run(road.name, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:           "testdata/script",
				UpdateScripts: *update,
				Setup:         func(e *testscript.Env) error { return isolate(e, road.autostart) },
				Condition: func(cond string) (bool, error) {
					if cond == "daemon" {
						return road.autostart, nil
					}
					return false, errors.New("unknown condition " + cond)
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"exits": exits, "id": captureID, "json": checkJSON, "now-and-then": replaceTimes, "same-records": sameRecords,
					"occupy": occupy, "claude-session": claudeSession,
				},
			})
		})
	}
}

// isolate gives a script a home of its own, a daemon of its own on a free port,
// and ends that daemon when the script ends, however it ends.
func isolate(e *testscript.Env, autostart bool) error {
	home := filepath.Join(e.WorkDir, "home")
	project := filepath.Join(e.WorkDir, "shop")
	for _, dir := range []string{home, project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "LOCALAPPDATA": filepath.Join(home, "local"), "APPDATA": filepath.Join(home, "roaming"),
		"XDG_DATA_HOME": filepath.Join(home, "data"), "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_STATE_HOME": filepath.Join(home, "state"),
		"CODEMEMORY_DATA_DIR": filepath.Join(home, "data", "codememory"), "GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"),
		"GIT_CEILING_DIRECTORIES": e.WorkDir, "SHOP": project, "TZ": "UTC",
		"CODEMEMORY_HTTP_PORT": "0", "CODEMEMORY_DAEMON_IDLE_EXIT": "2m", "CODEMEMORY_DAEMON_AUTOSTART": strconv.FormatBool(autostart),
		// The race detector makes a process sleep for a second before it ends.
		"GORACE": "atexit_sleep_ms=0",
		// Search by words is fast and exact; the script that is about meaning takes this back.
		"CODEMEMORY_EMBEDDING_PROVIDER": "none",
	} {
		e.Setenv(name, value)
	}
	e.Cd = project
	e.Defer(func() { endDaemon(e) })
	return nil
}

func endDaemon(e *testscript.Env) {
	stop := exec.Command("codememory", "stop")
	stop.Env, stop.Dir = e.Vars, e.WorkDir
	if stop.Run() == nil {
		return
	}
	// It does not answer: end the process that this script's daemon said it is.
	data, err := os.ReadFile(filepath.Join(e.Getenv("CODEMEMORY_DATA_DIR"), "daemon.json"))
	var info struct{ PID int }
	if err != nil || json.Unmarshal(data, &info) != nil || info.PID == 0 {
		return
	}
	if process, err := os.FindProcess(info.PID); err == nil {
		_ = process.Kill()
	}
}

// exits runs a command and compares its exit code: exits 4 codememory show abcd
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

var shownID = regexp.MustCompile(`mem_[0-9a-f]{8}`)

// captureID puts the first id of the last output into a variable: id A
func captureID(ts *testscript.TestScript, neg bool, args []string) {
	id := shownID.FindString(ts.ReadFile("stdout"))
	if neg || len(args) != 1 || id == "" {
		ts.Fatalf("usage: id VARIABLE, after a command that printed one")
	}
	ts.Setenv(args[0], id)
}

// checkJSON fails unless the last output is one JSON document with these
// top-level fields: json hits degraded
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	var document map[string]any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &document); err != nil || neg {
		ts.Fatalf("stdout is not a JSON object: %v", err)
	}
	for _, field := range args {
		value, ok := document[field]
		if !ok {
			ts.Fatalf("stdout has no field %q", field)
		}
		if value == nil {
			ts.Fatalf("field %q is null", field)
		}
	}
}

// claudeSession puts a session of two turns, as the real Claude Code recorded
// it, where Claude Code keeps those of the project. It is older than CodeMemory
// on any machine.
func claudeSession(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: claude-session")
	}
	data, err := os.ReadFile("../../internal/agent/claudecode/testdata/claude-code-session.jsonl")
	ts.Check(err)
	text := strings.NewReplacer("/home/dev/work/proj", filepath.ToSlash(ts.Getenv("SHOP")), `"2026-11-15T`, `"2024-11-15T`).Replace(string(data))
	folder := filepath.Join(ts.Getenv("HOME"), ".claude", "projects", "shop")
	ts.Check(os.MkdirAll(folder, 0o755))
	ts.Check(os.WriteFile(filepath.Join(folder, "e49cab28-41eb-4031-ae88-702be1db60cc.jsonl"), []byte(text), 0o600))
}

// occupy takes a free port until the script ends: occupy PORT
func occupy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: occupy VARIABLE")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { listener.Close() })
	ts.Setenv(args[0], strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
}

// sameRecords compares two exports, whatever the order and the project:
// same-records a.jsonl b.jsonl
func sameRecords(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same-records A B")
	}
	var sides [2]map[string]any
	for i, name := range args {
		sides[i] = map[string]any{}
		for line := range strings.Lines(ts.ReadFile(name)) {
			var record map[string]any
			ts.Check(json.Unmarshal([]byte(line), &record))
			delete(record, "project")
			sides[i][record["id"].(string)] = record
		}
	}
	if diff := cmp.Diff(sides[0], sides[1]); diff != "" || len(sides[0]) == 0 {
		ts.Fatalf("%s and %s differ (-%s +%s):\n%s", args[0], args[1], args[0], args[1], diff)
	}
}

var clock = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

// replaceTimes rewrites a file so that it can be compared: ids, full ids and
// times become words.
func replaceTimes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: now-and-then FROM TO")
	}
	text := clock.ReplaceAllString(ts.ReadFile(args[0]), "TIME")
	text = shownID.ReplaceAllString(text, "mem_ID")
	text = regexp.MustCompile(`\b[0-9a-f]{32}\b`).ReplaceAllString(text, "FULLID")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
