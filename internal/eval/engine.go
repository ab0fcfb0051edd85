package eval

import (
	"context"
	"fmt"

	"codememory"
	"codememory/internal/index"
	"codememory/internal/search"
)

// Collection is a searchable collection that an evaluation fills.
type Collection interface {
	codememory.CandidateSource
	// Add stores documents with their embeddings; embeddings is nil when there
	// is no model.
	Add(ctx context.Context, docs []Document, embeddings [][]codememory.Embedding) error
}

// Engine is the product's search over a collection.
type Engine struct {
	Embedder codememory.Embedder // nil: words only
	Options  search.Options
	// New makes an empty collection; nil means one in memory.
	New func() (Collection, error)
	// Floor is the lowest score to return; nil: the calibrated one.
	Floor *float64

	collection Collection
}

// Reset drops all documents.
func (e *Engine) Reset() error {
	if e.New == nil {
		e.collection = NewMemory(e.Embedder)
		return nil
	}
	c, err := e.New()
	e.collection = c
	return err
}

// Add embeds and stores documents.
func (e *Engine) Add(ctx context.Context, docs []Document) error {
	if e.collection == nil {
		if err := e.Reset(); err != nil {
			return err
		}
	}
	var embeddings [][]codememory.Embedding
	if e.Embedder != nil {
		texts := make([]string, len(docs))
		for i, d := range docs {
			texts[i] = d.Text
		}
		var err error
		if embeddings, err = e.Embedder.EmbedDocuments(ctx, texts); err != nil {
			return fmt.Errorf("embed %d documents: %w", len(docs), err)
		}
	}
	return e.collection.Add(ctx, docs, embeddings)
}

// Search answers a question. Questions of labelled sets are meant literally.
func (e *Engine) Search(ctx context.Context, question string, limit int) (search.Answer, error) {
	if e.collection == nil {
		return search.Answer{}, nil
	}
	r := search.Ranker{Embedder: e.Embedder, Options: e.Options}
	return r.Rank(ctx, search.Request{SearchRequest: codememory.SearchRequest{
		Text: question, Limit: limit, Floor: e.Floor, Literal: true,
	}}, search.Source{Name: "eval", CandidateSource: e.collection})
}

// Memory is a Collection in memory: the index that the stores use, with the
// token states beside it.
type Memory struct {
	model  codememory.EmbeddingModel
	index  *index.Index
	docs   []Document
	states map[string][]codememory.TokenStates
}

// NewMemory returns an empty collection; e may be nil.
func NewMemory(e codememory.Embedder) *Memory {
	m := &Memory{states: map[string][]codememory.TokenStates{}}
	if e != nil {
		m.model = e.Model()
	}
	m.index = index.New(m.model.Dim)
	return m
}

// Add implements Collection.
func (m *Memory) Add(_ context.Context, docs []Document, embeddings [][]codememory.Embedding) error {
	batch := make([]index.Document, len(docs))
	for i, d := range docs {
		batch[i] = index.Document{ID: d.ID, Text: d.Text, Handle: uint32(len(m.docs) + i)}
	}
	m.docs = append(m.docs, docs...)
	m.index.Put(batch...)
	for i, passages := range embeddings {
		vectors := make([][]float32, len(passages))
		states := make([]codememory.TokenStates, len(passages))
		for j, p := range passages {
			vectors[j], states[j] = p.Vector, p.Tokens
		}
		if err := m.index.PutVectors(docs[i].ID, vectors); err != nil {
			return fmt.Errorf("index %s: %w", docs[i].ID, err)
		}
		m.states[docs[i].ID] = states
	}
	return nil
}

// Candidates implements codememory.CandidateSource.
func (m *Memory) Candidates(_ context.Context, q codememory.CandidateQuery) ([]codememory.Candidate, error) {
	hits, err := m.index.Search(index.Query{Terms: q.Terms, Vector: q.Vector, Limit: q.Limit, IDs: q.IDs, Extras: q.Entities, Keep: func(handle uint32) bool {
		updated := m.docs[handle].Updated()
		return (q.Filter.Since.IsZero() || !updated.Before(q.Filter.Since)) && (q.Filter.Until.IsZero() || updated.Before(q.Filter.Until))
	}})
	if err != nil {
		return nil, err
	}
	out := make([]codememory.Candidate, len(hits))
	for i, h := range hits {
		out[i] = codememory.Candidate{
			ID: h.ID, BM25: h.BM25, Coverage: h.Coverage, Cosine: h.Cosine, HasVector: h.HasVector,
			EntityMatch: h.ExtraMatch, UpdatedAt: m.docs[h.Handle].Updated(), Importance: 0.5,
		}
	}
	return out, nil
}

// TokenStates implements codememory.CandidateSource.
func (m *Memory) TokenStates(_ context.Context, model string, ids []string) (map[string][]codememory.TokenStates, error) {
	out := make(map[string][]codememory.TokenStates, len(ids))
	if model != m.model.ID {
		return out, nil
	}
	for _, id := range ids {
		if s, ok := m.states[id]; ok {
			out[id] = s
		}
	}
	return out, nil
}
