package embedding

import (
	"encoding/json"
	"fmt"
	"net/url"
)

const ollamaDefault = "http://127.0.0.1:11434"

// ollamaWire is POST /api/embed.
type ollamaWire struct{}

type ollamaRequest struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

func (ollamaWire) endpoint(base string) (*url.URL, error) {
	if base == "" {
		base = ollamaDefault
	}
	return joinURL(base, "api/embed")
}

func (ollamaWire) request(model string, texts []string) any {
	return ollamaRequest{Model: model, Input: texts}
}

func (ollamaWire) vectors(body []byte, texts int) ([][]float32, error) {
	var answer struct {
		Embeddings []json.RawMessage `json:"embeddings"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if len(answer.Embeddings) != texts {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer.Embeddings), texts)
	}
	out := make([][]float32, texts)
	for i, raw := range answer.Embeddings {
		var err error
		if out[i], err = decodeVector(raw); err != nil {
			return nil, err
		}
	}
	return out, nil
}
