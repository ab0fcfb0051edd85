package search

import (
	"math"
	"time"
)

// Priors move what matches about equally well; they never lift something
// unrelated over an answer. The fused score spans 0 to 1.
const (
	recencyPrior       = 0.01
	recencyWhenLatest  = 0.3  // the question asks for the latest
	recencyPerDay      = 0.1  // of activity: a project that rests does not grow old
	importancePrior    = 0.03 // of importance 1 against 0.5
	usePrior           = 0.01 // per doubling of uses
	mostUse            = 0.03
	pinnedPrior        = 0.03
	entityPrior        = 0.06
	entityScoreAtLeast = -1.0 // logit that a document with an entity in common gets
)

// applyPriors adds recency, importance, use, pins and shared entities to the order.
func (s *session) applyPriors() {
	var newest time.Time
	for _, c := range s.pool {
		if c.UpdatedAt.After(newest) {
			newest = c.UpdatedAt
		}
	}
	recency := recencyPrior
	if s.parsed.Latest {
		recency = recencyWhenLatest
	}
	for _, c := range s.pool {
		w := &c.hit.Why
		if !c.UpdatedAt.IsZero() {
			days := newest.Sub(c.UpdatedAt).Hours() / 24
			if c.ActiveDays > 0 && !s.parsed.Latest {
				days = float64(c.ActiveDays - 1)
			}
			w.Recency = math.Exp(-recencyPerDay * days)
			c.order += recency * w.Recency
		}
		if c.Importance > 0 {
			c.order += importancePrior * (c.Importance - 0.5) * 2
		}
		if c.Used > 0 {
			c.order += min(usePrior*math.Log2(1+float64(c.Used)), mostUse)
			w.Notes = append(w.Notes, "used before")
		}
		if c.Pinned {
			c.order += pinnedPrior
			w.Notes = append(w.Notes, "pinned")
		}
		if c.EntityMatch {
			c.order += entityPrior
			c.hit.Score = max(c.hit.Score, logistic(slope*max(c.logit, entityScoreAtLeast)))
		}
	}
}
