package copilot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/copilot"
)

const realSession = "63a757a0-9b43-4255-bf93-ac89c2753b55"

// realReader reads the real events where Copilot CLI would have put them.
func realReader(t testing.TB) *copilot.Reader {
	t.Helper()
	dir := t.TempDir()
	b, err := os.ReadFile(filepath.Join("testdata", "copilot-events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "session-state", realSession)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "events.jsonl"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return copilot.New(copilot.Options{Env: func(name string) string {
		if name == "COPILOT_HOME" {
			return dir
		}
		return ""
	}})
}

func TestARealSession(t *testing.T) {
	r := realReader(t)
	if diff := cmp.Diff([]string{"prompt done: create the file notes.txt -> Done copilot."}, agenttest.Outline(t, r, realSession)); diff != "" {
		t.Fatal(diff)
	}
	got := agenttest.Turns(t, r, realSession)[0]
	if diff := cmp.Diff([]string{
		"said: I will write.",
		"create /home/dev/work/proj/notes.txt [created /home/dev/work/proj/notes.txt]",
		"mini-memory_search pm",
		"bash env | grep -i copilot | cut -d= -f1 exit 0",
		"said: Done copilot.",
	}, agenttest.Steps(got)); diff != "" {
		t.Error(diff)
	}
	if got.Model != "claude-sonnet-4.5" || got.Tokens.Total != 120 || !strings.HasSuffix(got.Steps[3].Tool.Output, "\nPATH\n") {
		t.Errorf("model %q, tokens %+v, output %q", got.Model, got.Tokens, got.Steps[3].Tool.Output)
	}
	s, err := r.Session(t.Context(), realSession)
	if err != nil || s.Dir != "/home/dev/work/proj" || s.Title != "create the file notes.txt" || s.Messages != 5 {
		t.Errorf("session %+v, %v", s, err)
	}
	all := fmt.Sprint(got.Prompt, agenttest.Steps(got))
	for _, injected := range []string{"JSONCTX", "system_reminder", "current_datetime"} {
		if strings.Contains(all, injected) {
			t.Errorf("%s is in the turn", injected)
		}
	}
}

func TestWhereCopilotKeepsItsEvents(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		env       map[string]string
		want      string
	}{
		{"an option", "/opt/copilot", map[string]string{"COPILOT_HOME": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/opt/copilot/session-state"},
		{"a variable", "", map[string]string{"COPILOT_HOME": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/cfg/session-state"},
		{"the home folder", "", map[string]string{"COPILOT_HOME": " ", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/home/dev/.copilot/session-state"},
	} {
		r := copilot.New(copilot.Options{Dir: tt.dir, Env: func(name string) string { return tt.env[name] }})
		if got := r.Watched(); len(got) != 1 || filepath.ToSlash(got[0]) != tt.want {
			t.Errorf("%s: watched %q, want %q", tt.name, got, tt.want)
		}
	}
}
