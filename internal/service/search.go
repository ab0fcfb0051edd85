package service

import (
	"context"
	"fmt"
	"slices"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/search"
	"codememory/internal/store"
	"codememory/internal/text"
)

// Search implements codememory.Service.
func (s *Service) Search(ctx context.Context, r codememory.SearchRequest) (codememory.SearchAnswer, error) {
	ps, err := s.reach(ctx, r.Project, r.Reach, codememory.ReachBoth)
	if err != nil {
		return codememory.SearchAnswer{}, err
	}
	return s.searchIn(ctx, ps, r)
}

// searchIn answers a question from the stores of the given projects.
func (s *Service) searchIn(ctx context.Context, ps []codememory.Project, r codememory.SearchRequest) (codememory.SearchAnswer, error) {
	var none codememory.SearchAnswer
	c := s.configFor(ps[0])
	if r.Floor == nil && c.Search.Floor.IsSet {
		r.Floor = &c.Search.Floor.Value
	}
	byName := map[string]*store.Store{}
	var sources []search.Source
	for _, p := range ps {
		if !s.hasStore(p) {
			continue
		}
		st, release, err := s.storeOf(ctx, p)
		if err != nil {
			return none, err
		}
		defer release()
		byName[p.ID] = st
		sources = append(sources, search.Source{Name: p.ID, CandidateSource: st})
	}
	ranker := search.Ranker{Embedder: s.embedder, Options: RankerOptions(c.Search)}
	found, err := ranker.Rank(ctx, search.Request{SearchRequest: r, Now: s.opts.Now().In(c.Location())}, sources...)
	if err != nil {
		return none, err
	}
	ans := codememory.SearchAnswer{Hits: []codememory.Hit{}, Degraded: found.Degraded, Reasons: found.Reasons}
	for name, st := range byName {
		if st.Warming() {
			ans.Degraded, ans.Reasons = true, append(ans.Reasons, fmt.Sprintf("the index of %s is still being made: searched by words only", name))
		}
	}
	if err := fillIn(ctx, &ans, found.Hits, byName, r.Explain); err != nil {
		return none, err
	}
	s.rankStale(ps, ans.Hits)
	return ans, nil
}

// RankerOptions turns settings into those of a ranking.
func RankerOptions(c config.Search) search.Options {
	o := search.Options{Alpha: c.VectorWeight}
	if c.Fusion == "rrf" {
		o.Fusion, o.K = search.Reciprocal, float64(c.RRFK)
	}
	if !c.Rerank {
		o.RerankDepth = -1
	}
	return o
}

// fillIn adds the memories to what was found.
func fillIn(ctx context.Context, ans *codememory.SearchAnswer, hits []search.Hit, stores map[string]*store.Store, explain bool) error {
	memories := map[string]codememory.Memory{}
	for name, st := range stores {
		var ids []string
		for _, h := range hits {
			if h.Source == name {
				ids = append(ids, h.ID)
			}
		}
		ms, err := st.GetMany(ctx, ids)
		if err != nil {
			return err
		}
		for _, m := range ms {
			memories[m.ID] = m
		}
	}
	for _, h := range hits {
		m, ok := memories[h.ID]
		if !ok {
			continue // purged meanwhile
		}
		hit := codememory.Hit{Memory: m, Score: h.Score}
		if explain {
			hit.Why = &h.Why
		}
		ans.Hits = append(ans.Hits, hit)
	}
	return nil
}

// hubHits returns the newest active memories that have one of the entities.
func (s *Service) hubHits(ctx context.Context, p codememory.Project, entities []string) ([]codememory.Hit, error) {
	var hits []codememory.Hit
	if len(entities) == 0 {
		return nil, nil
	}
	err := s.inBoth(ctx, p, func(st *store.Store) error {
		cs, err := st.Candidates(ctx, codememory.CandidateQuery{Entities: entities})
		if err != nil {
			return err
		}
		slices.SortFunc(cs, func(a, b codememory.Candidate) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
		var ids []string
		for _, c := range cs[:min(len(cs), perHub*len(entities))] {
			ids = append(ids, c.ID)
		}
		ms, err := st.GetMany(ctx, ids)
		for _, m := range ms {
			hits = append(hits, codememory.Hit{Memory: m, Score: hubScore, Why: &codememory.Why{Entities: sharedEntities(m, entities)}})
		}
		return err
	})
	return hits, err
}

// hubScore is the score of what is there for its entity: relevant, but behind
// every answer to the question itself.
const hubScore = 0.5

func sharedEntities(m codememory.Memory, wanted []string) []string {
	var out []string
	for _, e := range m.Entities {
		if slices.ContainsFunc(wanted, func(w string) bool { return text.SameEntity(w, e.Name) }) {
			out = append(out, e.Name)
		}
	}
	return out
}
