//go:build e2e

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// cursorHooks calls hooks as Cursor does, by its documentation: it cannot be
// run without an account.
type cursorHooks struct {
	*world
	dir, conversation string
	generation        int
	config            struct {
		Hooks map[string][]struct {
			Command string `json:"command"`
			Matcher string `json:"matcher"`
		} `json:"hooks"`
	}
}

func newCursorHooks(t *testing.T) *cursorHooks {
	t.Helper()
	w := newWorld(t)
	c := &cursorHooks{world: w, dir: w.project("ledger"), conversation: newUUID()}
	w.install("cursor")
	data, err := os.ReadFile(filepath.Join(w.home, ".cursor", "hooks.json"))
	if err == nil {
		err = json.Unmarshal(data, &c.config)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.env["CURSOR_VERSION"], w.env["CURSOR_PROJECT_DIR"], w.env["CLAUDE_PROJECT_DIR"] = "2.4.1", c.dir, c.dir
	return c
}

// call runs what is installed for an event, if it is for this tool.
func (c *cursorHooks) call(event string, payload map[string]any) string {
	c.Helper()
	if len(c.config.Hooks[event]) != 1 {
		c.Fatalf("%s has %d hooks", event, len(c.config.Hooks[event]))
	}
	h := c.config.Hooks[event][0]
	if tool, ok := payload["tool_name"].(string); ok && !regexp.MustCompile(h.Matcher).MatchString(tool) {
		return ""
	}
	args := strings.Fields(h.Command)
	if args[0] != program || args[1] != "hook" {
		c.Fatalf("%s calls %s", event, h.Command)
	}
	return c.callAs(args[2], event, payload)
}

// callAs runs one hook with what all payloads have, and returns its output.
func (c *cursorHooks) callAs(agent, event string, payload map[string]any) string {
	c.Helper()
	all := map[string]any{
		"conversation_id": c.conversation, "generation_id": c.conversation[:8] + "-gen-" + string(rune('a'+c.generation)), "model": "claude-4.5-sonnet", "hook_event_name": event,
		"cursor_version": "2.4.1", "workspace_roots": []string{c.dir}, "user_email": "dev@example.com", "transcript_path": nil,
	}
	maps.Copy(all, payload)
	data, err := json.Marshal(all)
	if err != nil {
		c.Fatal(err)
	}
	out, _ := c.hook(string(data), agent, event)
	if out != "" && !json.Valid([]byte(out)) {
		c.Errorf("%s printed no JSON: %s", event, out)
	}
	return out
}

// hook runs one hook to its end with this on stdin. It must always succeed and
// say nothing on stderr.
func (w *world) hook(stdin string, args ...string) (out string, took time.Duration) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), program, append([]string{"hook"}, args...)...)
	cmd.Dir, cmd.Env = w.home, append(w.environ(), "PWD="+w.home) // user hooks run in ~/.cursor, not in the project
	cmd.Stdin = strings.NewReader(stdin)
	var errs strings.Builder
	cmd.Stderr = &errs
	began := time.Now()
	data, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		w.Errorf("hook %v: %v %s", args, err, errs.String())
	}
	return string(data), time.Since(began)
}

// cursorSecret looks like a token.
const cursorSecret = "ghp_q7J3xR2mT5w8Z4yB6nK9vC1dF0gH2jL5pS8a"

