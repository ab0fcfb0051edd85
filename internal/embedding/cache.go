package embedding

import (
	"container/list"
	"context"
	"sync"

	"codememory"
)

// QueryCache remembers the embeddings of recent queries: agents ask the same
// thing again within a session. Its results are shared and must not be changed.
type QueryCache struct {
	codememory.Embedder
	size int

	mu     sync.Mutex
	recent *list.List // of cachedQuery, newest first
	byText map[string]*list.Element
}

type cachedQuery struct {
	text      string
	embedding codememory.Embedding
}

// NewQueryCache wraps an embedder; size is the number of queries to remember.
func NewQueryCache(e codememory.Embedder, size int) *QueryCache {
	return &QueryCache{Embedder: e, size: max(1, size), recent: list.New(), byText: map[string]*list.Element{}}
}

// Unwrap returns the embedder behind the cache.
func (c *QueryCache) Unwrap() codememory.Embedder { return c.Embedder }

// EmbedQuery answers from memory when the text was asked before. Failures are
// not remembered.
func (c *QueryCache) EmbedQuery(ctx context.Context, text string) (codememory.Embedding, error) {
	if e, ok := c.lookup(text); ok {
		return e, nil
	}
	e, err := c.Embedder.EmbedQuery(ctx, text)
	if err == nil {
		c.remember(text, e)
	}
	return e, err
}

func (c *QueryCache) lookup(text string) (codememory.Embedding, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.byText[text]
	if !ok {
		return codememory.Embedding{}, false
	}
	c.recent.MoveToFront(found)
	return found.Value.(cachedQuery).embedding, true
}

func (c *QueryCache) remember(text string, e codememory.Embedding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byText[text]; ok {
		return // another goroutine was faster
	}
	c.byText[text] = c.recent.PushFront(cachedQuery{text, e})
	if c.recent.Len() > c.size {
		oldest := c.recent.Remove(c.recent.Back()).(cachedQuery)
		delete(c.byText, oldest.text)
	}
}
