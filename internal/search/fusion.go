package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Fusion says how the lists found by words and by vector become one.
type Fusion int

// Convex adds the normalised scores, Reciprocal the inverse ranks.
const (
	Convex Fusion = iota
	Reciprocal
)

// Options tune a ranking; a zero field means its measured default.
type Options struct {
	Fusion      Fusion
	Alpha       float64 // weight of vectors against words, 0..1; 0: by question
	K           float64 // constant of reciprocal ranks
	RerankDepth int     // how many are compared token by token; < 0: none
	TokenShare  float64 // weight of the token comparison against the fused score; 0: by length
}

// Measured on developer dialogue, notes, code search and API documentation;
// each optimum is flat. Where one document stands out by its words they count
// for more, otherwise the vectors do.
const (
	alphaWithoutGap    = 0.72
	alphaPerGap        = -0.3
	leastAlpha         = 0.4
	mostAlpha          = 0.7
	defaultK           = 5
	defaultRerankDepth = 60
)

// The token comparison says much about a sentence or two and less about a long
// text, where every token of a question finds something similar.
const (
	shortTokenShare = 0.32
	longTokenShare  = 0.12
	shortTokens     = 45
	longTokens      = 95
)

// rank orders the pool: fusion, token comparison, calibrated score, priors.
func (s *session) rank(ctx context.Context, sources []Source) error {
	s.normalise()
	s.fuse()
	if err := s.compareTokens(ctx, sources); err != nil {
		return err
	}
	s.calibrate()
	s.applyPriors()
	slices.SortFunc(s.pool, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.order, a.order), newestFirst(a, b))
	})
	return nil
}

// normalise ranks the pool by words and by vector and maps each list's best
// hundred to 0..1; what is further down or missing gets 0.
func (s *session) normalise() {
	spread(s.pool, func(c *candidate) (float64, bool) { return c.BM25, c.BM25 > 0 }, true, func(c *candidate, rank int, v float64) {
		c.hit.Why.LexicalRank, c.lexical = rank, v
	})
	spread(s.pool, func(c *candidate) (float64, bool) { return c.Cosine, s.model.Dim > 0 && c.HasVector }, false, func(c *candidate, rank int, v float64) {
		c.hit.Why.VectorRank, c.vector = rank, v
	})
	for _, c := range s.pool {
		w := &c.hit.Why
		w.Lexical, w.Coverage, w.Cosine, w.Importance = c.BM25, c.Coverage, c.Cosine, c.Importance
		if c.EntityMatch {
			w.Entities = s.entities
		}
	}
}

// spread ranks those candidates that have the value, best first, and reports
// each rank with the value mapped linearly to 0..1 over the best poolSize.
// fromZero anchors the lower end at 0 when the list is shorter than that: then
// what is not in it has the value 0.
func spread(pool []*candidate, value func(*candidate) (float64, bool), fromZero bool, set func(c *candidate, rank int, v float64)) {
	type valued struct {
		c *candidate
		v float64
	}
	var list []valued
	for _, c := range pool {
		if v, ok := value(c); ok {
			list = append(list, valued{c, v})
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b valued) int {
		return cmp.Or(cmp.Compare(b.v, a.v), strings.Compare(a.c.ID, b.c.ID))
	})
	high, low := list[0].v, list[min(poolSize, len(list))-1].v
	if fromZero && len(list) < poolSize {
		low = 0
	}
	for i, x := range list {
		share := 1.0
		if high > low {
			share = max(0, (x.v-low)/(high-low))
		}
		set(x.c, i+1, share)
	}
}

// fuse combines both lists and sorts the pool by the result.
func (s *session) fuse() {
	o := s.ranker.Options
	alpha := s.alpha()
	k := cmp.Or(o.K, defaultK)
	for _, c := range s.pool {
		if o.Fusion == Reciprocal {
			c.fused = (1-alpha)*inverseRank(c.hit.Why.LexicalRank, k) + alpha*inverseRank(c.hit.Why.VectorRank, k)
		} else {
			c.fused = (1-alpha)*c.lexical + alpha*c.vector
		}
		c.order = c.fused
	}
	slices.SortFunc(s.pool, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.fused, a.fused), newestFirst(a, b))
	})
}

// alpha is the weight of vectors for this question.
func (s *session) alpha() float64 {
	switch {
	case s.model.Dim == 0:
		return 0
	case s.ranker.Options.Alpha != 0:
		return s.ranker.Options.Alpha
	}
	return min(mostAlpha, max(leastAlpha, alphaWithoutGap+alphaPerGap*s.lexicalGap()))
}

// lexicalGap is how far the tenth document by words falls behind the first.
func (s *session) lexicalGap() float64 {
	scores := make([]float64, len(s.pool))
	for i, c := range s.pool {
		scores[i] = c.BM25
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(scores) < 2 || scores[0] <= 0 {
		return 0
	}
	return (scores[0] - scores[min(9, len(scores)-1)]) / scores[0]
}

// inverseRank is 1 for the first rank and 0 for none.
func inverseRank(rank int, k float64) float64 {
	if rank == 0 {
		return 0
	}
	return (k + 1) / (k + float64(rank))
}

// compareTokens compares the best candidates with the question token by token
// and moves them accordingly. Those further down stay behind them.
func (s *session) compareTokens(ctx context.Context, sources []Source) error {
	depth := cmp.Or(s.ranker.Options.RerankDepth, defaultRerankDepth)
	if s.matcher == nil || depth < 0 || len(s.pool) == 0 {
		return nil
	}
	best := s.pool[:min(depth, len(s.pool))]
	for i, src := range sources {
		if err := s.matchSource(ctx, i, src, best); err != nil {
			return err
		}
	}
	low, high, tokens, matched := 1.0, -1.0, 0, 0
	for _, c := range best {
		if c.hasTokens {
			low, high = min(low, c.tokens.mean), max(high, c.tokens.mean)
			tokens += c.tokens.count
			matched++
		}
	}
	if matched == 0 {
		return nil
	}
	// A narrow spread is noise and must not be stretched to the whole range.
	const leastSpread = 0.15
	share := cmp.Or(s.ranker.Options.TokenShare, tokenShare(float64(tokens)/float64(matched)))
	for i, c := range s.pool {
		switch {
		case i >= len(best):
			c.order -= 1 + share
		case c.hasTokens:
			c.order += share * (c.tokens.mean - low) / max(high-low, leastSpread)
		default: // not embedded yet: neither help nor harm
			c.order += share / 2
		}
	}
	return nil
}

// tokenShare is the weight of the token comparison for documents of this mean length.
func tokenShare(tokens float64) float64 {
	long := min(1, max(0, (tokens-shortTokens)/(longTokens-shortTokens)))
	return shortTokenShare + long*(longTokenShare-shortTokenShare)
}

// matchSource compares the candidates of one source with the question.
func (s *session) matchSource(ctx context.Context, number int, src Source, best []*candidate) error {
	var ids []string
	for _, c := range best {
		if c.source == number && c.HasVector {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	states, err := src.TokenStates(ctx, s.model.ID, ids)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.answer.Degraded = true
		s.answer.Reasons = append(s.answer.Reasons, src.Name+" has no token states: "+err.Error())
		return nil
	}
	for _, c := range best {
		if c.source != number {
			continue
		}
		if c.tokens, c.hasTokens = s.matcher.match(states[c.ID]); c.hasTokens {
			c.hit.Why.TokenMatch = c.tokens.mean
		}
	}
	return nil
}
