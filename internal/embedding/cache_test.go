package embedding

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"codememory"
)

// countingEmbedder counts queries and fails for the text "fail".
type countingEmbedder struct {
	codememory.Embedder
	mu    sync.Mutex
	calls map[string]int
}

func (c *countingEmbedder) EmbedQuery(_ context.Context, text string) (codememory.Embedding, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[text]++
	if text == "fail" {
		return codememory.Embedding{}, codememory.Errorf(codememory.Unavailable, "down")
	}
	return codememory.Embedding{Vector: []float32{float32(len(text))}}, nil
}

func TestQueryCacheRemembersRecentQueries(t *testing.T) {
	behind := &countingEmbedder{calls: map[string]int{}}
	cache := NewQueryCache(behind, 2)
	ask := func(text string) {
		t.Helper()
		e, err := cache.EmbedQuery(t.Context(), text)
		if text == "fail" {
			if err == nil {
				t.Error("the failure was lost")
			}
			return
		}
		if err != nil || e.Vector[0] != float32(len(text)) {
			t.Errorf("%q: %v, %v", text, e, err)
		}
	}
	for _, text := range []string{"a", "bb", "a", "ccc", "a", "bb", "fail", "fail"} {
		ask(text)
	}
	// "a" was used again before "ccc" pushed out the older "bb".
	for text, want := range map[string]int{"a": 1, "bb": 2, "ccc": 1, "fail": 2} {
		if got := behind.calls[text]; got != want {
			t.Errorf("%q was computed %d times, want %d", text, got, want)
		}
	}
}

func TestQueryCacheIsSafeAndBounded(t *testing.T) {
	cache := NewQueryCache(&countingEmbedder{calls: map[string]int{}}, 10)
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 200 {
				if _, err := cache.EmbedQuery(t.Context(), fmt.Sprint(i%(15+g))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if len(cache.byText) != 10 || cache.recent.Len() != 10 {
		t.Errorf("%d and %d entries, want 10", len(cache.byText), cache.recent.Len())
	}
}
