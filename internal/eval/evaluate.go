package eval

import (
	"context"
	"fmt"
	"time"

	"codememory/internal/text"
)

// System is anything that finds documents.
type System interface {
	Add(ctx context.Context, docs []Document) error
	// Find returns the ids of the answers, best first.
	Find(ctx context.Context, question string, limit int) ([]string, error)
}

// Find implements System.
func (e *Engine) Find(ctx context.Context, question string, limit int) ([]string, error) {
	a, err := e.Search(ctx, question, limit)
	ids := make([]string, len(a.Hits))
	for i, h := range a.Hits {
		ids[i] = h.ID
	}
	return ids, err
}

// depth is how many documents are asked for: enough that ten sessions are
// among them when sessions are scored.
const depth = 50

// Evaluate fills a system with a set and asks it the set's questions.
func Evaluate(ctx context.Context, sys System, set Set) (Metrics, error) {
	if err := sys.Add(ctx, set.Documents); err != nil {
		return Metrics{}, err
	}
	return Ask(ctx, sys, set, set.Queries)
}

// Ask asks a system that holds a set questions, the set's own or others.
func Ask(ctx context.Context, sys System, set Set, queries []Query) (Metrics, error) {
	sessions := set.sessionOf()
	lengths := make(map[string]int, len(set.Documents))
	for _, d := range set.Documents {
		lengths[d.ID] = text.Tokens(d.Text)
	}
	var r run
	cpu := cpuTime()
	for _, q := range queries {
		start := time.Now()
		ids, err := sys.Find(ctx, q.Text, depth)
		took := time.Since(start)
		if err != nil {
			return Metrics{}, fmt.Errorf("%s, query %s: %w", set.Name, q.ID, err)
		}
		var units []string
		var tokens []int
		seen := map[string]bool{}
		for _, id := range ids {
			if unit := sessions[id]; !seen[unit] {
				seen[unit] = true
				units = append(units, unit)
				tokens = append(tokens, lengths[id])
			}
		}
		r.add(units, tokens, set.relevant(q, sessions), took)
	}
	m := r.metrics()
	if spent := cpuTime() - cpu; cpu > 0 && len(queries) > 0 {
		m.CPU = spent / time.Duration(len(queries))
	}
	return m, nil
}
