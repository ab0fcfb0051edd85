package capture

import (
	"context"
	"time"

	"codememory"
)

// BackfillRequest asks for older sessions to be imported.
type BackfillRequest struct {
	Agent  string    `json:"agent,omitempty"` // empty: all
	Dir    string    `json:"dir,omitempty"`   // sessions in this folder; empty: everywhere
	Since  time.Time `json:"since,omitzero"`
	DryRun bool      `json:"dry_run,omitempty"`
}

// Backfill captures sessions that are older than the installation. Interrupted,
// it can be asked for again: what is done is not done twice.
func (c *Capturer) Backfill(ctx context.Context, r BackfillRequest, progress func(done, total int)) (Report, error) {
	var total Report
	for _, src := range c.opts.Sources {
		if r.Agent != "" && r.Agent != src.Agent() {
			continue
		}
		ss, err := src.Sessions(ctx, codememory.SessionQuery{Dir: r.Dir, Since: r.Since, Children: true})
		if codememory.CodeOf(err) == codememory.NotFound {
			continue
		}
		if err != nil {
			return total, err
		}
		for i := len(ss) - 1; i >= 0; i-- { // oldest first, as it happened
			progress(len(ss)-1-i, len(ss))
			rep, err := c.backfillOne(ctx, src, ss[i], r)
			total.add(rep)
			if ctx.Err() != nil {
				return total, ctx.Err()
			}
			if err != nil {
				total.Failed++
				c.opts.Log.Warn("session not imported", "agent", src.Agent(), "session", ss[i].ID, "err", err)
			}
		}
		progress(len(ss), len(ss))
	}
	return total, nil
}

func (c *Capturer) backfillOne(ctx context.Context, src codememory.Transcripts, s codememory.AgentSession, r BackfillRequest) (Report, error) {
	if !r.DryRun {
		rep, _, err := c.session(ctx, src, s.ID, r.Since)
		return rep, err
	}
	rep := Report{Sessions: 1}
	known, err := c.opts.History.Known(ctx, src.Agent(), s.ID)
	if err != nil {
		return rep, err
	}
	turns, err := src.Turns(ctx, s.ID, 1)
	for _, t := range turns {
		switch {
		case t.State == codememory.TurnOpen, known[t.ID].Journal != "", t.StartedAt.Before(r.Since):
		case t.Parent != "":
			rep.Indexed++
		default:
			rep.Turns++
		}
	}
	return rep, err
}

// Index puts all turns of all agents into the search index, without the
// journal. It can be interrupted and asked for again.
func (c *Capturer) Index(ctx context.Context, progress func(done, total int)) (Report, error) {
	var total Report
	for _, src := range c.opts.Sources {
		ss, err := src.Sessions(ctx, codememory.SessionQuery{Children: true})
		if codememory.CodeOf(err) == codememory.NotFound {
			continue
		}
		if err != nil {
			return total, err
		}
		for i, s := range ss { // newest first: they are asked for most
			progress(i, len(ss))
			n, err := c.indexOne(ctx, src, s)
			if ctx.Err() != nil {
				return total, ctx.Err()
			}
			if err != nil {
				total.Failed++
				c.opts.Log.Warn("session not indexed", "agent", src.Agent(), "session", s.ID, "err", err)
			}
			total.Sessions++
			total.Indexed += n
		}
		progress(len(ss), len(ss))
	}
	return total, nil
}

func (c *Capturer) indexOne(ctx context.Context, src codememory.Transcripts, s codememory.AgentSession) (int, error) {
	known, err := c.opts.History.Known(ctx, src.Agent(), s.ID)
	if err != nil {
		return 0, err
	}
	place, err := c.opts.Place(ctx, s.Dir)
	if err != nil {
		return 0, err
	}
	turns, err := src.Turns(ctx, s.ID, readOutput)
	if err != nil {
		return 0, err
	}
	var fresh []codememory.Turn
	for _, t := range turns {
		if _, seen := known[t.ID]; !seen && t.State != codememory.TurnOpen && !place.skips(t) {
			fresh = append(fresh, c.redacted(t))
		}
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	return len(fresh), c.opts.History.PutAll(ctx, place.Project.ID, fresh)
}
