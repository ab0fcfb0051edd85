package jsonl

import (
	"slices"
	"strings"
	"time"

	"codememory"
)

// Log is what has been read of a transcript so far.
type Log struct {
	Session codememory.AgentSession
	Turns   []*Draft
	// Undone tells, when not nil, which turns the user took back.
	Undone func(*Draft) bool
}

// Draft is a turn in the making.
type Draft struct {
	Turn codememory.Turn // its State is empty until the agent recorded an end
	// Outputs has the full size of the output of each tool, by step.
	Outputs map[int]int
	// Touched is when anything of it last changed.
	Touched time.Time
	// Finished says that the turn looks like it is over, for agents that do not
	// always record it.
	Finished bool
	// Tentative turns are left out until the agent said or did something.
	Tentative bool
	// Hidden turns are left out.
	Hidden bool
}

// Open adds a turn.
func (l *Log) Open(kind codememory.TurnKind, id, prompt string, at time.Time) *Draft {
	d := &Draft{Turn: codememory.Turn{ID: id, Kind: kind, Prompt: Valid(prompt), StartedAt: at}, Outputs: map[int]int{}}
	l.Turns = append(l.Turns, d)
	d.Touch(at)
	return d
}

// Compacted adds the turn of a compaction, which interrupts another but does
// not end it. Without a summary there is nothing to tell.
func (l *Log) Compacted(id, reason, summary string, at time.Time) {
	if summary = strings.TrimSpace(Valid(summary)); summary == "" {
		return
	}
	d := l.Open(codememory.CompactionTurn, id, reason, at)
	d.Say(id, summary, at)
	d.End(codememory.TurnDone, "", at)
}

// See notes a time of the transcript.
func (l *Log) See(at time.Time) {
	if at.IsZero() {
		return
	}
	if l.Session.CreatedAt.IsZero() || at.Before(l.Session.CreatedAt) {
		l.Session.CreatedAt = at
	}
	if at.After(l.Session.ActiveAt) {
		l.Session.ActiveAt = at
	}
}

// Touch notes that something of the turn changed.
func (d *Draft) Touch(at time.Time) {
	if at.After(d.Touched) {
		d.Touched = at
	}
}

// Say adds something the agent said.
func (d *Draft) Say(message, text string, at time.Time) {
	d.Touch(at)
	if text = strings.TrimSpace(Valid(text)); text != "" {
		d.Turn.Steps = append(d.Turn.Steps, codememory.Step{At: d.at(at), Message: message, Text: text})
	}
}

// Use adds a tool that the agent uses, and returns it for its outcome.
func (d *Draft) Use(message string, call codememory.ToolCall, at time.Time) *Use {
	d.Touch(at)
	d.Turn.Steps = append(d.Turn.Steps, codememory.Step{At: d.at(at), Message: message, Tool: &call})
	return &Use{Call: &call, draft: d, step: len(d.Turn.Steps) - 1}
}

// at is when a step was, for rows without a time.
func (d *Draft) at(at time.Time) time.Time {
	if at.IsZero() {
		return d.Touched
	}
	return at
}

// End notes what the agent recorded as the end of the turn.
func (d *Draft) End(state codememory.TurnState, reason string, at time.Time) {
	d.Touch(at)
	d.Turn.State, d.Turn.Error, d.Turn.EndedAt = state, Valid(reason), d.at(at)
}

// Reopen takes an end back: the agent went on.
func (d *Draft) Reopen() {
	d.Turn.State, d.Turn.Error, d.Turn.EndedAt, d.Finished = "", "", time.Time{}, false
}

// Use is the use of a tool whose outcome may come later.
type Use struct {
	Call  *codememory.ToolCall
	draft *Draft
	step  int
}

// Output sets what the tool gave, of which keep bytes are kept, 0 means all.
func (u *Use) Output(text string, keep int, at time.Time) {
	text = Valid(text)
	size := len(text)
	if keep > 0 && size > keep {
		text = Head(text, keep)
	}
	u.OutputOf(text, size, at)
}

// OutputOf sets what was kept of an output that had size bytes in all.
func (u *Use) OutputOf(text string, size int, at time.Time) {
	u.draft.Touch(at)
	u.Call.Running = false
	u.Call.Output, u.draft.Outputs[u.step] = text, size
}

// Draft returns the turn that the use is part of.
func (u *Use) Draft() *Draft { return u.draft }

// Reasons for turns that have no error of their own.
const (
	errKilled   = "no end was recorded: the agent stopped in the middle"
	errNoAnswer = "the agent did not answer"
	errLeftOpen = "interrupted"
)

// clock is what the end of a turn depends on besides the records.
type clock struct {
	now           time.Time
	quiet, settle time.Duration
	children      time.Time // when a subagent last did something
	heard         ends
}

// snapshot returns the turns as they stand, as copies.
func (l *Log) snapshot(c clock, maxOutput int) []codememory.Turn {
	turns := make([]codememory.Turn, 0, len(l.Turns))
	for i, d := range l.Turns {
		if d.absent() || l.Undone != nil && l.Undone(d) {
			continue
		}
		t := d.copy(maxOutput)
		t.Agent, t.Session, t.Parent, t.Dir = l.Session.Agent, l.Session.ID, l.Session.Parent, l.Session.Dir
		t.Index = len(turns) + 1
		if t.StartedAt.IsZero() {
			t.StartedAt = l.Session.CreatedAt
		}
		d.conclude(&t, l.followed(i), c)
		turns = append(turns, t)
	}
	return turns
}

// followed reports whether the agent went on with another turn after this one.
func (l *Log) followed(i int) bool {
	return slices.ContainsFunc(l.Turns[i+1:], func(d *Draft) bool {
		return d.Turn.Kind != codememory.CompactionTurn && !d.absent()
	})
}

// absent reports whether the turn is not to be told.
func (d *Draft) absent() bool { return d.Hidden || d.Tentative && len(d.Turn.Steps) == 0 }

func (d *Draft) copy(maxOutput int) codememory.Turn {
	t := d.Turn
	t.Steps = make([]codememory.Step, len(d.Turn.Steps))
	copy(t.Steps, d.Turn.Steps)
	for i := range t.Steps {
		if t.Steps[i].Tool == nil {
			continue
		}
		call := *t.Steps[i].Tool
		call.Changed = slices.Clone(call.Changed)
		call.Output = Cut(call.Output, d.Outputs[i], maxOutput)
		t.Steps[i].Tool = &call
	}
	return t
}

// conclude says whether the turn is over.
func (d *Draft) conclude(t *codememory.Turn, followed bool, c clock) {
	if t.State == "" {
		t.State, t.Error = d.state(followed, c)
	}
	if t.State == codememory.TurnOpen {
		return
	}
	if t.EndedAt.IsZero() {
		t.EndedAt = d.Touched
	}
	if t.EndedAt.Before(t.StartedAt) {
		t.EndedAt = t.StartedAt
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

func (d *Draft) state(followed bool, c clock) (codememory.TurnState, string) {
	idle := c.now.Sub(d.Touched)
	if c.children.After(d.Touched) {
		idle = min(idle, c.now.Sub(c.children))
	}
	switch {
	case d.Finished && (followed || idle >= c.settle || c.heard.turn(d.Touched)):
		return codememory.TurnDone, ""
	case !followed && idle < c.quiet && !c.heard.session(d.Touched):
		return codememory.TurnOpen, ""
	case len(d.Turn.Steps) == 0:
		return codememory.TurnAborted, errNoAnswer
	}
	return codememory.TurnAborted, errKilled
}
