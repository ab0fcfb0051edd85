package codex_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/codex"
)

const (
	realThread    = "01a1dccc-60f6-7d42-90f4-6c6a3be5d382"
	realCompacted = "01a1dccd-3cc5-77c1-9600-e90e9c1bf6a7"
)

// realReader reads the real rollouts where Codex would have put them.
func realReader(t testing.TB) *codex.Reader {
	t.Helper()
	dir := t.TempDir()
	day := filepath.Join(dir, "sessions", "2026", "11", "15")
	if err := os.MkdirAll(day, 0o700); err != nil {
		t.Fatal(err)
	}
	for from, id := range map[string]string{"codex-rollout.jsonl": realThread, "codex-rollout-compacted.jsonl": realCompacted} {
		b, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(day, "rollout-2026-11-15T01-22-24-"+id+".jsonl"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return codex.New(codex.Options{Env: func(name string) string {
		if name == "CODEX_HOME" {
			return dir
		}
		return ""
	}})
}

func TestARealThread(t *testing.T) {
	r := realReader(t)
	if diff := cmp.Diff([]string{"prompt done: please create the file notes.txt -> Done with codex."}, agenttest.Outline(t, r, realThread)); diff != "" {
		t.Fatal(diff)
	}
	got := agenttest.Turns(t, r, realThread)[0]
	if diff := cmp.Diff([]string{
		"said: I will write the file.",
		"apply_patch notes.txt [created /home/dev/work/proj/notes.txt]",
		"exec_command cat notes.txt; env | grep -iE 'codex|agent' | sort exit 0",
		"mcp__mini__memory_search package manager",
		"mcp__mini__memory_save ",
		"exec_command exit 3 exit 3 error: exit code 3",
		"said: Done with codex.",
	}, agenttest.Steps(got)); diff != "" {
		t.Error(diff)
	}
	if got.Model != "gpt-5.5" || got.Tokens.Total != 120 || got.ID != "01a1dccc-6144-75d3-bd98-a32ea062f628" || !strings.HasPrefix(got.Steps[2].Tool.Output, "alpha\nbeta\nCODEX_") {
		t.Errorf("model %q, tokens %+v, id %s, output %.30q", got.Model, got.Tokens, got.ID, got.Steps[2].Tool.Output)
	}
	s, err := r.Session(t.Context(), realThread)
	if err != nil || s.Dir != "/home/dev/work/proj" || s.Title != "please create the file notes.txt" || s.Parent != "" || s.Messages != 3 || s.Model != "gpt-5.5" {
		t.Errorf("session %+v, %v", s, err)
	}
	if s.CreatedAt.Format("15:04:05") != "01:22:24" || s.ActiveAt.Format("15:04:05") != "01:22:26" {
		t.Errorf("from %s to %s", s.CreatedAt, s.ActiveAt)
	}
}

func TestARealCompactionInTheMiddleOfATurn(t *testing.T) {
	r := realReader(t)
	if diff := cmp.Diff([]string{
		"prompt done: first big prompt -> after compaction done",
		"compaction done: auto -> CODEX-COMPACT-SUMMARY user wanted step1",
	}, agenttest.Outline(t, r, realCompacted)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"exec_command echo step1 exit 0", "said: after compaction done"}, agenttest.Steps(agenttest.Turns(t, r, realCompacted)[0])); diff != "" {
		t.Error(diff)
	}
}

func TestNothingThatHooksSaidIsLearned(t *testing.T) {
	r := realReader(t)
	for _, id := range []string{realThread, realCompacted} {
		for _, turn := range agenttest.Turns(t, r, id) {
			all := turn.Prompt + fmt.Sprint(agenttest.Steps(turn))
			for _, s := range turn.Steps {
				if s.Tool != nil {
					all += s.Tool.Output
				}
			}
			for _, injected := range []string{"JSONCTX", "PLAINSTDOUT", "AGENTSMD", "environment_context", "Wall time"} {
				if strings.Contains(all, injected) {
					t.Errorf("%s is in the turns of %s", injected, id)
				}
			}
		}
	}
}

func TestWhereCodexKeepsItsRollouts(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		env       map[string]string
		want      string
	}{
		{"an option", "/opt/codex", map[string]string{"CODEX_HOME": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/opt/codex"},
		{"a variable", "", map[string]string{"CODEX_HOME": "/cfg", "HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/cfg"},
		{"the home folder", "", map[string]string{"HOME": "/home/dev", "USERPROFILE": "/home/dev"}, "/home/dev/.codex"},
	} {
		r := codex.New(codex.Options{Dir: tt.dir, Env: func(name string) string { return tt.env[name] }})
		var got []string
		for _, dir := range r.Watched() {
			got = append(got, filepath.ToSlash(dir))
		}
		if diff := cmp.Diff([]string{tt.want + "/sessions", tt.want + "/archived_sessions"}, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
