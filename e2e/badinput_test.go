//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHooksOfBadInput: whatever comes, a hook succeeds, is quick and is silent.
func TestHooksOfBadInput(t *testing.T) {
	w := newWorld(t)
	dir := w.project("ledger")
	w.remember(dir, poolFact)
	prompt := fmt.Sprintf(`{"session_id":"s1","cwd":%q,"hook_event_name":"BeforeAgent","prompt":%q}`, dir, poolPrompt)
	if out, _ := w.hook(prompt, "gemini", "BeforeAgent"); !strings.Contains(out, "ping every 30 s") {
		t.Fatalf("a good one printed %q", out)
	}
	for name, tt := range map[string]struct {
		stdin string
		args  []string
	}{
		"cut JSON":                 {prompt[:len(prompt)-9], []string{"gemini", "BeforeAgent"}},
		"no JSON":                  {"PROMPT=hello\n", []string{"gemini", "BeforeAgent"}},
		"nothing":                  {"", []string{"copilot", "sessionStart"}},
		"a list":                   {"[1,2,3]", []string{"gemini", "BeforeAgent"}},
		"null":                     {"null", []string{"gemini", "BeforeAgent"}},
		"fields of other types":    {`{"session_id":7,"cwd":["x"],"hook_event_name":{"a":1},"prompt":false}`, []string{"gemini", "BeforeAgent"}},
		"bytes that are no text":   {"\xff\xfe\x00{", []string{"copilot", "userPromptSubmitted"}},
		"an unknown event":         {`{"session_id":"s1","hook_event_name":"DreamStart"}`, []string{"gemini", "DreamStart"}},
		"an unknown agent":         {prompt, []string{"emacs", "BeforeAgent"}},
		"no arguments":             {prompt[:20], nil},
		"options nobody knows":     {"{}", []string{"gemini", "--nonsense", "--tool"}},
		"a folder that is gone":    {`{"session_id":"s1","cwd":"/nowhere/at/all","hook_event_name":"AfterTool","tool_name":"x"}`, []string{"gemini", "AfterTool"}},
		"megabytes without an end": {`{"session_id":"s1","prompt":"` + strings.Repeat("x", 3<<20), []string{"gemini", "BeforeAgent"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.T = t
			out, took := w.hook(tt.stdin, tt.args...)
			if strings.TrimSpace(out) != "" {
				t.Errorf("printed %q", out)
			}
			if took > 3*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestBigDamagedTranscript: a transcript of 20 MB with broken lines is read as
// far as it can be, and one that is cut while it is followed does no harm.
func TestBigDamagedTranscript(t *testing.T) {
	w := newWorld(t)
	dir := w.project("ledger")
	w.remember(dir, poolFact) // starts the daemon: what follows is newer than the installation
	session := newUUID()
	file := filepath.Join(w.folder(".copilot/session-state/"+session), "events.jsonl")
	at := time.Now()
	event := func(kind string, data map[string]any) string {
		at = at.Add(time.Millisecond)
		line, err := json.Marshal(map[string]any{"type": kind, "id": newUUID(), "timestamp": at.UTC().Format(time.RFC3339Nano), "data": data})
		if err != nil {
			t.Fatal(err)
		}
		return string(line) + "\n"
	}
	var b strings.Builder
	b.WriteString(event("session.start", map[string]any{"sessionId": session, "context": map[string]any{"cwd": dir}}))
	exchange := func(i int, extra string) {
		b.WriteString(event("user.message", map[string]any{"content": fmt.Sprintf("question %d", i)}))
		b.WriteString(event("assistant.message", map[string]any{"messageId": newUUID(), "content": fmt.Sprintf("answer %d %s", i, extra), "toolRequests": []any{}}))
		b.WriteString(event("assistant.turn_end", map[string]any{"turnId": "0"}))
	}
	for i := range 20 {
		exchange(i, "")
		b.WriteString(`{"type":"tool.execution_complete","data":{"result":{"content":"` + strings.Repeat("y", 1<<20) + "\n") // never ends
		b.WriteString("\x00\xff not json\n\n[]\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	poke := func(kind string) {
		w.hook(fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"stopReason":"end_turn"}`, session, dir), "copilot", kind)
	}
	poke("agentStop")
	began := time.Now()
	w.awaitRecord(dir, session, "question 19", "Done: answer 19")
	t.Logf("%d MB with broken lines were read within %v", b.Len()>>20, time.Since(began).Round(10*time.Millisecond))
	if got := strings.Count(w.journal(dir), "Agent: answer "); got != 20 {
		t.Errorf("the journal has %d turns", got)
	}
	// Cut in the middle of a line while it is followed, and then written on.
	if err := os.Truncate(file, int64(b.Len()/2)); err != nil {
		t.Fatal(err)
	}
	poke("agentStop")
	b.Reset()
	b.WriteString("\n")
	exchange(100, "after the cut")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(b.String()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	poke("agentStop")
	w.awaitRecord(dir, session, "Done: answer 100 after the cut")
	if got := strings.Count(w.journal(dir), "Agent: answer 100 "); got != 1 {
		t.Errorf("the journal has the new turn %d times:\n%s", got, w.journal(dir))
	}
}

// TestFoldersWithoutGit: no git on the PATH, no repository, no commit. Nothing
// of that keeps a session from its memory and its record.
func TestFoldersWithoutGit(t *testing.T) {
	w := newWorld(t)
	bare := w.folder("src/bare")
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir, cmd.Env = bare, w.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for name, tt := range map[string]struct{ dir, path string }{
		"a repository without commits": {bare, w.env["PATH"]},
		"no repository":                {w.folder("src/plain"), w.env["PATH"]},
		"no git":                       {w.project("committed"), w.folder("empty")},
	} {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.T = t
			w.env = maps.Clone(w.env)
			w.env["PATH"] = tt.path
			w.codememory(w.home, "stop") // the daemon shall have this PATH too
			w.remember(tt.dir, poolFact)
			session := newUUID()
			said := func(event, extra string) string {
				out, _ := w.hook(fmt.Sprintf(`{"conversation_id":%q,"generation_id":"g1","cursor_version":"2","workspace_roots":[%q],"hook_event_name":%q%s}`, session, tt.dir, event, extra), "cursor", event)
				return out
			}
			said("beforeSubmitPrompt", `,"prompt":"Sort the reports."`)
			said("afterFileEdit", fmt.Sprintf(`,"file_path":%q,"edits":[]`, filepath.Join(tt.dir, "a.go")))
			said("afterAgentResponse", `,"text":"Sorted."`)
			said("stop", `,"status":"completed"`)
			w.awaitRecord(tt.dir, session, "Sort the reports.", "`a.go`", "Done: Sorted.")
			if out, _ := w.hook(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"BeforeAgent","prompt":%q}`, newUUID(), tt.dir, poolPrompt), "gemini", "BeforeAgent"); !strings.Contains(out, "ping every 30 s") {
				t.Errorf("the hook printed %q", out)
			}
		})
	}
}

// TestCheckpointsOfWrongTypes: the field is named and nothing is stored.
func TestCheckpointsOfWrongTypes(t *testing.T) {
	w := newWorld(t)
	dir := w.project("ledger")
	checkpoint := func(text string) error {
		cmd := exec.CommandContext(t.Context(), program, "checkpoint")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, append(w.environ(), "PWD="+dir), strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	for field, text := range map[string]string{
		"goal":           `{"session_id":"s1","goal":{"a":1},"work_completed":["half"]}`,
		"work_completed": `{"session_id":"s1","goal":"half","work_completed":{"a":1}}`,
		"work_pending":   `{"session_id":"s1","goal":"half","work_pending":[["x"]]}`,
		"status":         `{"session_id":"s1","goal":"half","status":"sleeping"}`,
		"session_id":     `{"session_id":7,"goal":"half"}`,
	} {
		err := checkpoint(text)
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if out, err := w.codememory(dir, "sessions", "--json"); err != nil || strings.Contains(out, "half") || strings.Contains(out, "s1") {
		t.Errorf("half a checkpoint was stored, %v: %s", err, out)
	}
	if err := checkpoint(`{"session_id":"s1","goal":"whole"}`); err != nil {
		t.Error(err)
	}
	if out, err := w.codememory(dir, "sessions", "--json"); err != nil || !strings.Contains(out, "whole") {
		t.Errorf("%v: %s", err, out)
	}
}
