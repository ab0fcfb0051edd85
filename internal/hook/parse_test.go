package hook_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/hook"
)

// recorded are the sessions whose payloads we have, and how their agent calls us.
var recorded = []struct {
	file, agent string
	env         func(string) string
}{
	{"hooks-claude-code.jsonl", "claude-code", vars("CLAUDECODE", "1", "CLAUDE_PROJECT_DIR", "/home/dev/work/proj")},
	{"hooks-claude-code-2.jsonl", "claude-code", vars("CLAUDECODE", "1")},
	{"hooks-claude-code-subagent.jsonl", "claude-code", vars("CLAUDECODE", "1")},
	{"hooks-claude-code-tui.jsonl", "claude-code", vars("CLAUDECODE", "1")},
	{"hooks-codex.jsonl", "codex", vars()},
	{"hooks-codex-compact.jsonl", "claude-code", vars("CLAUDECODE", "1")}, // a plugin made for Claude Code, in Codex started by Claude Code
	{"hooks-gemini.jsonl", "gemini", vars("GEMINI_SESSION_ID", "9bb86f87-caf9-4932-9860-ebfa638ca88c", "CLAUDE_PROJECT_DIR", "/home/dev/work/proj")},
	{"hooks-copilot.jsonl", "copilot", vars("COPILOT_CLI", "1", "COPILOT_PROJECT_DIR", "/home/dev/work/proj", "CLAUDE_PROJECT_DIR", "/home/dev/work/proj")},
}

// via is the configuration that a payload of a recorded session came through.
func via(agent string, payload []byte) string {
	if agent == "copilot" && bytes.Contains(payload, []byte(`"hook_event_name"`)) {
		return "claude-code"
	}
	return agent
}

func TestEveryRecordedPayloadIsUnderstood(t *testing.T) {
	var b strings.Builder
	for _, r := range recorded {
		fmt.Fprintf(&b, "# %s\n", r.file)
		for i, payload := range lines(t, r.file) {
			e, err := hook.Parse(via(r.agent, payload), nil, payload, r.env)
			if err != nil {
				t.Fatalf("%s:%d: %v", r.file, i+1, err)
			}
			if e.Dir != "/home/dev/work/proj" {
				t.Errorf("%s:%d: in %q", r.file, i+1, e.Dir)
			}
			fmt.Fprintf(&b, "%2d %s\n", i+1, describe(e))
		}
	}
	golden(t, "events.golden", b.String())
}

// describe says on one line what is known of an event, empty fields left out.
func describe(e hook.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s(%s) session=%.8s", e.Agent, e.Kind, e.Name, e.Session)
	exit := ""
	if e.Tool.Exit != nil {
		exit = fmt.Sprint(*e.Tool.Exit)
	}
	var changed []string
	for _, c := range e.Tool.Changed {
		changed = append(changed, string(c.Change)+" "+c.Path)
	}
	transcript := ""
	if i := strings.LastIndex(e.Transcript, "/."); i >= 0 {
		transcript = strings.SplitN(e.Transcript[i+1:], "/", 2)[0]
	}
	for _, f := range [][2]string{
		{"via", e.Via},
		{"transcript", transcript},
		{"source", e.Source},
		{"prompt", e.Prompt},
		{"summary", e.Summary},
		{"last", e.LastMessage},
		{"reason", e.Reason},
		{"subagent", e.SubagentID},
		{"type", e.SubagentType},
		{"tool", e.Tool.Name},
		{"id", e.Tool.ID},
		{"target", e.Tool.Target},
		{"title", e.Tool.Title},
		{"output", e.Tool.Output},
		{"error", e.Tool.Error},
		{"exit", exit},
		{"changed", strings.Join(changed, ", ")},
		{"child", e.Tool.Child},
	} {
		if f[1] != "" && !(f[0] == "via" && f[1] == e.Agent) {
			fmt.Fprintf(&b, " %s=%.60q", f[0], f[1])
		}
	}
	return b.String()
}

func number(n int) *int { return &n }