func TestCursor(t *testing.T) {
	c := newCursorHooks(t)
	c.remember(c.dir, poolFact)
	c.remember(c.dir, "--type", "project-brief", briefFact)

	var start struct {
		Context string `json:"additional_context"`
	}
	out := c.call("sessionStart", map[string]any{"session_id": c.conversation, "is_background_agent": false, "composer_mode": "agent"})
	if err := json.Unmarshal([]byte(out), &start); err != nil || !strings.HasPrefix(start.Context, stableOpens) || !strings.Contains(start.Context, briefFact) {
		t.Errorf("sessionStart printed %s, %v", out, err)
	}
	if out := c.call("beforeSubmitPrompt", map[string]any{"prompt": ledgerFact, "attachments": []any{}}); out != `{"continue":true}` {
		t.Errorf("beforeSubmitPrompt printed %s", out)
	}
	quiet := func(event string, payload map[string]any) {
		t.Helper()
		if out := c.call(event, payload); out != "{}" && out != "" {
			t.Errorf("%s printed %s", event, out)
		}
	}
	quiet("afterFileEdit", map[string]any{"file_path": c.dir + "/db.go", "edits": []any{map[string]any{"old_string": "sqlite", "new_string": "postgres"}}})
	quiet("postToolUse", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": c.dir + "/db.go"}, "tool_output": `{"success":true}`, "tool_use_id": "u1", "duration": 12, "cwd": c.dir})
	quiet("afterShellExecution", map[string]any{"command": "go test ./...", "output": "FAIL ledger", "duration": 1234})
	quiet("postToolUse", map[string]any{"tool_name": "Shell", "tool_input": map[string]any{"command": "go test ./..."}, "tool_output": `{"exitCode":1,"stdout":"FAIL ledger"}`, "tool_use_id": "u2", "duration": 1234, "cwd": c.dir})
	quiet("postToolUseFailure", map[string]any{"tool_name": "Shell", "tool_input": map[string]any{"command": "make lint"}, "tool_use_id": "u3", "error_message": "Command timed out after 30s", "failure_type": "timeout", "duration": 5000, "is_interrupt": false, "cwd": c.dir})
	quiet("afterAgentResponse", map[string]any{"text": "The ledger uses PostgreSQL 17 now. The key is " + cursorSecret + "."})
	// With third-party configurations it calls Claude Code's hooks as well.
	if out := c.callAs("claude-code", "UserPromptSubmit", map[string]any{"session_id": c.conversation, "prompt": ledgerFact}); strings.Contains(out, "codememory kind") {
		t.Errorf("the same prompt by Claude Code's configuration printed %s", out)
	}
	if out := c.call("stop", map[string]any{"status": "completed", "loop_count": 0}); strings.Contains(out, "followup") {
		t.Errorf("stop printed %s", out)
	}
	record := c.awaitRecord(c.dir, c.conversation, "tool: cursor", "## Goal\n"+ledgerFact[:40], "### Modified\n- `db.go`", "Done: The ledger uses PostgreSQL 17 now.", "Failed: `go test ./...` (exit code 1", "make lint")
	if strings.Contains(record.text, cursorSecret) {
		t.Errorf("a secret is in the record:\n%s", record.text)
	}
	c.generation++
	c.call("beforeSubmitPrompt", map[string]any{"prompt": "Now make it faster.", "attachments": []any{}})
	c.call("stop", map[string]any{"status": "aborted", "loop_count": 0})
	quiet("sessionEnd", map[string]any{"session_id": c.conversation, "reason": "completed", "duration_ms": 45000, "is_background_agent": false, "final_status": "completed"})
	c.awaitRecord(c.dir, c.conversation, "Now make it faster.", "Left open: ")
	c.awaitClosed(c.dir, c.conversation)
	c.known(c.dir, ledgerQuestion, ledgerKnown)

	journal := c.journal(c.dir)
	for _, once := range []string{"(cursor)", "- User: " + ledgerFact, "Edited db.go", "Ran `go test ./...` → error: exit code 1", "Agent: The ledger uses PostgreSQL 17 now."} {
		if got := strings.Count(journal, once); got != 1 {
			t.Errorf("the journal has %q %d times:\n%s", once, got, journal)
		}
	}
	transcript, err := c.codememory(c.dir, "transcript", c.conversation, "--tools")
	if err != nil || !strings.Contains(transcript, ledgerFact) || strings.Contains(transcript, cursorSecret) {
		t.Errorf("%v in %s", err, transcript)
	}
	second := newUUID()
	c.conversation, c.generation = second, 0
	if out := c.call("sessionStart", map[string]any{"session_id": second, "is_background_agent": false, "composer_mode": "agent"}); !strings.Contains(out, ledgerKnown) {
		t.Errorf("the second session is given %s", out)
	}
}

// TestCursorWithoutDaemon: a prompt is never held up.
func TestCursorWithoutDaemon(t *testing.T) {
	c := newCursorHooks(t)
	c.remember(c.dir, poolFact)
	c.buryDaemon()
	for event, want := range map[string]string{"sessionStart": "{}", "beforeSubmitPrompt": `{"continue":true}`, "afterFileEdit": "{}", "stop": "", "sessionEnd": "{}"} {
		if out := c.call(event, map[string]any{"prompt": poolPrompt, "session_id": c.conversation}); out != want {
			t.Errorf("%s printed %q, want %q", event, out, want)
		}
	}
	if _, err := os.Stat(c.home + "/.local/share/codememory/daemon.json"); err == nil {
		t.Error("a daemon was started")
	}
}
