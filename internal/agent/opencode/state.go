package opencode

import (
	"cmp"
	"strings"
	"time"

	"codememory"
)

// settle is how long to wait before an end that OpenCode may go on from, by a
// setting of the user, counts as one.
const settle = 3 * time.Second

// Reasons for turns that have no error of their own.
const (
	errKilled    = "no end was recorded: OpenCode stopped in the middle"
	errNoAnswer  = "the agent did not answer"
	errRejected  = "the user did not permit a tool"
	errLeftOpen  = "interrupted"
	rejectedText = "The user rejected permission to use this specific tool call."
)

// conclude says whether the turn is over, by OpenCode's own rule: the last step
// has a reason to finish that is not tool calls, and left no tool call whose
// result the model has yet to see.
func (b *builder) conclude(d *draft, t *codememory.Turn) {
	t.State, t.Error = b.state(d)
	if t.State == codememory.TurnOpen {
		return
	}
	t.EndedAt = instant(d.updated)
	if n := len(d.steps); n > 0 && d.steps[n-1].completed != 0 {
		t.EndedAt = instant(d.steps[n-1].completed)
	}
	for i := range t.Steps {
		if call := t.Steps[i].Tool; call != nil && call.Running {
			call.Running = false
			if call.Error == "" {
				call.Error = errLeftOpen
			}
		}
	}
}

func (b *builder) state(d *draft) (codememory.TurnState, string) {
	if len(d.steps) == 0 {
		if d.next != nil || b.isQuiet(d) {
			return codememory.TurnAborted, errNoAnswer
		}
		return codememory.TurnOpen, ""
	}
	last := d.steps[len(d.steps)-1]
	switch {
	case last.outcome == "interrupted" || aborted(last.failure):
		return codememory.TurnAborted, cmp.Or(last.failure.message, errLeftOpen)
	case last.outcome == "failed" || last.failure.name != "":
		return codememory.TurnFailed, cmp.Or(last.failure.message, "failed")
	case last.outcome == "succeeded", b.finished(d, last):
		return codememory.TurnDone, ""
	case last.rejected() && last.completed != 0 && (d.next != nil || b.changedBefore(d, settle)):
		return codememory.TurnAborted, errRejected
	case d.next != nil && last.completed != 0 && d.nextAt <= last.completed:
		// The user sent the next message while the agent worked: the agent
		// went on with both.
		return codememory.TurnDone, ""
	case d.next != nil || b.isQuiet(d):
		return codememory.TurnAborted, errKilled
	}
	return codememory.TurnOpen, ""
}

// finished reports whether the last step is the end of the turn.
func (b *builder) finished(d *draft, last *message) bool {
	if d.kind == codememory.ShellTurn {
		return last.completed != 0
	}
	switch last.finish {
	case "", "tool-calls":
		return false
	case "unknown":
		// Releases differ in whether they go on from here.
		return !last.awaitsModel() && (d.next != nil || b.changedBefore(d, settle))
	}
	return !last.awaitsModel()
}

// awaitsModel reports whether the step has results of tools that go back to the
// model, whatever the provider gave as its reason to finish.
func (m *message) awaitsModel() bool {
	for i := range m.parts {
		t := m.parts[i].tool
		if t != nil && !t.provider && (t.status != "error" || !t.meta.Interrupted) {
			return true
		}
	}
	return false
}

// rejected reports whether the user refused to let a tool run, which ends the
// turn.
func (m *message) rejected() bool {
	for i := range m.parts {
		if t := m.parts[i].tool; t != nil && t.status == "error" && strings.TrimSpace(t.err) == rejectedText {
			return true
		}
	}
	return false
}

func aborted(f failure) bool {
	name := strings.ToLower(f.name)
	return f.name == "MessageAbortedError" || name == "aborted" || name == "interrupted"
}

// isQuiet reports whether nothing of the turn changed for so long that its
// process must have gone. The work of a subagent counts as change.
func (b *builder) isQuiet(d *draft) bool {
	if !b.changedBefore(d, b.quiet) {
		return false
	}
	for _, m := range d.steps {
		for i := range m.parts {
			t := m.parts[i].tool
			if t != nil && t.running() && t.meta.SessionID != "" && b.now.Sub(instant(b.activity(t.meta.SessionID))) < b.quiet {
				return false
			}
		}
	}
	return true
}

func (b *builder) changedBefore(d *draft, ago time.Duration) bool {
	return b.now.Sub(instant(d.updated)) >= ago
}
