package session

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"codememory"
)

// The limits that keep the automatic part of a record small.
const (
	maxTurns   = 10
	goalChars  = 240
	askedChars = 300
	doneChars  = 400
	failChars  = 300
	openChars  = 300
)

// noText stands for a prompt without words, such as a picture.
const noText = "(no text)"

// ObserveOptions say how a turn is looked at.
type ObserveOptions struct {
	Root   string                // the project's folder, which paths become relative to; empty: the turn's
	Redact func(s string) string // nil: the turn is redacted already
}

// Observe adds what a closed turn shows to the record: what was asked and done,
// which files it touched and what it left open. What the model stated stays. It
// reports whether the record changed; a turn that is still open, or that the
// record knows, changes nothing, so that a replay is harmless.
func (r *Record) Observe(t codememory.Turn, o ObserveOptions) bool {
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if t.State == codememory.TurnOpen || !r.isNews(t) {
		return t.State != codememory.TurnOpen && r.renew(t, o)
	}
	at := t.EndedAt
	if at.IsZero() {
		at = t.StartedAt
	}
	if r.StartedAt.IsZero() || t.StartedAt.Before(r.StartedAt) && !t.StartedAt.IsZero() {
		r.StartedAt = t.StartedAt
	}
	r.reopen(t)
	r.begin(t.Session, t.Agent, at)
	if r.Parent == "" {
		r.Parent = t.Parent
	}
	if r.Trigger == "" || r.Trigger == TriggerAuto || r.Trigger == TriggerCompaction {
		r.Trigger = TriggerAuto
		if t.Kind == codememory.CompactionTurn {
			r.Trigger = TriggerCompaction
		}
	}
	r.observeFiles(t, o.Root)
	if t.Kind == codememory.CompactionTurn {
		return true // its summary repeats turns that are noted
	}
	note := noteOf(t, o.Redact)
	if r.Goal == "" && t.Kind == codememory.PromptTurn && note.Asked != noText {
		r.Goal = gist(o.Redact(t.Prompt), goalChars)
	}
	r.Turns = append(r.Turns, note)
	slices.SortStableFunc(r.Turns, func(a, b TurnNote) int { return a.At.Compare(b.At) })
	r.Turns = r.Turns[max(0, len(r.Turns)-maxTurns):]
	return true
}

// renew replaces the note of a turn that changed after it was noted, as when
// the answer came only with a second try.
func (r *Record) renew(t codememory.Turn, o ObserveOptions) bool {
	note := noteOf(t, o.Redact)
	at := slices.IndexFunc(r.Turns, func(n TurnNote) bool { return n.ID != "" && n.ID == note.ID })
	if at < 0 || t.Kind == codememory.CompactionTurn {
		return false
	}
	old := r.Turns[at]
	if old.Asked == note.Asked && old.Done == note.Done && old.Failed == note.Failed && old.Open == note.Open {
		return false
	}
	note.At = old.At
	r.Turns[at] = note
	r.observeFiles(t, o.Root)
	return true
}

// isNews reports whether the record does not hold the turn yet. Of the turns
// that are no longer noted, only their age is known.
func (r *Record) isNews(t codememory.Turn) bool {
	for _, n := range r.Turns {
		if n.ID != "" && n.ID == cleanTurnID(t.ID) {
			return false
		}
	}
	if t.Kind == codememory.CompactionTurn { // leaves no note to be known by
		return t.StartedAt.After(r.ActiveAt())
	}
	return len(r.Turns) < maxTurns || t.StartedAt.After(r.Turns[0].At)
}

// reopen lets a session that was over go on with a turn that began afterwards.
func (r *Record) reopen(t codememory.Turn) {
	over := r.EndedAt
	if over.IsZero() {
		over = r.UpdatedAt
	}
	if (r.Status == StatusClosed || r.Status == StatusFrozen) && t.StartedAt.Truncate(time.Second).After(over) { // files have whole seconds
		r.setStatus(StatusOpen, t.StartedAt)
		if r.Trigger == TriggerEnd {
			r.Trigger = TriggerAuto
		}
	}
}

func (r *Record) observeFiles(t codememory.Turn, root string) {
	if root == "" {
		root = t.Dir
	}
	for _, s := range t.Steps {
		if s.Tool == nil || s.Tool.Error != "" {
			continue
		}
		for _, c := range s.Tool.Changed {
			c.Path = relativeTo(root, c.Path)
			if c.Path == "" {
				continue
			}
			if r.FilesFromGit {
				r.Files, r.FilesFromGit = nil, false // what the tools say is about this session alone
			}
			r.touch(c)
		}
	}
}

func noteOf(t codememory.Turn, redact func(string) string) TurnNote {
	n := TurnNote{ID: cleanTurnID(t.ID), At: t.StartedAt, Asked: gist(redact(t.Prompt), askedChars), Done: gist(redact(t.Answer()), doneChars)}
	if t.Kind == codememory.ShellTurn {
		n.Asked = cut("ran "+oneLine(redact(t.Prompt)), askedChars)
	}
	if n.Asked == "" {
		n.Asked = noText
	}
	n.Failed = cut(oneLine(redact(strings.Join(failedCommands(t), "; "))), failChars)
	var open []string
	switch t.State {
	case codememory.TurnAborted:
		open = append(open, "the user stopped it before it was done")
	case codememory.TurnFailed:
		open = append(open, "it failed: "+cut(oneLine(redact(t.Error)), 160))
	case codememory.TurnOpen, codememory.TurnDone:
	}
	for _, todo := range openTodos(t) {
		open = append(open, oneLine(redact(todo)))
	}
	n.Open = cut(strings.Join(open, "; "), openChars)
	return n
}

// openTodos returns what is unfinished on the list that the agent last wrote
// with its own tool for that.
func openTodos(t codememory.Turn) []string {
	for _, s := range slices.Backward(t.Steps) {
		if s.Tool == nil || !strings.Contains(strings.ToLower(s.Tool.Name), "todo") {
			continue
		}
		var list struct {
			Todos []struct{ Content, Status string }
		}
		if json.Unmarshal(s.Tool.Input, &list) != nil || list.Todos == nil {
			continue
		}
		var open []string
		for _, todo := range list.Todos {
			if todo.Content != "" && todo.Status != "completed" && todo.Status != "cancelled" {
				open = append(open, todo.Content)
			}
		}
		return open
	}
	return nil
}
