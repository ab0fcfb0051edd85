package eval

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"codememory/internal/search"
)

// TestFit fits weights for the calibrated score (internal/search,
// calibration.go) and prints them with the floor and what it costs, as a
// starting point for a new model: what is printed is measured on the questions
// it was fitted to. It runs
// with CODEMEMORY_FIT=1, over the open sets and the folders of further sets in
// CODEMEMORY_FIT_SETS (separated by :), and takes minutes unless
// CODEMEMORY_EVAL_CACHE names a file.
//
// Positive examples are the best-ranked relevant document of each question,
// negative ones the two best answers to questions of other sets. Sets weigh the
// same whatever their size. The weights of the crowd features are given, not
// fitted: how many candidates there are is confounded with what the sets hold.
func TestFit(t *testing.T) {
	if os.Getenv("CODEMEMORY_FIT") == "" {
		t.Skip("set CODEMEMORY_FIT=1 to fit the calibrated score")
	}
	folders := []string{"testdata/devmem_session", "testdata/devmem_exchange", "testdata/devbench", "testdata/cosqa_dev"}
	if more := os.Getenv("CODEMEMORY_FIT_SETS"); more != "" {
		folders = append(folders, strings.Split(more, ":")...)
	}
	var sets []Set
	for _, f := range folders {
		s, err := LoadSet(f)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	trials := collectTrials(t, sets)
	sharedEmbedder().save(t)
	vectors := func(f search.Features) []float64 { return []float64{1, f.Cosine, f.Words, f.Question} }
	const crowd, bigCrowd = -1.5, -1.8
	for _, model := range []fitModel{
		{"with tokens: cosine, words, question, tokens", crowd, bigCrowd, func(f search.Features) []float64 { return append(vectors(f), f.Tokens) }},
		{"with vectors: cosine, words, question", crowd, bigCrowd, vectors},
		{"words only: coverage, rarity", 0, 0, func(f search.Features) []float64 { return []float64{1, f.Coverage, f.Rarity} }},
	} {
		w := model.fit(trials)
		floor := model.floor(trials, w)
		fmt.Printf("%s %.2f floor %.2f\n", model.name, w, floor)
		for _, tr := range trials {
			fmt.Printf("  %-48s answered %.3f\n", tr.name, model.answered(tr, w, floor))
		}
	}
}

// trial is a collection asked one set of questions.
type trial struct {
	name    string
	own     bool // the questions belong to the collection
	answers [][]example
}

type example struct {
	features search.Features
	relevant bool
}

func collectTrials(t *testing.T, sets []Set) []trial {
	t.Helper()
	zero := 0.0
	var trials []trial
	for _, set := range sets {
		engine := &Engine{Embedder: sharedEmbedder(), Floor: &zero}
		if err := engine.Add(t.Context(), set.Documents); err != nil {
			t.Fatal(err)
		}
		sessions := set.sessionOf()
		for _, asked := range sets {
			own := asked.Name == set.Name
			if !own && (related(asked.Name, set.Name) || asked.Collapse && asked.Name[:6] == "devmem") {
				continue
			}
			tr := trial{name: asked.Name + " asked of " + set.Name, own: own}
			for _, q := range asked.Queries {
				a, err := engine.Search(t.Context(), q.Text, 10)
				if err != nil {
					t.Fatal(err)
				}
				var list []example
				want := set.relevant(q, sessions)
				for _, h := range a.Hits {
					list = append(list, example{h.Features, own && want[sessions[h.ID]]})
				}
				tr.answers = append(tr.answers, list)
			}
			trials = append(trials, tr)
		}
	}
	return trials
}

// related reports whether two sets may answer each other's questions.
func related(a, b string) bool {
	return strings.HasPrefix(a, "devmem") && strings.HasPrefix(b, "devmem")
}

type fitModel struct {
	name            string
	crowd, bigCrowd float64
	inputs          func(search.Features) []float64
}

func (m fitModel) logit(w []float64, f search.Features) float64 {
	sum := m.crowd*f.Crowd + m.bigCrowd*f.BigCrowd
	for i, x := range m.inputs(f) {
		sum += w[i] * x
	}
	return sum
}

// fit is logistic regression by gradient descent with momentum.
func (m fitModel) fit(trials []trial) []float64 {
	type sample struct {
		f      search.Features
		y, wgt float64
	}
	var samples []sample
	counts := map[bool]float64{}
	for _, tr := range trials {
		counts[tr.own]++
	}
	for _, tr := range trials {
		var own []sample
		for _, list := range tr.answers {
			for i, e := range list {
				if tr.own && e.relevant {
					own = append(own, sample{e.features, 1, 0})
					break
				}
				if !tr.own && i < 2 {
					own = append(own, sample{e.features, 0, 0})
				}
			}
		}
		for i := range own {
			own[i].wgt = 1 / float64(len(own)) / counts[tr.own] / 2
		}
		samples = append(samples, own...)
	}
	dim := len(m.inputs(search.Features{}))
	w, velocity := make([]float64, dim), make([]float64, dim)
	for range 1500 {
		gradient := make([]float64, dim)
		for _, s := range samples {
			p := 1 / (1 + math.Exp(-m.logit(w, s.f)))
			for i, x := range m.inputs(s.f) {
				gradient[i] += (p - s.y) * s.wgt * x
			}
		}
		for i := range w {
			if i > 0 {
				gradient[i] += 1e-4 * w[i]
			}
			velocity[i] = 0.95*velocity[i] - 0.5*gradient[i]
			w[i] += velocity[i]
		}
	}
	return w
}

// answered is the share of questions whose best answer passes the floor and,
// for own questions, of which a relevant one stands at most one below it.
func (m fitModel) answered(tr trial, w []float64, floor float64) float64 {
	n := 0
	for _, list := range tr.answers {
		best, relevant := math.Inf(-1), math.Inf(-1)
		for _, e := range list {
			l := m.logit(w, e.features)
			best = max(best, l)
			if e.relevant {
				relevant = max(relevant, l)
			}
		}
		if best >= floor && (!tr.own || relevant >= floor-1) {
			n++
		}
	}
	return float64(n) / float64(len(tr.answers))
}

// floor is the highest one that loses at most 3 % of the developer questions.
func (m fitModel) floor(trials []trial, w []float64) float64 {
	low, high := -20.0, 20.0
	for range 60 {
		middle := (low + high) / 2
		worst := 1.0
		for _, tr := range trials {
			if tr.own && strings.Contains(tr.name, "devmem") {
				worst = min(worst, m.answered(tr, w, middle))
			}
		}
		if worst >= 0.97 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
