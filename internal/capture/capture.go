// Package capture follows the agents' transcripts: every turn that is over gets
// its entry in the journal and its place in the history index, once. It reads
// the transcripts and never writes to them; killed at any point, the next pass
// continues without loss or duplicate.
package capture

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"codememory"
	"codememory/internal/git"
	"codememory/internal/history"
	"codememory/internal/journal"
)

// Place is where the turns of a session belong.
type Place struct {
	Project codememory.Project
	Store   string // folder of the project's store
	Enabled bool   // false: capture is switched off there
	// Paused reports whether capture was paused at some time between from and
	// until; nil: it never was.
	Paused func(from, until time.Time) bool
}

// skips reports whether a turn is not wanted because of a pause.
func (p Place) skips(t codememory.Turn) bool {
	return p.Paused != nil && p.Paused(t.StartedAt, t.EndedAt)
}

// Captured is a turn that has just been captured.
type Captured struct {
	Turn    codememory.Turn // redacted
	Place   Place
	Journal string // file of its entry, relative to the store
	// Earlier are the turns before it in the session, oldest first, redacted
	// too; of a long session only the last few.
	Earlier []codememory.Turn
}

// Undone are turns of a session that were captured and that the user took back.
type Undone struct {
	Place          Place
	Agent, Session string
	Turns          []string          // their ids
	Left           []codememory.Turn // what the session still has
}

// Options say what capture works with.
type Options struct {
	History *history.DB
	Sources []codememory.Transcripts
	// Place tells where the turns of a session in this folder belong.
	Place    func(ctx context.Context, dir string) (Place, error)
	Redact   func(string) string
	Location *time.Location // of the journal's days
	// Done is told about every captured turn, and again about one that was not
	// yet noted as captured when the process ended. A failure of it is its own
	// affair.
	Done func(ctx context.Context, c Captured)
	// Undone is told about turns that were captured and then undone by the user.
	Undone func(ctx context.Context, u Undone)
	// Left is told about sessions that the agent left, once all their turns
	// are captured. They may go on later.
	Left func(ctx context.Context, place Place, agent, session string)
	Log  *slog.Logger
	Now  func() time.Time
	// Step is called before each step of writing a turn, for tests that end
	// the process there.
	Step func(name string)
}

// Capturer captures the turns of all agents. Its passes run one at a time.
type Capturer struct {
	opts Options
	wake chan struct{}

	mu    sync.Mutex
	heard map[sessionKey]word
}

// New returns a capturer.
func New(o Options) *Capturer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Done == nil {
		o.Done = func(context.Context, Captured) {}
	}
	if o.Undone == nil {
		o.Undone = func(context.Context, Undone) {}
	}
	if o.Left == nil {
		o.Left = func(context.Context, Place, string, string) {}
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	return &Capturer{opts: o, wake: make(chan struct{}, 1), heard: map[sessionKey]word{}}
}

// Report counts what a pass did.
type Report struct {
	Sessions int `json:"sessions"`
	Turns    int `json:"turns"`     // captured: in the journal
	Indexed  int `json:"indexed"`   // in the index only
	Undone   int `json:"retracted"` // taken out again
	Failed   int `json:"failed"`    // sessions that could not be read
}

func (r *Report) add(o Report) {
	r.Sessions += o.Sessions
	r.Turns += o.Turns
	r.Indexed += o.Indexed
	r.Undone += o.Undone
	r.Failed += o.Failed
}

// Pass looks at every session that changed since the last pass.
func (c *Capturer) Pass(ctx context.Context) (Report, error) {
	var total Report
	var errs []error
	for _, src := range c.opts.Sources {
		rep, err := c.passOf(ctx, src)
		total.add(rep)
		switch codememory.CodeOf(err) {
		case codememory.NotFound: // the agent is not used here
		default:
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", src.Agent(), err))
			}
		}
	}
	return total, errors.Join(errs...)
}

