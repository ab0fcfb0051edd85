package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/embedding/minilm"
	"codememory/internal/text"
)

func TestMemoriesAreOfTheSizeOfRealOnes(t *testing.T) {
	c := newCorpus(1)
	seen := map[string]bool{}
	total := 0
	const n = 500
	for range n {
		m := c.memory()
		if seen[m] {
			t.Errorf("%q was written twice", m)
		}
		seen[m] = true
		total += text.Tokens(m)
	}
	if mean := total / n; mean < 25 || mean > 50 {
		t.Errorf("a memory has %d tokens", mean)
	}
}

func TestTheSameSeedWritesTheSame(t *testing.T) {
	a, b := newCorpus(7), newCorpus(7)
	for range 50 {
		m := a.memory()
		if got := b.memory(); got != m {
			t.Fatalf("%q and %q", m, got)
		}
		if q, got := a.question(m), b.question(m); q != got {
			t.Fatalf("%q and %q", q, got)
		}
	}
}

func TestQuestionsHaveEightToTwelveWordsAndDiffer(t *testing.T) {
	c := newCorpus(2)
	m := c.memory()
	seen := map[string]bool{}
	for range 300 {
		q := c.question(m)
		if n := len(strings.Fields(q)); n < 8 || n > 12 || seen[q] {
			t.Errorf("%d words, asked before: %v: %q", n, seen[q], q)
		}
		seen[q] = true
	}
}

// The store must be as large as with real vectors.
func TestMixedEmbeddingsHaveTheSizeOfRealOnes(t *testing.T) {
	real := minilm.New()
	mixed, err := newMixer(t.Context(), real)
	if err != nil {
		t.Fatal(err)
	}
	c := newCorpus(3)
	var texts []string
	for range 40 {
		texts = append(texts, c.memory())
	}
	want, err := real.EmbedDocuments(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := mixed.EmbedDocuments(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var realTokens, tokens int
	for i := range texts {
		realTokens += len(want[i][0].Tokens.Data)
		tokens += len(got[i][0].Tokens.Data)
		if err := codememory.CheckVector(got[i][0].Vector, real.Model().Dim); err != nil {
			t.Error(err)
		}
	}
	if share := float64(tokens) / float64(realTokens); share < 0.85 || share > 1.15 {
		t.Errorf("%.2f times the token states of real embeddings", share)
	}
}

func TestPercentilesAreOfTheSortedSeries(t *testing.T) {
	var s series
	for i := range 100 {
		s = append(s, sample{wall: time.Duration(100-i) * time.Millisecond, cpu: time.Duration(i+1) * time.Millisecond})
	}
	for percent, want := range map[float64]float64{50: 50, 95: 95, 99: 99, 100: 100} {
		if got := s.wall(percent); got != want {
			t.Errorf("p%v is %v, want %v", percent, got, want)
		}
	}
	if s.cpu() != 50 || s.meanCPU() != 50.5 {
		t.Errorf("processor time: median %v, mean %v", s.cpu(), s.meanCPU())
	}
}

func TestTheTableNamesWhatIsOverBudget(t *testing.T) {
	r := report{Machine: "here", Rows: []row{
		{What: "fast", Figures: []figure{{Name: "p50", Value: 1.5, Unit: "ms", Budget: 8}, {Value: 3, Unit: "CPU-ms"}}},
		{What: "slow", Figures: []figure{{Name: "p50", Value: 80.25, Unit: "ms", Budget: 8}}, Note: "a note"},
		{What: "free", Figures: []figure{{Value: 1234, Unit: "s"}}},
	}}
	var out bytes.Buffer
	if err := r.markdown(&out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| fast | p50 1.50 ms, 3 CPU-ms | p50 ≤ 8 ms | ok |",
		"| slow | p50 80.2 ms (a note) | p50 ≤ 8 ms | **over** |",
		"| free | 1234 s |  |  |",
	} {
		if !strings.Contains(out.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, out.String())
		}
	}
	out.Reset()
	if err := r.json(&out); err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back.Rows) != 3 || back.Rows[1].Figures[0].Budget != 8 {
		t.Errorf("%v, %+v", err, back)
	}
}

func TestFlagsAreChecked(t *testing.T) {
	for _, args := range [][]string{{"-n", "0"}, {"-run", "("}, {"more"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
	s, err := parse([]string{"-quick", "-run", "^retrieve$"})
	if err != nil || s.n >= 10_000 || !s.only.MatchString("retrieve") || s.only.MatchString("large-retrieve") {
		t.Errorf("%+v, %v", s, err)
	}
}
