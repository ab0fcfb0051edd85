package httpapi

import (
	"context"
	"strings"

	"codememory"
)

// The routes of CodeMira's daemon: GET /health and POST /retrieve.

// CompatHealth has the keys of both older systems.
type CompatHealth struct {
	Status         string   `json:"status"` // ok as soon as requests are answered
	Ready          bool     `json:"ready"`
	LLM            bool     `json:"llm"`
	Ollama         bool     `json:"ollama"` // the same as llm, under its first name
	EmbeddingModel string   `json:"embedding_model"`
	Version        string   `json:"version"`
	Degraded       bool     `json:"degraded"`
	Reasons        []string `json:"reasons"`
}

// compatHealth says ok even when a part is missing, since older clients switch
// themselves off at anything else; degraded and the reasons say the rest.
func compatHealth(ctx context.Context, c call[none, none]) (CompatHealth, error) {
	h, err := c.Service.Health(ctx)
	if err != nil {
		return CompatHealth{}, err
	}
	if !h.Ready {
		return CompatHealth{}, codememory.Errorf(codememory.Unavailable, "not ready yet: %s", strings.Join(h.Reasons, "; "))
	}
	return CompatHealth{
		Status: "ok", Ready: true, LLM: h.LLM, Ollama: h.LLM,
		EmbeddingModel: h.EmbeddingModel, Version: h.Version,
		Degraded: h.Status != "ok", Reasons: listed(h.Reasons),
	}, nil
}

// CompatRetrieved is the answer of POST /retrieve.
type CompatRetrieved struct {
	Memories []CompatMemory `json:"memories"`
	Degraded bool           `json:"degraded"`
	Reasons  []string       `json:"reasons"`
}

// CompatMemory is a memory as CodeMira's plugin shows it. Its id is the bare
// short one: the plugin itself puts mem_ before it.
type CompatMemory struct {
	ID         string              `json:"id"`
	Text       string              `json:"text"`
	Importance float64             `json:"importance"`
	Category   codememory.Category `json:"category"`
}

func compatRetrieve(ctx context.Context, c call[none, codememory.RetrieveRequest]) (CompatRetrieved, error) {
	if strings.TrimSpace(c.Body.QueryExpansion) == "" || strings.TrimSpace(c.Body.ProjectRoot) == "" {
		return CompatRetrieved{}, codememory.Errorf(codememory.Invalid, "query_expansion and project_root required")
	}
	found, err := c.Service.Retrieve(ctx, c.Body)
	if err != nil {
		return CompatRetrieved{}, err
	}
	answer := CompatRetrieved{Memories: make([]CompatMemory, len(found.Hits)), Degraded: found.Degraded, Reasons: listed(found.Reasons)}
	for i, hit := range found.Hits {
		m := hit.Memory
		answer.Memories[i] = CompatMemory{ID: codememory.ShortID(m.ID), Text: m.Text, Importance: m.Importance, Category: m.Category}
	}
	return answer, nil
}
