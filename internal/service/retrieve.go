package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/project"
	"codememory/internal/store"
)

// Retrieve implements codememory.Service: fresh memories for the question, then
// those of its entities and those linked to fresh ones, then the pinned ones,
// which keep their places whatever else is found.
func (s *Service) Retrieve(ctx context.Context, r codememory.RetrieveRequest) (codememory.RetrieveAnswer, error) {
	if _, err := project.CheckDir(r.ProjectRoot); err != nil {
		return codememory.RetrieveAnswer{}, err
	}
	return s.gather(ctx, gathering{
		project: r.ProjectRoot, question: r.QueryExpansion, entities: r.Entities, pinned: r.PinnedMemoryIDs, vector: r.QueryEmbedding,
	})
}

// gathering asks for the memories of one call of a model.
type gathering struct {
	project  string
	question string
	also     []string // further questions, whose answers count as well
	entities []string
	pinned   []string
	vector   []float32
	visible  []string // ids that the model sees already
	explain  bool
	preview  bool   // only looked at by a person: not counted as shown
	prompt   string // the user's own words, if the question has more than those
}

// perHub bounds what one entity or one link adds, so that a hub that
// everything belongs to does not crowd out the rest.
const perHub = 3

func (s *Service) gather(ctx context.Context, g gathering) (codememory.RetrieveAnswer, error) {
	var none codememory.RetrieveAnswer
	p, err := s.find(ctx, g.project)
	if err != nil {
		return none, err
	}
	caps := s.configFor(p).Retrieve
	pinned, err := s.pinnedHits(ctx, p, g.pinned)
	if err != nil {
		return none, err
	}
	reach := []codememory.Project{p}
	if !isUser(p) {
		reach = append(reach, project.User())
	}
	found, err := s.searchIn(ctx, reach, codememory.SearchRequest{
		Text: g.question, Limit: caps.MaxFresh + len(g.visible) + len(pinned) + s.suppressions.room(), Literal: true, Vector: g.vector, Explain: g.explain,
	})
	if err != nil {
		return none, err
	}
	if err := s.searchAlso(ctx, reach, g, caps.MaxFresh, &found); err != nil {
		return none, err
	}
	ans := codememory.RetrieveAnswer{Degraded: found.Degraded, Reasons: found.Reasons}
	taken := map[string]bool{}
	for _, id := range g.visible {
		taken[id] = true
	}
	for _, h := range pinned {
		taken[h.Memory.ID] = true
	}
	// A caller that pins more than fits still sees something new.
	pinned = pinned[:min(len(pinned), max(caps.MaxMemories-1, 0))]
	room := caps.MaxMemories - len(pinned)
	add := func(hits []codememory.Hit, most int) {
		for _, h := range hits {
			if most > 0 && room > 0 && !taken[h.Memory.ID] {
				taken[h.Memory.ID] = true
				ans.Hits = append(ans.Hits, h)
				most, room = most-1, room-1
			}
		}
	}
	prompt := cmp.Or(g.prompt, g.question)
	add(without(found.Hits, s.unwanted(ctx, prompt, found.Hits)), caps.MaxFresh)
	linked, err := s.linkedHits(ctx, p, ans.Hits)
	if err != nil {
		return none, err
	}
	hubs, err := s.hubHits(ctx, p, g.entities)
	if err != nil {
		return none, err
	}
	drop := s.unwanted(ctx, prompt, hubs, linked, pinned)
	add(without(hubs, drop), perHub*len(g.entities))
	add(without(linked, drop), perHub)
	ans.Hits = append(ans.Hits, without(pinned, drop)...)
	s.markHits(reach, ans.Hits)
	if g.preview {
		return ans, nil
	}
	return ans, s.touchShown(ctx, p, ans.Hits)
}

// searchAlso adds what further questions find. Each is asked by itself: put
// together they would answer none of them well.
func (s *Service) searchAlso(ctx context.Context, reach []codememory.Project, g gathering, most int, found *codememory.SearchAnswer) error {
	for _, q := range g.also {
		more, err := s.searchIn(ctx, reach, codememory.SearchRequest{Text: q, Limit: most, Literal: true, Explain: g.explain})
		if err != nil {
			return err
		}
		for _, h := range more.Hits {
			at := slices.IndexFunc(found.Hits, func(o codememory.Hit) bool { return o.Memory.ID == h.Memory.ID })
			switch {
			case at < 0:
				if h.Why != nil {
					h.Why.Notes = append(h.Why.Notes, "found by a question that a model asked: "+q)
				}
				found.Hits = append(found.Hits, h)
			case found.Hits[at].Score < h.Score:
				found.Hits[at] = h
			}
		}
	}
	if len(g.also) > 0 {
		slices.SortStableFunc(found.Hits, func(a, b codememory.Hit) int { return compareFloat(b.Score, a.Score) })
	}
	return nil
}