func (c *Capturer) passOf(ctx context.Context, src codememory.Transcripts) (Report, error) {
	var rep Report
	since, err := c.opts.History.Since(ctx, c.opts.Now())
	if err != nil {
		return rep, err
	}
	mark, err := c.opts.History.Meta(ctx, "mark:"+src.Agent())
	if err != nil {
		return rep, err
	}
	changed, deleted, next, err := src.Changed(ctx, mark)
	if err != nil {
		return rep, err
	}
	if mark == "" {
		// The first time everything has changed; what is older than the
		// installation is left alone.
		if changed, err = recent(ctx, src, since); err != nil {
			return rep, err
		}
	}
	later, err := c.loadPending(ctx, src.Agent())
	if err != nil {
		return rep, err
	}
	for _, id := range c.told(src.Agent(), later.due(c.opts.Now(), changed)) {
		r, again, err := c.session(ctx, src, id, since)
		rep.add(r)
		later.note(id, again, err, c.opts.Now())
		if err != nil {
			if ctx.Err() != nil {
				return rep, ctx.Err()
			}
			rep.Failed++
			c.opts.Log.Warn("session not captured, trying again later", "agent", src.Agent(), "session", id, "err", err)
		}
	}
	for _, id := range deleted {
		if err := c.opts.History.Remove(ctx, src.Agent(), id, nil); err != nil {
			return rep, err
		}
	}
	if err := c.savePending(ctx, src.Agent(), later); err != nil {
		return rep, err
	}
	if next == mark {
		return rep, nil
	}
	c.opts.Step("mark")
	return rep, c.opts.History.SetMeta(ctx, "mark:"+src.Agent(), next)
}

func recent(ctx context.Context, src codememory.Transcripts, since time.Time) ([]string, error) {
	ss, err := src.Sessions(ctx, codememory.SessionQuery{Since: since, Children: true})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(ss))
	for i, s := range ss {
		ids[i] = s.ID
	}
	return ids, nil
}

// readOutput is how much of a tool's output is looked at: enough for its
// outcome and for the index.
const readOutput = 4 << 10

// lookBack is how many turns before a captured one Done gets to see.
const lookBack = 8

// session brings the journal and the index up to date with one session. again
// reports that a turn of it is still open.
func (c *Capturer) session(ctx context.Context, src codememory.Transcripts, id string, since time.Time) (rep Report, again bool, err error) {
	sess, err := src.Session(ctx, id)
	if codememory.CodeOf(err) == codememory.NotFound {
		return rep, false, c.opts.History.Remove(ctx, src.Agent(), id, nil)
	}
	if err != nil {
		return rep, false, err
	}
	place, err := c.opts.Place(ctx, sess.Dir)
	if err != nil {
		return rep, false, err
	}
	if !place.Enabled {
		return rep, false, nil
	}
	said := c.word(src.Agent(), id)
	turns, err := src.Turns(ctx, id, readOutput)
	if err != nil {
		return rep, false, err
	}
	known, err := c.opts.History.Known(ctx, src.Agent(), id)
	if err != nil {
		return rep, false, err
	}
	rep.Sessions = 1
	w := writer{Capturer: c, place: place, sess: sess, known: known}
	present := map[string]bool{}
	var files []codememory.FileChange
	for i, t := range turns {
		present[t.ID] = true
		if t.State == codememory.TurnOpen {
			again = true
			continue
		}
		if place.skips(t) {
			continue
		}
		if old, seen := known[t.ID]; seen && old.Hash == c.redacted(t).Hash() && (old.Journal != "" || t.Parent != "" || t.StartedAt.Before(since)) {
			continue
		}
		w.earlier = turns[max(0, i-lookBack):i]
		if err := w.write(ctx, c.redacted(t), since, &rep); err != nil {
			return rep, again, err
		}
		files = append(files, journal.NetChanges(t)...)
	}
	if err := w.retract(ctx, turns, present, &rep); err != nil {
		return rep, again, err
	}
	if rep.Turns > 0 {
		err = c.recordSession(ctx, place, sess, files)
	}
	if !again {
		c.settled(src.Agent(), id, said)
		if said.over {
			c.opts.Left(ctx, place, src.Agent(), id)
		}
	}
	return rep, again, err
}

func (c *Capturer) redacted(t codememory.Turn) codememory.Turn { return Redacted(t, c.opts.Redact) }

// recordSession notes files and git state with the session.
func (c *Capturer) recordSession(ctx context.Context, p Place, s codememory.AgentSession, files []codememory.FileChange) error {
	head, err := git.Head(ctx, s.Dir)
	if err != nil {
		head = "" // no repository, no commit, or no git: there is nothing to note
	}
	return c.opts.History.PutSession(ctx, history.Session{AgentSession: s, Project: p.Project.ID, GitStart: head, GitEnd: head, Files: files})
}
