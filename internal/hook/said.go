package hook

import "codememory"

// Bounds of what is told of a turn, in bytes.
const (
	maxSaid   = 16_000
	maxOutput = 4_000
)

// unread reports whether CodeMemory knows an agent only from its hooks.
func unread(agent string) bool { return agent == Cursor || agent == VSCode }

// said is all that an event tells of its turn, for agents that keep no records
// that can be read. What happens inside of subagents is not part of it.
func said(e Event) *codememory.TurnEvent {
	if !unread(e.Agent) || e.inSubagent() {
		return nil
	}
	t := codememory.TurnEvent{Turn: e.Turn, Model: e.Model}
	switch e.Kind {
	case Prompt:
		if t.Prompt = cut(e.Prompt, maxSaid); !byUser(e.Source) {
			return nil
		}
	case ToolDone, ToolFailed:
		tool := e.Tool
		tool.Input, tool.Output, tool.Error = nil, cut(tool.Output, maxOutput), cut(tool.Error, maxOutput)
		t.Tool = &tool
	case Said:
		t.Text = cut(e.LastMessage, maxSaid)
	case TurnEnd:
		t.Text, t.Ended = cut(e.LastMessage, maxSaid), e.Reason
	case SessionEnd:
	case SessionStart, ToolStart, SubagentStart, SubagentStop, PreCompact, PostCompact, Other:
		return nil
	}
	return &t
}