// inBoth calls fn with the project's store and with the user's.
func (s *Service) inBoth(ctx context.Context, p codememory.Project, fn func(*store.Store) error) error {
	ps := []codememory.Project{p}
	if !isUser(p) {
		ps = append(ps, project.User())
	}
	for _, p := range ps {
		if !s.hasStore(p) {
			continue
		}
		st, release, err := s.storeOf(ctx, p)
		if err != nil {
			return err
		}
		err = fn(st)
		release()
		if err != nil {
			return err
		}
	}
	return nil
}

// pinnedHits returns the memories that the caller wants to keep, as far as
// they are still active.
func (s *Service) pinnedHits(ctx context.Context, p codememory.Project, refs []string) ([]codememory.Hit, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	var hits []codememory.Hit
	err := s.inBoth(ctx, p, func(st *store.Store) error {
		var ids []string
		for _, ref := range refs {
			if id, err := st.Resolve(ctx, ref); err == nil {
				ids = append(ids, id)
			}
		}
		ms, err := st.GetMany(ctx, ids)
		for _, m := range ms {
			if m.State() == codememory.Active {
				hits = append(hits, codememory.Hit{Memory: m, Score: 1, Why: &codememory.Why{Notes: []string{"kept from before"}}})
			}
		}
		return err
	})
	return hits, err
}

// linkedHits returns active memories that are linked with the given ones, in
// either direction.
func (s *Service) linkedHits(ctx context.Context, p codememory.Project, from []codememory.Hit) ([]codememory.Hit, error) {
	var hits []codememory.Hit
	err := s.inBoth(ctx, p, func(st *store.Store) error {
		for _, h := range from {
			if h.Memory.Scope != st.Scope() {
				continue
			}
			links, err := st.Links(ctx, h.Memory.ID)
			if err != nil {
				return err
			}
			var ids []string
			for _, l := range links {
				// A neighbour by vector alone is no reason to show it: it
				// would have been found if it mattered.
				if l.Type != codememory.SupersedesLink && l.Type != codememory.Contextualizes && len(ids) < perHub {
					ids = append(ids, l.To)
				}
			}
			ms, err := st.GetMany(ctx, ids)
			if err != nil {
				return err
			}
			for _, m := range ms {
				if m.State() == codememory.Active {
					hits = append(hits, codememory.Hit{Memory: m, Score: h.Score * 0.8, Why: &codememory.Why{LinkedFrom: h.Memory.ID}})
				}
			}
		}
		return nil
	})
	return hits, err
}

// touchShown counts memories as put before a model.
func (s *Service) touchShown(ctx context.Context, p codememory.Project, hits []codememory.Hit) error {
	return s.inBoth(ctx, p, func(st *store.Store) error {
		var ids []string
		for _, h := range hits {
			if h.Memory.Scope == st.Scope() {
				ids = append(ids, h.Memory.ID)
			}
		}
		return st.Touch(ctx, codememory.UsageShown, s.opts.Now(), ids...)
	})
}

// resolveAll completes ids given by prefix; unknown ones are left out.
func (s *Service) resolveAll(ctx context.Context, p codememory.Project, refs []string) ([]string, error) {
	var ids []string
	if len(refs) == 0 {
		return nil, nil
	}
	err := s.inBoth(ctx, p, func(st *store.Store) error {
		for _, ref := range refs {
			if id, err := st.Resolve(ctx, ref); err == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, err
}

// question makes a query from what the user wants and what the agent just did.
// The goal comes first and counts most; of the actions only their targets say
// what the work is about.
func question(goal string, actions []codememory.Action) string {
	const maxGoal, maxActions = 2000, 5
	if len(goal) > maxGoal {
		goal = strings.ToValidUTF8(goal[:maxGoal], "")
	}
	parts := []string{strings.TrimSpace(goal)}
	for _, a := range actions[max(0, len(actions)-maxActions):] {
		if target := strings.TrimSpace(a.Target); target != "" && len(target) < 200 {
			parts = append(parts, target)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}
