package claudecode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/claudecode"
)

const (
	realSession  = "e49cab28-41eb-4031-ae88-702be1db60cc"
	realParent   = "d5c3850a-0e0b-4fc2-9b0e-a5de63d1fb90"
	realSubagent = "a8735eeb224b6ea97"
)

// realReader reads the real transcripts where Claude Code would have put them.
func realReader(t testing.TB) *claudecode.Reader {
	t.Helper()
	dir := t.TempDir()
	project := filepath.Join(dir, "projects", "-home-dev-work-proj")
	for from, to := range map[string]string{
		"claude-code-session.jsonl":  realSession + ".jsonl",
		"claude-code-subagent.jsonl": filepath.Join(realParent, "subagents", "agent-"+realSubagent+".jsonl"),
	} {
		b, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		to = filepath.Join(project, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return claudecode.New(claudecode.Options{Env: func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return dir
		}
		return ""
	}})
}

func TestARealSession(t *testing.T) {
	r := realReader(t)
	got := agenttest.Turns(t, r, realSession)
	if diff := cmp.Diff([]string{
		"prompt done: please create the file notes.txt -> Done: notes.txt was written and edited.",
		"compaction done: manual -> 1. Primary Request: COMPACT-SUMMARY-TEXT the user asked to write notes.txt.",
	}, agenttest.Outline(t, r, realSession)); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{
		"said: I will write the file.",
		"Write /home/dev/work/proj/notes.txt [created /home/dev/work/proj/notes.txt]",
		"Edit /home/dev/work/proj/notes.txt [modified /home/dev/work/proj/notes.txt]",
		"Bash cat notes.txt; env | grep -E '^CLAUDE' | sort exit 0",
		"Bash exit 3 exit 3 error: Exit code 3",
		"said: Done: notes.txt was written and edited.",
	}, agenttest.Steps(got[0])); diff != "" {
		t.Error(diff)
	}
	if got[0].Model != "claude-opus-5-5" || got[0].Tokens.Total != 120 || got[0].Steps[3].Tool.Title != "show file" {
		t.Errorf("model %q, tokens %+v, title %q", got[0].Model, got[0].Tokens, got[0].Steps[3].Tool.Title)
	}
	s, err := r.Session(t.Context(), realSession)
	if err != nil || s.Dir != "/home/dev/work/proj" || s.Title != "please create the file notes.txt" || s.Parent != "" || s.Messages != 14 {
		t.Errorf("session %+v, %v", s, err)
	}
	if s.CreatedAt.Format("15:04:05") != "01:00:20" || s.ActiveAt.Format("15:04:05") != "01:13:41" {
		t.Errorf("from %s to %s", s.CreatedAt, s.ActiveAt)
	}
}

func TestARealSubagent(t *testing.T) {
	r := realReader(t)
	got := agenttest.Turns(t, r, realSubagent)
	if len(got) != 1 || got[0].Prompt != "SUBTASK-XYZ compute" || got[0].Parent != realParent || got[0].Answer() != "Subagent result: 42" || got[0].State != codememory.TurnDone {
		t.Fatalf("turns %+v", got)
	}
	if diff := cmp.Diff([]string{"Bash echo from-subagent exit 0", "said: Subagent result: 42"}, agenttest.Steps(got[0])); diff != "" {
		t.Error(diff)
	}
	list, err := r.Sessions(t.Context(), codememory.SessionQuery{Parent: realParent})
	if err != nil || len(list) != 1 || list[0].ID != realSubagent {
		t.Errorf("subagents %+v, %v", list, err)
	}
}

func TestNothingThatHooksSaidIsLearned(t *testing.T) {
	r := realReader(t)
	for _, id := range []string{realSession, realSubagent} {
		all := fmt.Sprintf("%+v", agenttest.Turns(t, r, id))
		for _, turn := range agenttest.Turns(t, r, id) {
			for _, s := range turn.Steps {
				if s.Tool != nil {
					all += s.Tool.Output + s.Tool.Error
				}
			}
		}
		for _, injected := range []string{"JSONCTX", "PLAINSTDOUT", "system-reminder", "local-command", "tools-used-before"} {
			if strings.Contains(all, injected) {
				t.Errorf("%s is in the turns of %s", injected, id)
			}
		}
	}
}

func TestWhereClaudeCodeKeepsItsTranscripts(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		env       map[string]string
		want      string
	}{
		{"an option", "/opt/claude", map[string]string{"CLAUDE_CONFIG_DIR": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/opt/claude/projects"},
		{"a variable", "", map[string]string{"CLAUDE_CONFIG_DIR": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/cfg/projects"},
		{"the home folder", "", map[string]string{"HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/home/dev/.claude/projects"},
	} {
		r := claudecode.New(claudecode.Options{Dir: tt.dir, Env: func(name string) string { return tt.env[name] }})
		if got := r.Watched(); len(got) != 1 || filepath.ToSlash(got[0]) != tt.want {
			t.Errorf("%s: watched %q, want %q", tt.name, got, tt.want)
		}
	}
}
