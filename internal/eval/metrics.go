package eval

import (
	"math"
	"slices"
	"time"
)

// Metrics of one system on one set, means over the queries.
type Metrics struct {
	Queries  int
	AnyAt1   float64 // one relevant unit at rank 1
	AnyAt5   float64
	AnyAt10  float64
	FracAt5  float64 // share of the relevant units found
	FracAt10 float64
	AllAt5   float64 // all relevant units found
	AllAt10  float64
	MRR      float64
	NDCG10   float64
	// Budget is the share of relevant units within the first BudgetTokens
	// tokens of answers.
	Budget float64
	// Abstained is the share of queries with no answer at all.
	Abstained float64

	P50, P99 time.Duration // latency of a query
	CPU      time.Duration // processor time per query; 0 where it cannot be measured
}

// BudgetTokens is how much text a model is given to look at.
const BudgetTokens = 1500

// run collects what one system answered.
type run struct {
	m       Metrics
	latency []time.Duration
}

// add scores one ranked list of units (without duplicates) against the wanted
// ones; tokens[i] is the length of the i-th answer.
func (r *run) add(ranked []string, tokens []int, want map[string]bool, took time.Duration) {
	r.m.Queries++
	r.latency = append(r.latency, took)
	if len(ranked) == 0 {
		r.m.Abstained++
	}
	if len(want) == 0 {
		return
	}
	first, found5, found10, inBudget, spent := 0, 0, 0, 0, 0
	dcg := 0.0
	for i, unit := range ranked {
		spent += tokens[i]
		if !want[unit] {
			continue
		}
		if first == 0 {
			first = i + 1
		}
		if i < 5 {
			found5++
		}
		if i < 10 {
			found10++
			dcg += 1 / math.Log2(float64(i)+2)
		}
		if spent <= BudgetTokens {
			inBudget++
		}
	}
	ideal := 0.0
	for i := range min(len(want), 10) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	n := float64(len(want))
	r.m.AnyAt1 += bit(first == 1)
	r.m.AnyAt5 += bit(found5 > 0)
	r.m.AnyAt10 += bit(found10 > 0)
	r.m.FracAt5 += float64(found5) / n
	r.m.FracAt10 += float64(found10) / n
	r.m.AllAt5 += bit(found5 == len(want))
	r.m.AllAt10 += bit(found10 == len(want))
	if first > 0 {
		r.m.MRR += 1 / float64(first)
	}
	r.m.NDCG10 += dcg / ideal
	r.m.Budget += float64(inBudget) / n
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// metrics returns the means.
func (r *run) metrics() Metrics {
	m := r.m
	if m.Queries == 0 {
		return m
	}
	n := float64(m.Queries)
	for _, v := range []*float64{&m.AnyAt1, &m.AnyAt5, &m.AnyAt10, &m.FracAt5, &m.FracAt10, &m.AllAt5, &m.AllAt10, &m.MRR, &m.NDCG10, &m.Budget, &m.Abstained} {
		*v /= n
	}
	slices.Sort(r.latency)
	m.P50 = r.latency[len(r.latency)/2]
	m.P99 = r.latency[len(r.latency)*99/100]
	return m
}
