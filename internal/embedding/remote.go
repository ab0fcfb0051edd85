package embedding

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"codememory"
)

// wire is one HTTP dialect for embeddings.
type wire interface {
	// endpoint returns the address to post to, given the configured base.
	endpoint(base string) (*url.URL, error)
	request(model string, texts []string) any
	// vectors reads an answer into one raw vector per text, in order.
	vectors(body []byte, texts int) ([][]float32, error)
}

// remote embeds through a server.
type remote struct {
	config Config
	wire   wire
	url    string
	client *http.Client
	dim    atomic.Int64 // 0 until known
}

func newRemote(c Config, w wire) (*remote, error) {
	if c.Model == "" {
		return nil, codememory.Errorf(codememory.Invalid, "embedding provider %s needs a model name", c.Provider)
	}
	endpoint, err := w.endpoint(c.BaseURL)
	if err != nil {
		return nil, err
	}
	c.QueryTimeout = orDefault(c.QueryTimeout, 5*time.Second)
	c.DocumentTimeout = orDefault(c.DocumentTimeout, time.Minute)
	c.BatchSize = max(1, orDefault(c.BatchSize, 32))
	r := &remote{config: c, wire: w, url: endpoint.String(), client: c.Client}
	if r.client == nil {
		r.client = &http.Client{}
	}
	r.dim.Store(int64(c.Dim))
	return r, nil
}

// Model describes the space. Dim is 0 until the server has answered once,
// unless it was configured.
func (r *remote) Model() codememory.EmbeddingModel {
	thresholds := GenericThresholds
	if r.config.Thresholds != nil {
		thresholds = *r.config.Thresholds
	}
	id := fmt.Sprintf("%s:%s", r.config.Provider, r.config.Model)
	if r.config.Dim > 0 {
		id = fmt.Sprintf("%s@%d", id, r.config.Dim)
	}
	if prefixes := r.config.QueryPrefix + r.config.DocumentPrefix; prefixes != "" {
		id = fmt.Sprintf("%s#%08x", id, crc32.ChecksumIEEE([]byte(prefixes)))
	}
	return codememory.EmbeddingModel{ID: id, Dim: int(r.dim.Load()), Thresholds: thresholds}
}

func (r *remote) EmbedQuery(ctx context.Context, text string) (codememory.Embedding, error) {
	texts := []string{r.config.QueryPrefix + firstRunes(text, passageRunes)}
	vectors, err := r.post(ctx, texts, r.config.QueryTimeout)
	if err != nil {
		return codememory.Embedding{}, err
	}
	return codememory.Embedding{Vector: vectors[0]}, nil
}

func (r *remote) EmbedDocuments(ctx context.Context, texts []string) ([][]codememory.Embedding, error) {
	var passages []string
	var owner []int
	for i, text := range texts {
		for _, p := range splitPassages(text) {
			passages = append(passages, r.config.DocumentPrefix+p)
			owner = append(owner, i)
		}
	}
	out := make([][]codememory.Embedding, len(texts))
	for start := 0; start < len(passages); start += r.config.BatchSize {
		end := min(start+r.config.BatchSize, len(passages))
		vectors, err := r.post(ctx, passages[start:end], r.config.DocumentTimeout)
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			to := owner[start+i]
			out[to] = append(out[to], codememory.Embedding{Vector: v})
		}
	}
	return out, nil
}

// post sends one batch and returns checked unit vectors.
func (r *remote) post(ctx context.Context, texts []string, timeout time.Duration) ([][]float32, error) {
	if r.config.Redact != nil {
		clean := make([]string, len(texts))
		for i, text := range texts {
			clean[i] = r.config.Redact(text)
		}
		texts = clean
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := r.roundTrip(limited, r.wire.request(r.config.Model, texts))
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return nil, codememory.Errorf(codememory.Unavailable, "the embedding server %s did not answer within %v", r.url, timeout)
		}
		return nil, err
	}
	vectors, err := r.wire.vectors(body, len(texts))
	if err != nil {
		return nil, codememory.Errorf(codememory.Unavailable, "the embedding server %s gave an answer that cannot be used: %w", r.url, err)
	}
	for _, v := range vectors {
		if err := r.accept(v); err != nil {
			return nil, codememory.Errorf(codememory.Unavailable, "the embedding server %s gave a vector of %s that cannot be used: %w", r.url, r.config.Model, err)
		}
	}
	return vectors, nil
}

// accept checks a vector against the known dimension, or learns it from the
// first one, and brings it to unit length.
func (r *remote) accept(v []float32) error {
	dim := r.dim.Load()
	if dim == 0 {
		dim = int64(len(v))
	}
	if err := codememory.CheckVector(v, int(dim)); err != nil {
		return err
	}
	if !r.dim.CompareAndSwap(0, dim) && r.dim.Load() != dim {
		return fmt.Errorf("vector has %d dimensions, others have %d", dim, r.dim.Load())
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i, x := range v {
		v[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return nil
}
