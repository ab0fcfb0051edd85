package hook

import (
	"bytes"
	"encoding/json"
)

// Reply returns what to print for agent to accept a as the answer to e. Without
// an answer, or where the agent takes none, that is nothing, or the least that
// the agent wants to read. At the end of a turn it is always nothing: some
// agents take any output there as a reason to go on.
func Reply(agent string, e Event, a Answer) []byte {
	if e.Kind == TurnEnd || e.Kind == SubagentStop {
		return nil
	}
	if a.Context == "" || !takesContext(agent, e.Kind) {
		return leastReply(agent, e.Kind)
	}
	text := shorten(a.Context, limitOf(agent))
	switch agent {
	case Cursor:
		return encode(struct {
			Context string `json:"additional_context"`
		}{text})
	case Copilot: // also in its runs of Claude Code's hooks, where it ignores the nested form
		return encode(struct {
			Context string `json:"additionalContext"`
		}{text})
	}
	var out struct {
		Output struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"` // and nothing else: Codex drops output with a key that it does not know
	}
	out.Output.Event, out.Output.Context = replyName(agent, e.Kind), text
	return encode(out)
}

// takesContext reports whether the agent puts text before its model at such an event.
func takesContext(agent string, k Kind) bool {
	switch k {
	case SessionStart, ToolDone:
		return true
	case ToolStart: // of others it is not known
		return agent == ClaudeCode || agent == VSCode
	case Prompt:
		return agent != Cursor
	case SubagentStart:
		return agent == ClaudeCode || agent == Codex || agent == VSCode
	case ToolFailed:
		return agent == ClaudeCode
	case SubagentStop, PreCompact, PostCompact, Said, TurnEnd, SessionEnd, Other:
	}
	return false
}

// replyName is the name that an answer must repeat.
func replyName(agent string, k Kind) string {
	switch k {
	case SessionStart:
		return "SessionStart"
	case SubagentStart:
		return "SubagentStart"
	case ToolStart:
		return "PreToolUse"
	case ToolFailed:
		return "PostToolUseFailure"
	case ToolDone:
		if agent == Gemini {
			return "AfterTool"
		}
		return "PostToolUse"
	case Prompt:
		if agent == Gemini {
			return "BeforeAgent"
		}
		return "UserPromptSubmit"
	case SubagentStop, PreCompact, PostCompact, Said, TurnEnd, SessionEnd, Other:
	}
	return ""
}

// leastReply is the output of a hook that has nothing to say. Cursor reads JSON
// from every hook; the others are content with none.
func leastReply(agent string, k Kind) []byte {
	switch {
	case agent == Cursor && k == Prompt:
		return []byte(`{"continue":true}`)
	case agent == Cursor:
		return []byte(`{}`)
	}
	return nil
}

// encode writes v on one line, with < and > as they are: the limits of agents
// count what they read, and people read it in logs.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // strings always encode
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
