package service

import (
	"context"
	"sort"

	"codememory"
	"codememory/internal/text"
)

// Search implements codememory.Service.
func (s *Service) Search(ctx context.Context, r codememory.SearchRequest) (codememory.SearchAnswer, error) {
	return s.search(ctx, r, nil)
}

// search is provisional until the ranker exists.
func (s *Service) search(ctx context.Context, r codememory.SearchRequest, entities []string) (codememory.SearchAnswer, error) {
	ans := codememory.SearchAnswer{Hits: []codememory.Hit{}}
	ps, err := s.reach(ctx, r.Project, r.Reach, codememory.ReachBoth)
	if err != nil {
		return ans, err
	}
	var vector []float32 = r.Vector
	if vector == nil && s.embedder != nil {
		if e, err := s.embedder.EmbedQuery(ctx, r.Text); err == nil {
			vector = e.Vector
		} else {
			ans.Degraded, ans.Reasons = true, append(ans.Reasons, err.Error())
		}
	}
	for _, p := range ps {
		st, release, err := s.storeOf(ctx, p)
		if err != nil {
			return ans, err
		}
		cs, err := st.Candidates(ctx, codememory.CandidateQuery{Terms: text.AnalyzeQuery(r.Text), Vector: vector, Model: s.model().ID, Filter: r.Filter, Limit: 50, Entities: entities})
		if err == nil {
			for _, c := range cs {
				score := max(0, min(1, 0.5*c.Coverage+0.5*c.Cosine))
				if score < 0.25 && !c.EntityMatch {
					continue
				}
				m, err := st.Get(ctx, c.ID)
				if err == nil {
					ans.Hits = append(ans.Hits, codememory.Hit{Memory: m, Score: score, Why: &codememory.Why{Cosine: c.Cosine, Coverage: c.Coverage}})
				}
			}
		}
		release()
		if err != nil {
			return ans, err
		}
	}
	sort.SliceStable(ans.Hits, func(i, j int) bool { return ans.Hits[i].Score > ans.Hits[j].Score })
	limit := r.Limit
	if limit <= 0 {
		limit = 10
	}
	ans.Hits = ans.Hits[:min(limit, len(ans.Hits))]
	return ans, nil
}
