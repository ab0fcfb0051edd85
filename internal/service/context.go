package service

import (
	"context"
	"slices"

	"codememory"
	"codememory/internal/render"
	"codememory/internal/store"
)

// Context implements codememory.Service.
func (s *Service) Context(ctx context.Context, r codememory.ContextRequest) (codememory.ContextAnswer, error) {
	ans := codememory.ContextAnswer{Memories: []codememory.Hit{}}
	p, err := s.find(ctx, r.Project)
	if err != nil {
		return ans, err
	}
	c := s.configFor(p)
	if c.Disable {
		ans.Reasons = append(ans.Reasons, "CodeMemory is switched off here")
		return ans, nil
	}
	parts := r.Parts
	if len(parts) == 0 {
		parts = []codememory.Part{codememory.StablePart, codememory.HUDPart}
	}
	told := s.given.before(r, s.opts.Now())
	now := told
	if budget := orDefault(r.StableTokens, c.Context.StableTokens); budget > 0 && slices.Contains(parts, codememory.StablePart) && (told.stable == "" || len(parts) == 1) {
		if now, err = s.stable(ctx, p, r, told, budget, &ans); err != nil {
			return ans, err
		}
	}
	if budget := orDefault(r.HUDTokens, c.Context.HUDTokens); budget > 0 && slices.Contains(parts, codememory.HUDPart) {
		if err := s.hud(ctx, p, r, now, budget, &ans); err != nil {
			return ans, err
		}
	}
	if ctx.Err() == nil && !r.Preview { // else nobody is there to hear it
		s.given.note(r, now.withHits(ans.Memories))
		s.noteInjection(p, r, ans)
	}
	return ans, nil
}

// stable fills in what holds for the whole session, and returns what the
// session was told with it.
func (s *Service) stable(ctx context.Context, p codememory.Project, r codememory.ContextRequest, told conversation, budget int, ans *codememory.ContextAnswer) (conversation, error) {
	session := p.ID + " " + r.Agent + " " + r.Session
	if kept, ok := s.blocks.get(session); ok && r.Again && r.Session != "" {
		ans.Stable, ans.StableTokens = kept.text, kept.tokens
		return told, nil
	}
	s.describe(ctx, p)
	ms, err := s.lasting(ctx, p)
	if err != nil {
		return told, err
	}
	if ms, err = s.withRecentSessions(ctx, p, ms, r.Session); err != nil {
		return told, err
	}
	var lines []codememory.StableLine
	ans.Stable, ans.StableTokens, lines = render.StableLines(render.StableInput{Memories: ms, Budget: budget})
	if r.Preview {
		ans.StableLines = lines
		return told, nil
	}
	if r.Session != "" {
		s.blocks.put(session, block{ans.Stable, ans.StableTokens})
	}
	if givenKey(r) == "" {
		return told, nil
	}
	lasting := told.lastingPart(r.Session, ms, budget)
	if lasting == told.stable {
		ans.Stable, ans.StableTokens = "", 0
	}
	return told.withBlock(lasting, render.Shown(ans.Stable, ms)), nil
}

func orDefault(given, standard int) int {
	if given > 0 {
		return given
	}
	return standard
}

// hud fills in what matters for this very call, less what the session was told.
func (s *Service) hud(ctx context.Context, p codememory.Project, r codememory.ContextRequest, told conversation, budget int, ans *codememory.ContextAnswer) error {
	c := s.configFor(p)
	visible, err := s.resolveAll(ctx, p, r.Visible)
	if err != nil {
		return err
	}
	pinned, err := s.pinnedHits(ctx, p, r.Pinned)
	if err != nil {
		return err
	}
	pinned = without(pinned, s.unwanted(ctx, r.Goal, pinned))
	s.markHits([]codememory.Project{p}, pinned)
	more, expanded := s.expand(ctx, p, r, pinned)
	if expanded {
		pinned = keepsPinned(pinned, more.Keep)
	}
	in := render.HUDInput{Pinned: pinned, Usage: r.Usage, UsageAlone: r.Usage != "", Budget: budget, Max: c.Retrieve.MaxMemories}
	if c.Context.RecentActions {
		in.Actions = r.Actions
	}
	if q := question(r.Goal, r.Actions); q != "" {
		found, err := s.gather(ctx, gathering{
			project: r.Project, question: q, also: more.Queries, entities: more.Entities, visible: append(visible, told.ids...), explain: true,
			preview: r.Preview, prompt: r.Goal,
		})
		if err != nil {
			return err
		}
		in.Hits = slices.DeleteFunc(found.Hits, func(h codememory.Hit) bool { return told.holds(r.Session, h.Memory) })
		ans.Degraded, ans.Reasons = found.Degraded, append(ans.Reasons, found.Reasons...)
	}
	ans.HUD, ans.HUDTokens, ans.Memories = render.HUD(in)
	if ans.Memories == nil {
		ans.Memories = []codememory.Hit{}
	}
	return nil
}

// perType bounds how many memories of a type the stable block chooses from.
const perType = 40

// lasting returns the memories that the stable block is made of.
func (s *Service) lasting(ctx context.Context, p codememory.Project) ([]codememory.Memory, error) {
	var all []codememory.Memory
	err := s.inBoth(ctx, p, func(st *store.Store) error {
		for _, t := range codememory.Types {
			if t == codememory.Conversation {
				continue
			}
			ms, err := st.Newest(ctx, codememory.Filter{Types: []codememory.Type{t}}, perType)
			if err != nil {
				return err
			}
			all = append(all, ms...)
		}
		return nil
	})
	return all, err
}
