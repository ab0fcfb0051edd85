package hook

import (
	"strings"

	"codememory"
	"codememory/internal/render"
)

// Parse reads what an agent handed over. agent and args are the command line
// after "hook", stdin is the payload, and env looks up variables. The payload
// counts for more than the arguments, which only fill its gaps: the commands
// that were once recommended name variables that do not exist.
func Parse(agent string, args []string, stdin []byte, env func(string) string) (Event, error) {
	cmd, err := parseCommand(agent, args)
	if err != nil {
		return Event{}, err
	}
	data := stdin
	if cmd.json != nil {
		data = cmd.json
	}
	p, err := parsePayload(data)
	if err != nil {
		return Event{}, err
	}
	e := Event{Via: cmd.agent}
	if e.Name = orElse(p.text("hook_event_name", "hookEventName"), cmd.event, p.text("type"), guessed(p)); e.Name == "" {
		return Event{}, codememory.Errorf(codememory.Invalid, "the event of a hook has no name: give it after the agent")
	}
	e.Kind = kindOf(e.Name)
	e.Session = orElse(p.text("session_id", "sessionId", "conversation_id", "thread-id"), cmd.session())
	e.Agent = running(e.Via, p, e.Name, e.Session, env)
	if e.Session = orElse(e.Session, sessionOf(e.Agent, env)); e.Session == "" {
		return Event{}, codememory.Errorf(codememory.Invalid, "the %s event of a hook names no session", e.Name)
	}
	edited := ""
	if fold(e.Name) == "fileedited" {
		edited = cmd.place()
		e.Dir = folder(e.Agent, p, "", env)
	} else {
		e.Dir = folder(e.Agent, p, cmd.place(), env)
	}
	e.fill(p, edited)
	e.Key = e.key()
	return e, nil
}

// guessed names an event by what its payload holds. Copilot's own payloads do
// not name it.
func guessed(p payload) string {
	switch {
	case p.has("initialPrompt", "initial_prompt", "source"):
		return "sessionStart"
	case p.has("toolResult", "tool_result", "tool_response"):
		return "postToolUse"
	case p.has("toolName", "tool_name"):
		return "preToolUse"
	case p.has("prompt"):
		return "userPromptSubmitted"
	case p.has("stopReason", "stop_reason", "stop_hook_active"):
		return "agentStop"
	case p.has("reason"):
		return "sessionEnd"
	}
	return ""
}

// fill reads what belongs to the kind of event.
func (e *Event) fill(p payload, edited string) {
	e.Transcript = p.text("agent_transcript_path", "transcript_path", "transcriptPath")
	e.Turn, e.Model = p.text("generation_id"), p.text("model")
	e.SubagentID = p.text("agent_id", "agentId", "subagent_id")
	e.SubagentType = p.text("agent_type", "agentType", "subagent_type", "agentName")
	switch e.Kind {
	case SessionStart:
		e.Source = startSource(p.text("source"))
	case Prompt:
		e.Source = p.text("source")
		e.Prompt = ownWords(p.text("prompt"))
	case SubagentStart:
		e.Prompt = ownWords(p.text("task", "prompt"))
	case ToolDone, ToolFailed:
		e.Tool = toolCall(p, e.Dir, edited)
		if e.Tool.Name == "" {
			e.Tool.Name = toolOf[fold(e.Name)]
		}
		if e.Tool.Error != "" {
			e.Kind, e.Tool.Changed = ToolFailed, nil
		}
	case ToolStart:
		if e.Tool = toolCall(p, e.Dir, ""); !acts(*e) {
			e.Kind = Other
		}
	case Said:
		e.LastMessage = render.Strip(p.text("text"))
	case TurnEnd, SubagentStop:
		e.LastMessage = render.Strip(p.text("last_assistant_message", "lastAssistantMessage", "last-assistant-message", "prompt_response"))
		e.Reason = p.text("stop_reason", "stopReason", "error", "status")
	case PreCompact:
		e.Reason = p.text("trigger")
	case PostCompact:
		e.Reason = p.text("trigger")
		e.Summary = summary(p.text("compact_summary", "summary"))
	case SessionEnd:
		e.Reason = p.text("reason")
	case Other:
	}
}

// ownWords is a prompt without what hooks, ours or others', put before it.
// Gemini shows it with the context that the session began with.
func ownWords(prompt string) string {
	const open, closed = "<hook_context>", "</hook_context>"
	for {
		start := strings.Index(prompt, open)
		if start < 0 {
			break
		}
		end := strings.Index(prompt[start:], closed)
		if end < 0 {
			break
		}
		prompt = prompt[:start] + prompt[start+end+len(closed):]
	}
	return strings.TrimSpace(render.Strip(prompt))
}

// summary is the text that goes on standing for a compacted conversation,
// without the thoughts before it.
func summary(text string) string {
	if _, after, ok := strings.Cut(text, "</analysis>"); ok {
		text = after
	}
	if _, after, ok := strings.Cut(text, "<summary>"); ok {
		text, _, _ = strings.Cut(after, "</summary>")
	}
	return strings.TrimSpace(render.Strip(text))
}