func TestDocumentedPayloadsAreUnderstood(t *testing.T) {
	const cursor = `"conversation_id":"c1","generation_id":"g1","model":"m","cursor_version":"3.1","workspace_roots":["/w/app"],"user_email":null,"transcript_path":null`
	inCursor := vars("CURSOR_VERSION", "3.1", "CURSOR_PROJECT_DIR", "/w/app", "CLAUDE_PROJECT_DIR", "/w/app")
	for name, tt := range map[string]struct {
		agent string
		args  []string
		stdin string
		env   func(string) string
		want  hook.Event
	}{
		"Cursor starts a session": {
			"cursor", nil, `{` + cursor + `,"hook_event_name":"sessionStart","session_id":"c1","is_background_agent":false,"composer_mode":"agent"}`, inCursor,
			hook.Event{Agent: "cursor", Turn: "g1", Model: "m", Via: "cursor", Kind: hook.SessionStart, Name: "sessionStart", Session: "c1", Dir: "/w/app", Source: "startup"},
		},
		"Cursor runs Claude Code's hook": {
			"claude-code", nil, `{` + cursor + `,"hook_event_name":"SessionStart","session_id":"c1","source":"startup","cwd":"/home/dev/.cursor"}`, inCursor,
			hook.Event{Agent: "cursor", Turn: "g1", Model: "m", Via: "claude-code", Kind: hook.SessionStart, Name: "SessionStart", Session: "c1", Dir: "/w/app", Source: "startup"},
		},
		"Cursor's prompt": {
			"cursor", nil, `{` + cursor + `,"hook_event_name":"beforeSubmitPrompt","prompt":"add a test","attachments":[]}`, inCursor,
			hook.Event{Agent: "cursor", Turn: "g1", Model: "m", Via: "cursor", Kind: hook.Prompt, Name: "beforeSubmitPrompt", Session: "c1", Dir: "/w/app", Prompt: "add a test"},
		},
		"Cursor's edit": {
			"cursor", nil, `{` + cursor + `,"hook_event_name":"afterFileEdit","file_path":"/w/app/a.go","edits":[{"old_string":"a","new_string":"b"}]}`, inCursor,
			hook.Event{Agent: "cursor", Turn: "g1", Model: "m", Via: "cursor", Kind: hook.ToolDone, Name: "afterFileEdit", Session: "c1", Dir: "/w/app", Tool: codememory.ToolCall{
				Name: "edit", Input: []byte(`[{"old_string":"a","new_string":"b"}]`),
				Target: "/w/app/a.go", Changed: []codememory.FileChange{{Path: "/w/app/a.go", Change: codememory.FileModified}},
			}},
		},
		"Cursor's command": {
			"cursor", nil, `{` + cursor + `,"hook_event_name":"afterShellExecution","command":"go test ./...","output":"ok","duration":12}`, inCursor,
			hook.Event{
				Agent: "cursor", Turn: "g1", Model: "m", Via: "cursor", Kind: hook.ToolDone, Name: "afterShellExecution", Session: "c1", Dir: "/w/app",
				Tool: codememory.ToolCall{Name: "shell", Target: "go test ./...", Output: "ok"},
			},
		},
		"Cursor's failed tool": {
			"cursor", nil, `{` + cursor + `,"hook_event_name":"postToolUseFailure","tool_name":"Shell","tool_input":{"command":"false"},"error_message":"exit 1"}`, inCursor,
			hook.Event{
				Agent: "cursor", Turn: "g1", Model: "m", Via: "cursor", Kind: hook.ToolFailed, Name: "postToolUseFailure", Session: "c1", Dir: "/w/app",
				Tool: codememory.ToolCall{Name: "Shell", Input: []byte(`{"command":"false"}`), Target: "false", Error: "exit 1"},
			},
		},
		"Cursor's command with its outcome": {
			"cursor", nil, `{` + cursor + `,"hook_event_name":"postToolUse","tool_name":"Shell","tool_input":{"command":"npm test"},"tool_output":"{\"exitCode\":1,\"stdout\":\"2 failed\"}","tool_use_id":"u1","duration":5432}`, inCursor,
			hook.Event{
				Agent: "cursor", Turn: "g1", Model: "m", Via: "cursor", Kind: hook.ToolFailed, Name: "postToolUse", Session: "c1", Dir: "/w/app",
				Tool: codememory.ToolCall{ID: "u1", Name: "Shell", Input: []byte(`{"command":"npm test"}`), Target: "npm test", Output: "2 failed", Error: "exit code 1", Exit: number(1)},
			},
		},
		"Cursor's answer": {
			"cursor", nil, `{` + cursor + `,"hook_event_name":"afterAgentResponse","text":"Added the test."}`, inCursor,
			hook.Event{Agent: "cursor", Turn: "g1", Model: "m", Via: "cursor", Kind: hook.Said, Name: "afterAgentResponse", Session: "c1", Dir: "/w/app", LastMessage: "Added the test."},
		},
		"Cursor on Windows": {
			"cursor", nil, `{"conversation_id":"c1","cursor_version":"3.1","workspace_roots":["/c:/Users/dev/app"],"hook_event_name":"stop","status":"completed","loop_count":0}`, vars(),
			hook.Event{Agent: "cursor", Via: "cursor", Kind: hook.TurnEnd, Name: "stop", Session: "c1", Dir: "c:/Users/dev/app", Reason: "completed"},
		},
		"VS Code runs Claude Code's hook": {
			"claude-code", nil, `{"sessionId":"v1","hookEventName":"PostToolUse","cwd":"/w/app","tool_name":"create_file","tool_input":{"filePath":"/w/app/n.go"},"tool_response":"done","tool_use_id":"t1"}`, vars(),
			hook.Event{Agent: "vscode", Via: "claude-code", Kind: hook.ToolDone, Name: "PostToolUse", Session: "v1", Dir: "/w/app", Tool: codememory.ToolCall{
				ID: "t1", Name: "create_file", Input: []byte(`{"filePath":"/w/app/n.go"}`), Target: "/w/app/n.go", Output: "done",
				Changed: []codememory.FileChange{{Path: "/w/app/n.go", Change: codememory.FileCreated}},
			}},
		},
		"Codex's notify": {
			"codex",
			[]string{`{"type":"agent-turn-complete","thread-id":"x1","turn-id":"y","cwd":"/w/app","client":"codex_exec","input-messages":["hi"],"last-assistant-message":"Hello."}`},
			"", vars(),
			hook.Event{Agent: "codex", Via: "codex", Kind: hook.TurnEnd, Name: "agent-turn-complete", Session: "x1", Dir: "/w/app", LastMessage: "Hello."},
		},
		"Claude Code resumes": {
			"claude", nil, `{"session_id":"s1","transcript_path":"/h/.claude/projects/x/s1.jsonl","cwd":"/w/app/sub","hook_event_name":"SessionStart","source":"resume","context_tokens":120}`,
			vars("CLAUDECODE", "1", "CLAUDE_PROJECT_DIR", "/w/app"),
			hook.Event{Agent: "claude-code", Via: "claude-code", Kind: hook.SessionStart, Name: "SessionStart", Session: "s1", Dir: "/w/app/sub", Source: "resume", Transcript: "/h/.claude/projects/x/s1.jsonl"},
		},
		"a model that left the project": {
			"claude-code", nil, `{"session_id":"s1","cwd":"/tmp/elsewhere","hook_event_name":"UserPromptSubmit","prompt":"go on"}`, vars("CLAUDE_PROJECT_DIR", "/w/app"),
			hook.Event{Agent: "claude-code", Via: "claude-code", Kind: hook.Prompt, Name: "UserPromptSubmit", Session: "s1", Dir: "/w/app", Prompt: "go on"},
		},
		"the summary of a compaction": {
			"claude-code", nil, `{"session_id":"s1","cwd":"/w","hook_event_name":"PostCompact","trigger":"manual","compact_summary":"<analysis>thoughts <summary></analysis>\n<summary>\n1. Done.\n</summary>"}`, vars(),
			hook.Event{Agent: "claude-code", Via: "claude-code", Kind: hook.PostCompact, Name: "PostCompact", Session: "s1", Dir: "/w", Reason: "manual", Summary: "1. Done."},
		},
		"a prompt with our own block in it": {
			"claude-code", nil, `{"session_id":"s1","cwd":"/w","hook_event_name":"UserPromptSubmit","source":"user","prompt":"<codememory kind=\"hud\">\nData remembered\n- x\n</codememory>\n\nfix it"}`, vars(),
			hook.Event{Agent: "claude-code", Via: "claude-code", Kind: hook.Prompt, Name: "UserPromptSubmit", Session: "s1", Dir: "/w", Source: "user", Prompt: "fix it"},
		},
		"a patch that moves a file": {
			"codex", nil, `{"session_id":"s1","turn_id":"t","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n*** Delete File: c.go\n*** End Patch"},"tool_response":"","tool_use_id":"t1"}`, vars(),
			hook.Event{Agent: "codex", Via: "codex", Kind: hook.ToolDone, Name: "PostToolUse", Session: "s1", Dir: "/w", Tool: codememory.ToolCall{
				ID: "t1", Name: "apply_patch", Target: "/w/a.go",
				Input:   []byte(`{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n*** Delete File: c.go\n*** End Patch"}`),
				Changed: []codememory.FileChange{{Path: "/w/a.go", Change: "deleted"}, {Path: "/w/b.go", Change: "created"}, {Path: "/w/c.go", Change: "deleted"}},
			}},
		},
		"an event of tomorrow": {
			"claude-code", nil, `{"session_id":"s1","cwd":"/w","hook_event_name":"DreamStart"}`, vars(),
			hook.Event{Agent: "claude-code", Via: "claude-code", Kind: hook.Other, Name: "DreamStart", Session: "s1", Dir: "/w"},
		},

		"session-start with arguments": {
			"session-start",
			[]string{"s1", "/w/app"},
			"", vars(),
			hook.Event{Agent: "claude-code", Kind: hook.SessionStart, Name: "session-start", Session: "s1", Dir: "/w/app", Source: "startup"},
		},
		"session-start whose id is a variable that does not exist": {
			"ocm-hook",
			[]string{"session-start", "/w/app"},
			`{"session_id":"s1","cwd":"/w/app","hook_event_name":"SessionStart","source":"clear"}`, vars(),
			hook.Event{Agent: "claude-code", Kind: hook.SessionStart, Name: "SessionStart", Session: "s1", Dir: "/w/app", Source: "clear"},
		},
		"file-edited with arguments": {
			"ocm-hook",
			[]string{"file-edited", "s1", "src/a.go"},
			"", vars("PWD", "/w/app"),
			hook.Event{Agent: "claude-code", Kind: hook.ToolDone, Name: "file-edited", Session: "s1", Dir: "/w/app", Tool: codememory.ToolCall{
				Name: "edit", Target: "src/a.go", Changed: []codememory.FileChange{{Path: "/w/app/src/a.go", Change: codememory.FileModified}},
			}},
		},
		"session-end with arguments": {
			"cursor",
			[]string{"session-end", "s1"},
			"", vars("PWD", "/w/app"),
			hook.Event{Agent: "cursor", Via: "cursor", Kind: hook.SessionEnd, Name: "session-end", Session: "s1", Dir: "/w/app"},
		},
		"ocm-hook with JSON": {
			"ocm-hook",
			[]string{"post-tool-use", "--threshold", "5", "--tool", "cursor"},
			`{"conversation_id":"c1","workspace_roots":["/w/app"],"tool_input":{"path":"/w/app/a.go"}}`, vars(),
			hook.Event{Agent: "cursor", Via: "cursor", Kind: hook.ToolDone, Name: "post-tool-use", Session: "c1", Dir: "/w/app", Tool: codememory.ToolCall{
				Input: []byte(`{"path":"/w/app/a.go"}`), Target: "/w/app/a.go", Changed: []codememory.FileChange{{Path: "/w/app/a.go", Change: codememory.FileModified}},
			}},
		},
		"a session that only a variable names": {
			"ocm-hook",
			[]string{"session-start", ""},
			`{}`, vars("CLAUDE_CODE_SESSION_ID", "s9", "CLAUDE_PROJECT_DIR", "/w/app"),
			hook.Event{Agent: "claude-code", Kind: hook.SessionStart, Name: "session-start", Session: "s9", Dir: "/w/app", Source: "startup"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := parsed(t, tt.agent, tt.args, tt.stdin, tt.env)
			if got.Key == "" {
				t.Error("no key")
			}
			got.Key = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoEventIsAnError(t *testing.T) {
	for name, tt := range map[string]struct {
		agent string
		args  []string
		stdin string
	}{
		"an unknown agent":       {"emacs", nil, `{"session_id":"s","hook_event_name":"Stop"}`},
		"nothing":                {"claude-code", nil, ""},
		"half an object":         {"claude-code", nil, `{"session_id":"s","hook_event_name":"St`},
		"a list":                 {"claude-code", nil, `[1,2]`},
		"text":                   {"claude-code", nil, `hello`},
		"no session":             {"claude-code", nil, `{"hook_event_name":"Stop","cwd":"/w"}`},
		"a session of no string": {"claude-code", nil, `{"hook_event_name":"Stop","session_id":{"a":1}}`},
		"no name of an event":    {"claude-code", nil, `{"session_id":"s","cwd":"/w"}`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := hook.Parse(tt.agent, tt.args, []byte(tt.stdin), vars())
			if codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
}

func TestAPayloadThatWasCutStillSaysWhatHappenedWhere(t *testing.T) {
	whole := `{"session_id":"s1","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Read","tool_response":"` + strings.Repeat("x", hook.MaxInput) + `"}`
	e := parsed(t, "claude-code", nil, whole[:hook.MaxInput], vars())
	if e.Kind != hook.ToolDone || e.Session != "s1" || e.Dir != "/w" || e.Tool.Name != "Read" {
		t.Errorf("%+v", e)
	}
}

func TestAnAgentInsideAnotherIsToldByItsPayload(t *testing.T) {
	everything := []string{"CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "outer", "COPILOT_CLI", "1", "CURSOR_VERSION", "3", "GEMINI_SESSION_ID", "g"}
	for name, tt := range map[string]struct {
		stdin, want string
		env         []string
	}{
		"Claude Code by its records":   {`{"session_id":"s","transcript_path":"/h/.claude/projects/p/s.jsonl","hook_event_name":"Stop"}`, "claude-code", everything},
		"Claude Code by its variable":  {`{"session_id":"s","transcript_path":"/moved/p/s.jsonl","hook_event_name":"Stop"}`, "claude-code", append([]string{"CLAUDE_CODE_SESSION_ID", "s"}, everything...)},
		"Codex by its records":         {`{"session_id":"s","transcript_path":"/moved/rollout-2026-s.jsonl","hook_event_name":"SessionStart"}`, "codex", everything},
		"Codex by its turns":           {`{"session_id":"s","turn_id":"t","transcript_path":null,"hook_event_name":"Stop"}`, "codex", everything},
		"Gemini on Windows":            {`{"session_id":"s","transcript_path":"C:\\Users\\d\\.gemini\\tmp\\p\\chats\\s.jsonl","hook_event_name":"SessionStart"}`, "gemini", everything},
		"Gemini by its events":         {`{"session_id":"s","hook_event_name":"BeforeAgent","prompt":"x"}`, "gemini", everything},
		"Copilot by its results":       {`{"session_id":"s","hook_event_name":"PostToolUse","tool_result":{}}`, "copilot", everything},
		"Cursor before Copilot":        {`{"session_id":"s","hook_event_name":"SessionStart"}`, "cursor", everything},
		"Copilot by its variable":      {`{"session_id":"s","hook_event_name":"SessionStart"}`, "copilot", []string{"COPILOT_CLI", "1", "CLAUDECODE", "1"}},
		"a project below .codex":       {`{"session_id":"s","transcript_path":"/h/.codex/work/.claude/projects/p/s.jsonl","hook_event_name":"Stop"}`, "claude-code", nil},
		"nobody but the configuration": {`{"session_id":"s","hook_event_name":"Stop"}`, "claude-code", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if e := parsed(t, "claude-code", nil, tt.stdin, vars(tt.env...)); e.Agent != tt.want {
				t.Errorf("taken for %s", e.Agent)
			}
		})
	}
}

func FuzzParseTakesAnything(f *testing.F) {
	for _, r := range recorded {
		for i, payload := range lines(f, r.file) {
			if i%5 == 0 && len(payload) < 4000 {
				f.Add(r.agent, "", payload)
			}
		}
	}
	f.Add("session-start", "s1", []byte(nil))
	f.Add("ocm-hook", "file-edited", []byte(`{"session_id":1,"tool_input":"{\"a\"","cwd":[],"workspace_roots":[1]}`))
	f.Add("codex", `{"type":`, []byte("\xff\xfe{}"))
	f.Add("cursor", "--tool", []byte(`{"conversation_id":"c","hook_event_name":"postToolUse","tool_output":[[],{"text":3}],"error":{"message":{}}}`))
	f.Fuzz(func(t *testing.T, agent, arg string, stdin []byte) {
		e, err := hook.Parse(agent, []string{arg}, stdin, vars("PWD", "/w"))
		if err != nil {
			if codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("error without a code: %v", err)
			}
			return
		}
		if e.Agent == "" || e.Kind == "" || e.Session == "" || len(e.Key) != 32 {
			t.Errorf("incomplete: %+v", e)
		}
		if out := hook.Reply(e.Agent, e, hook.Answer{Context: string(stdin)}); e.Kind == hook.TurnEnd && out != nil {
			t.Errorf("said %q at the end of a turn", out)
		}
	})
}
