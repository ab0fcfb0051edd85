//go:build !nomodel

package minilm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"codememory"
	"codememory/internal/embedding/minilm/encoder"

	"github.com/google/go-cmp/cmp"
)

var _ codememory.Embedder = (*Embedder)(nil)

func TestVerifyKnowsTheWeights(t *testing.T) {
	if err := Verify(); err != nil {
		t.Error(err)
	}
}

func TestEveryTextGivesAPassage(t *testing.T) {
	texts := []string{"", "  ", "🎉", "the of and", "We use pnpm", strings.Repeat("word ", 5000)}
	all, err := New().EmbedDocuments(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, passages := range all {
		if len(passages) == 0 || len(passages) > maxPassages {
			t.Errorf("%.20q gives %d passages", texts[i], len(passages))
		}
		for _, p := range passages {
			if err := codememory.CheckVector(p.Vector, encoder.Hidden); err != nil {
				t.Errorf("%.20q: %v", texts[i], err)
			}
			if len(p.Tokens.Data) != len(p.Tokens.Weights)*encoder.TokenDim {
				t.Errorf("%.20q: %d bytes for %d tokens", texts[i], len(p.Tokens.Data), len(p.Tokens.Weights))
			}
		}
	}
}

func TestTokenStatesAreUnitVectorsOfTellingTokens(t *testing.T) {
	e, err := New().EmbedQuery(t.Context(), "how do we run the migrations?")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(e.Tokens.Weights); n != 3 { // run, migration, ##s
		t.Errorf("%d tokens are kept, want 3", n)
	}
	for i, weight := range e.Tokens.Weights {
		sum := 0
		for _, v := range e.Tokens.Data[i*encoder.TokenDim:][:encoder.TokenDim] {
			sum += int(v) * int(v)
		}
		if cosine := float64(sum) / (127 * 127); cosine < 0.97 || cosine > 1.03 {
			t.Errorf("token %d has length² %.3f", i, cosine)
		}
		if weight <= encoder.TraceWeight || weight > 1 {
			t.Errorf("token %d weighs %.3f", i, weight)
		}
	}
}

func TestRareTokensWeighMoreThanCommonOnes(t *testing.T) {
	s := openSpace(t)
	weight := func(word string) float32 { return s.weights[s.model.Tokenize(word, 1).IDs[0]] }
	for _, order := range [][2]string{{"the", "file"}, {",", "file"}, {"file", "kernel"}, {"return", "volcano"}} {
		if weight(order[0]) >= weight(order[1]) {
			t.Errorf("%s weighs %.3f, %s %.3f", order[0], weight(order[0]), order[1], weight(order[1]))
		}
	}
}

func TestPassagesEndAtBordersAndOverlap(t *testing.T) {
	s := openSpace(t)
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "Step %d of the guide explains one more setting of the server.\n\n", i)
	}
	passages := s.passages(text.String())
	if len(passages) < 3 {
		t.Fatalf("%d passages", len(passages))
	}
	for i, p := range passages {
		if first := s.model.Piece(p[0]); first != "step" {
			t.Errorf("passage %d begins with %q", i, first)
		}
		if last := s.model.Piece(p[len(p)-1]); last != "." {
			t.Errorf("passage %d ends with %q", i, last)
		}
		if i > 0 && !overlaps(passages[i-1], p) {
			t.Errorf("passages %d and %d share nothing", i-1, i)
		}
	}
}

// overlaps reports whether the end of a is the beginning of b.
func overlaps(a, b []int32) bool {
	for n := min(len(a), len(b)); n > 0; n-- {
		if cmp.Equal(a[len(a)-n:], b[:n]) {
			return true
		}
	}
	return false
}

func TestLongQueryKeepsItsBeginningAndItsEnd(t *testing.T) {
	s := openSpace(t)
	ids := s.queryTokens("why does this fail " + strings.Repeat("stack trace ", 300) + "please fix the parser")
	if len(ids) != 2*queryHalf {
		t.Fatalf("%d tokens", len(ids))
	}
	if first, last := s.model.Piece(ids[0]), s.model.Piece(ids[len(ids)-1]); first != "why" || !strings.Contains("parser", strings.TrimPrefix(last, "##")) {
		t.Errorf("it begins with %q and ends with %q", first, last)
	}
}

func TestEmbedderIsSafeForConcurrentUse(t *testing.T) {
	e := New()
	texts := []string{query10, memory35, memory72, ""}
	var want []codememory.Embedding
	for _, text := range texts {
		one, err := e.EmbedQuery(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, one)
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			got, err := e.EmbedQuery(t.Context(), texts[g%len(texts)])
			if err != nil {
				t.Error(err)
				return
			}
			if diff := cmp.Diff(want[g%len(texts)], got); diff != "" {
				t.Errorf("text %d: %s", g, diff)
			}
		})
	}
	group.Wait()
}

func TestCancelledContextStopsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().EmbedDocuments(ctx, []string{"text"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := New().EmbedQuery(ctx, "text"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
