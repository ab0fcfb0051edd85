package httpapi

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"codememory"
)

// CompatSearch is the request of POST /memories/search.
type CompatSearch struct {
	Query         string            `json:"query"`
	UserID        string            `json:"user_id"`
	Limit         int               `json:"limit,omitempty"`          // default 5
	Threshold     *float64          `json:"threshold,omitempty"`      // default 0.3
	RecencyWeight float64           `json:"recency_weight,omitempty"` // 0..1
	Types         []codememory.Type `json:"types,omitempty"`          // all memories of these types are added
}

// CompatFound is the answer of POST /memories/search.
type CompatFound struct {
	Results []CompatHit `json:"results"`
}

// CompatHit is one memory found. Chunk holds the words it was taken from.
type CompatHit struct {
	ID        string         `json:"id"`
	Memory    string         `json:"memory"`
	Chunk     string         `json:"chunk"`
	Score     float64        `json:"score"`
	Metadata  map[string]any `json:"metadata"`
	CreatedAt time.Time      `json:"created_at"`
	Date      string         `json:"date"`
}

const (
	// enumeratedScore is the score of a memory that is there for its type only.
	enumeratedScore = 0.25
	// enumeratedLimit is how many of those are added, the newest first.
	enumeratedLimit = 200
)

// compatSearch keeps the meaning of threshold and recency_weight: a result
// counts when the blend of its score and of its age in days before the newest
// candidate reaches the threshold. Types add whatever has them.
func compatSearch(ctx context.Context, c call[none, CompatSearch]) (CompatFound, error) {
	r := c.Body
	o, err := ownerOf(r.UserID)
	if err != nil {
		return CompatFound{}, err
	}
	limit, err := limitOf(r.Limit, 5)
	if err != nil {
		return CompatFound{}, err
	}
	if strings.TrimSpace(r.Query) == "" {
		return CompatFound{}, codememory.Errorf(codememory.Invalid, "query and user_id required")
	}
	if !(r.RecencyWeight >= 0 && r.RecencyWeight <= 1) {
		return CompatFound{}, codememory.Errorf(codememory.Invalid, "recency_weight %v is outside 0..1", r.RecencyWeight)
	}
	threshold := 0.3
	if r.Threshold != nil {
		threshold = *r.Threshold
	}
	floor := threshold
	pool := limit
	if r.RecencyWeight > 0 { // a recent one may rise above those before it
		floor, pool = 0, max(4*limit, 20)
	}
	answer, err := c.Service.Search(ctx, codememory.SearchRequest{
		Text: r.Query, Project: o.project, Reach: o.reach, Limit: pool, Floor: &floor, Literal: true,
	})
	if err != nil {
		return CompatFound{}, err
	}
	hits := slices.DeleteFunc(blendRecency(answer.Hits, r.RecencyWeight), func(h codememory.Hit) bool { return h.Score < threshold })
	if len(hits) > limit {
		hits = hits[:limit]
	}
	if len(r.Types) > 0 {
		page, err := c.Service.List(ctx, codememory.ListRequest{
			Project: o.project, Reach: o.reach, Filter: codememory.Filter{Types: r.Types},
			PageRequest: codememory.PageRequest{Limit: enumeratedLimit},
		})
		if err != nil {
			return CompatFound{}, err
		}
		hits = appendMissing(hits, page.Memories)
	}
	found := CompatFound{Results: make([]CompatHit, len(hits))}
	for i, h := range hits {
		found.Results[i] = compatHit(h)
	}
	return found, nil
}

// blendRecency mixes scores with age: each day before the newest candidate
// takes a tenth of what is left of the share w.
func blendRecency(hits []codememory.Hit, w float64) []codememory.Hit {
	hits = slices.Clone(hits)
	if w == 0 || len(hits) == 0 {
		return hits
	}
	newest := slices.MaxFunc(hits, func(a, b codememory.Hit) int { return a.Memory.UpdatedAt.Compare(b.Memory.UpdatedAt) }).Memory.UpdatedAt
	for i := range hits {
		days := newest.Sub(hits[i].Memory.UpdatedAt).Hours() / 24
		hits[i].Score = (1-w)*hits[i].Score + w*math.Exp(-0.1*days)
	}
	slices.SortStableFunc(hits, func(a, b codememory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

func appendMissing(hits []codememory.Hit, ms []codememory.Memory) []codememory.Hit {
	have := map[string]bool{}
	for _, h := range hits {
		have[h.Memory.ID] = true
	}
	for _, m := range ms {
		if !have[m.ID] {
			hits = append(hits, codememory.Hit{Memory: m, Score: enumeratedScore})
		}
	}
	return hits
}

func compatHit(h codememory.Hit) CompatHit {
	m := h.Memory
	date := m.CreatedAt.Format(time.DateOnly)
	if given, ok := m.Metadata["date"].(string); ok && given != "" {
		date = given
	}
	return CompatHit{
		ID: m.ID, Memory: m.Text, Chunk: m.Source.Excerpt, Score: h.Score,
		Metadata: metadataOf(m), CreatedAt: m.CreatedAt, Date: date,
	}
}
