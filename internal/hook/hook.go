// Package hook is what coding agents run at points of their sessions: it reads
// the event they hand over, asks the daemon, and prints what that agent puts
// before its model. The agents disagree about nearly everything (names of
// events and fields, what output means, who else runs whose hooks), and all of
// that ends here. A hook is never in the way: it answers within its budget or
// says nothing, and it always succeeds.
package hook

import "codememory"

// The agents, as the rest of CodeMemory names them.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	Gemini     = "gemini"
	Copilot    = "copilot"
	Cursor     = "cursor"
	VSCode     = "vscode"
)

// Event is something that happened in an agent's session.
type Event struct {
	Agent string // the one that runs, which need not be Via
	Via   string // the one whose configuration called us; "" when the call did not say
	Kind  Kind
	Name  string // as the agent calls the event
	Key   string // the same for the same event, however often and in whatever form it arrives

	Session    string
	Dir        string // the folder of the session
	Transcript string // the agent's own record of the session, or of the subagent

	Source  string // of a SessionStart one of the Start constants, else who wrote the prompt where the agent says so
	Prompt  string // the user's own words, or the task of a subagent
	Tool    codememory.ToolCall
	Summary string // of a compacted conversation

	Turn         string // the agent's id of the turn, where it has one
	Model        string
	LastMessage  string // what the agent said, at the end of a turn or before
	Reason       string // why a turn, a session or a compaction came about
	SubagentID   string // set on all events inside a subagent
	SubagentType string
}

// Kind says what an event means, whatever its agent calls it.
type Kind string

// The kinds. Other events are known or unknown ones that need nothing done.
const (
	SessionStart  Kind = "session-start"
	Prompt        Kind = "prompt"
	SubagentStart Kind = "subagent-start"
	SubagentStop  Kind = "subagent-stop"
	ToolStart     Kind = "tool-start"
	ToolDone      Kind = "tool-done"
	ToolFailed    Kind = "tool-failed"
	PreCompact    Kind = "pre-compact"
	PostCompact   Kind = "post-compact"
	Said          Kind = "said"
	TurnEnd       Kind = "turn-end"
	SessionEnd    Kind = "session-end"
	Other         Kind = "other"
)

// What a SessionStart comes from.
const (
	StartNew     = "startup"
	StartResume  = "resume"
	StartClear   = "clear"
	StartCompact = "compact" // the same session goes on after a compaction
	StartFork    = "fork"
)

// Answer is what to put before the model; empty means nothing.
type Answer struct {
	Context string
	Refuse  string // why a tool must not be used now; only who asked for that gets it
}

// inSubagent reports whether the event belongs to a subagent. What is meant for
// the whole session is not for those.
func (e Event) inSubagent() bool { return e.SubagentID != "" || e.SubagentType != "" }
