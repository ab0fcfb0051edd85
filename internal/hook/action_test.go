package hook_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"codememory"
	"codememory/internal/hook"
)

// adviser knows something about what an agent is about to do.
type adviser struct {
	daemon
	advice codememory.Advice
	uses   []codememory.ToolUse
}

func (a *adviser) BeforeTool(_ context.Context, u codememory.ToolUse) (codememory.Advice, error) {
	a.uses = append(a.uses, u)
	return a.advice, nil
}

func TestBeforeATool(t *testing.T) {
	const head = `{"session_id":"s1","cwd":"/w/app","hook_event_name":"PreToolUse","tool_use_id":"t1",`
	edit := head + `"tool_name":"Edit","tool_input":{"file_path":"/w/app/a.go","old_string":"a","new_string":"b"}}`
	known, refuse := codememory.Advice{Text: "what is known"}, codememory.Advice{Refuse: "save a checkpoint"}
	for name, c := range map[string]struct {
		agent, payload string
		advice         codememory.Advice
		use            string
		out, err       string
		code           int
	}{
		"an edit":                     {"claude-code", edit, known, "/w/app/a.go", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"what is known"}}`, "", 0},
		"nothing known":               {"claude-code", edit, codememory.Advice{}, "/w/app/a.go", "", "", 0},
		"a command":                   {"claude-code", head + `"tool_name":"Bash","tool_input":{"command":"make migrate"}}`, known, "make migrate", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"what is known"}}`, "", 0},
		"an agent that takes no text": {"codex", head + `"tool_name":"Bash","tool_input":{"command":"make migrate"}}`, known, "make migrate", "", "", 0},
		"reading":                     {"claude-code", head + `"tool_name":"Read","tool_input":{"file_path":"/w/app/a.go"}}`, refuse, "", "", "", 0},
		"a checkpoint":                {"claude-code", head + `"tool_name":"mcp__codememory__memory_checkpoint","tool_input":{"goal":"x"}}`, refuse, "", "", "", 0},
		"a refusal":                   {"claude-code", edit, refuse, "/w/app/a.go", "", "save a checkpoint\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			a := &adviser{advice: c.advice}
			var out, errs bytes.Buffer
			code := hook.Run(t.Context(), hook.Options{
				Agent: c.agent, Stdin: strings.NewReader(c.payload), Stdout: &out, Stderr: &errs, Env: vars(),
				Connect: func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
					return a, a, func() {}, nil
				},
			})
			used := ""
			if len(a.uses) > 0 {
				used = a.uses[0].Target
			}
			if code != c.code || out.String() != c.out || errs.String() != c.err || used != c.use {
				t.Errorf("exit %d, printed %q and %q, asked about %q", code, out.String(), errs.String(), used)
			}
		})
	}
}
