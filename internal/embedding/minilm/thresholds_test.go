//go:build !nomodel

package minilm

import "testing"

type labelledPair struct{ Kind, A, B string }

func TestThresholdsSeparateLabelledPairs(t *testing.T) {
	s := openSpace(t)
	cosines := map[string][]float64{}
	for _, p := range readLines[labelledPair](t, "testdata/pairs.jsonl") {
		a, b := s.embed(s.queryTokens(p.A)), s.embed(s.queryTokens(p.B))
		cosines[p.Kind] = append(cosines[p.Kind], float64(dot(a.Vector, b.Vector)))
	}
	above := func(threshold float64) map[string]float64 {
		share := map[string]float64{}
		for kind, all := range cosines {
			for _, c := range all {
				if c >= threshold {
					share[kind] += 1 / float64(len(all))
				}
			}
		}
		return share
	}
	th := New().Model().Thresholds
	for _, test := range []struct {
		name      string
		threshold float64
		least     map[string]float64 // share of these kinds that must lie above
		most      map[string]float64 // share that may
	}{
		{
			"above Duplicate the subject is always the same", th.Duplicate,
			map[string]float64{"same": 0.65},
			map[string]float64{"sibling": 0, "related": 0, "unrelated": 0},
		},
		{
			"above SameSubject only a sentence pattern in common is rare", th.SameSubject,
			map[string]float64{"same": 0.9, "changed": 0.6},
			map[string]float64{"sibling": 0.05, "related": 0, "unrelated": 0},
		},
		{
			"above Cluster statements share a subject or a pattern", th.Cluster,
			map[string]float64{"same": 1, "changed": 0.8},
			map[string]float64{"sibling": 0.25, "related": 0, "unrelated": 0},
		},
		{
			"above Related nothing is unrelated", th.Related,
			map[string]float64{"same": 1, "changed": 0.9, "sibling": 0.5, "related": 0.35},
			map[string]float64{"unrelated": 0},
		},
		{
			"above Relevant lie all answers and nothing else", th.Relevant,
			map[string]float64{"answer": 1},
			map[string]float64{"noanswer": 0, "unrelated": 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := above(test.threshold)
			for kind, least := range test.least {
				if got[kind] < least-1e-9 {
					t.Errorf("only %.2f of %s pairs lie above %.2f, want %.2f", got[kind], kind, test.threshold, least)
				}
			}
			for kind, most := range test.most {
				if got[kind] > most {
					t.Errorf("%.2f of %s pairs lie above %.2f, want at most %.2f", got[kind], kind, test.threshold, most)
				}
			}
		})
	}
}
