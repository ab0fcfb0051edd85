package gemini_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/gemini"
)

const realChat = "9bb86f87-caf9-4932-9860-ebfa638ca88c"

// realReader reads the real chat where Gemini CLI would have put it.
func realReader(t testing.TB) *gemini.Reader {
	t.Helper()
	home := t.TempDir()
	chats := filepath.Join(home, ".gemini", "tmp", "proj", "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join("testdata", "gemini-session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(chats, "session-2026-11-15T01-26-9bb86f87.jsonl"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return gemini.New(gemini.Options{Env: func(name string) string {
		if name == "GEMINI_CLI_HOME" {
			return home
		}
		return ""
	}})
}

func TestARealChat(t *testing.T) {
	r := realReader(t)
	if diff := cmp.Diff([]string{"prompt done: create the file notes.txt -> Done gemini."}, agenttest.Outline(t, r, realChat)); diff != "" {
		t.Fatal(diff)
	}
	got := agenttest.Turns(t, r, realChat)[0]
	if diff := cmp.Diff([]string{
		"said: I will write.",
		"write_file notes.txt [created /home/dev/work/proj/notes.txt]",
		"mcp_mini_memory_search pm",
		"run_shell_command env | grep -i gemini | sort exit 0",
		"said: Done gemini.",
	}, agenttest.Steps(got)); diff != "" {
		t.Error(diff)
	}
	if got.Model != "gemini-2.5-pro" || got.Tokens.Total != 120 || got.Steps[1].Tool.Title != "Writing to notes.txt" || got.Steps[2].Tool.Output != "TEXTVERSION: use pnpm" {
		t.Errorf("model %q, tokens %+v, tools %+v %+v", got.Model, got.Tokens, got.Steps[1].Tool, got.Steps[2].Tool)
	}
	if out := got.Steps[3].Tool.Output; !strings.HasPrefix(out, "GEMINI_API_KEY=dummy\n") || !strings.HasSuffix(out, "\nHOME=/home/dev") {
		t.Errorf("output %q", out)
	}
	s, err := r.Session(t.Context(), realChat)
	if err != nil || s.Dir != "/home/dev/work/proj" || s.Title != "create the file notes.txt" || s.Parent != "" || s.Model != "gemini-2.5-pro" {
		t.Errorf("session %+v, %v", s, err)
	}
	if s.CreatedAt.Format("15:04:05") != "01:26:21" || s.ActiveAt.Format("15:04:05") != "01:26:25" {
		t.Errorf("from %s to %s", s.CreatedAt, s.ActiveAt)
	}
	all := fmt.Sprint(got.Prompt, agenttest.Steps(got))
	for _, s := range got.Steps {
		if s.Tool != nil {
			all += s.Tool.Output
		}
	}
	for _, injected := range []string{"JSONCTX", "hook_context", "session_context", "untrusted_context"} {
		if strings.Contains(all, injected) {
			t.Errorf("%s is in the turn", injected)
		}
	}
}

func TestWhereGeminiKeepsItsChats(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		env       map[string]string
		want      string
	}{
		{"an option", "/opt/gemini", map[string]string{"GEMINI_CLI_HOME": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/opt/gemini/tmp"},
		{"a variable", "", map[string]string{"GEMINI_CLI_HOME": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/cfg/.gemini/tmp"},
		{"the home folder", "", map[string]string{"HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/home/dev/.gemini/tmp"},
	} {
		r := gemini.New(gemini.Options{Dir: tt.dir, Env: func(name string) string { return tt.env[name] }})
		if got := r.Watched(); len(got) != 1 || filepath.ToSlash(got[0]) != tt.want {
			t.Errorf("%s: watched %q, want %q", tt.name, got, tt.want)
		}
	}
}
