package capture

import (
	"context"
	"time"

	"codememory"
	"codememory/internal/history"
	"codememory/internal/journal"
)

// writer writes the turns of one session.
type writer struct {
	*Capturer
	place Place
	sess  codememory.AgentSession
	known map[string]history.Known
	// earlier are the turns before the one to write.
	earlier []codememory.Turn
}

// write captures a closed turn: journal first, synced, then what is made of it,
// then the row and the index. Done twice it changes nothing: the journal knows
// the turn by its anchor, the row is replaced by itself.
func (w *writer) write(ctx context.Context, t codememory.Turn, since time.Time, rep *Report) error {
	if t.StartedAt.Before(since) || t.Parent != "" {
		rep.Indexed++
		return w.opts.History.Put(ctx, w.place.Project.ID, t, "")
	}
	if file, twin, err := w.opts.History.Twin(ctx, w.place.Project.ID, t); err != nil {
		return err
	} else if twin { // a fork repeats what its origin already wrote
		rep.Indexed++
		return w.opts.History.Put(ctx, w.place.Project.ID, t, file)
	}
	j := journal.Open(w.place.Store, w.opts.Location)
	if old, seen := w.known[t.ID]; seen && old.Journal != "" {
		// It changed after it was written, as after an overflow when the
		// answer comes only with the second try.
		if _, err := j.Remove(t.Session, t.ID, t.StartedAt); err != nil {
			return err
		}
	}
	w.opts.Step("journal")
	file, _, err := j.Add(journal.Entry{
		Agent: t.Agent, Session: t.Session, Turn: t.ID, Hash: t.Hash(), Title: w.opts.Redact(w.sess.Title), At: t.StartedAt, Bullets: journal.Bullets(t),
	})
	if err != nil {
		return err
	}
	// With its row the turn is known and not looked at again, so what is made
	// of it comes before, and is made again rather than never.
	w.opts.Step("done")
	earlier := make([]codememory.Turn, len(w.earlier))
	for i, e := range w.earlier {
		earlier[i] = w.redacted(e)
	}
	w.opts.Done(ctx, Captured{Turn: t, Place: w.place, Journal: file, Earlier: earlier})
	w.opts.Step("row")
	if err := w.opts.History.Put(ctx, w.place.Project.ID, t, file); err != nil {
		return err
	}
	rep.Turns++
	return nil
}

// retract takes out turns that the user undid.
func (w *writer) retract(ctx context.Context, left []codememory.Turn, present map[string]bool, rep *Report) error {
	var gone []string
	j := journal.Open(w.place.Store, w.opts.Location)
	for id, k := range w.known {
		if present[id] {
			continue
		}
		gone = append(gone, id)
		if k.Journal != "" {
			if _, err := j.Remove(w.sess.ID, id, k.Started); err != nil {
				return err
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	rep.Undone += len(gone)
	w.opts.Undone(ctx, Undone{Place: w.place, Agent: w.sess.Agent, Session: w.sess.ID, Turns: gone, Left: left})
	return w.opts.History.Remove(ctx, w.sess.Agent, w.sess.ID, gone)
}
