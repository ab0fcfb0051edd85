package embedding

import (
	"encoding/json"
	"fmt"
	"net/url"

	"codememory"
)

// openAIWire is POST /v1/embeddings.
type openAIWire struct {
	dimensions int // asked for when not 0
}

type openAIRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

func (openAIWire) endpoint(base string) (*url.URL, error) {
	if base == "" {
		return nil, codememory.Errorf(codememory.Invalid, "an OpenAI-compatible embedding provider needs a base URL, such as http://127.0.0.1:8000/v1")
	}
	u, err := joinURL(base, "")
	if err != nil {
		return nil, err
	}
	if u.Path == "" || u.Path == "/" {
		u = u.JoinPath("v1")
	}
	return u.JoinPath("embeddings"), nil
}

func (w openAIWire) request(model string, texts []string) any {
	return openAIRequest{Model: model, Input: texts, Format: "float", Dimensions: w.dimensions}
}

func (openAIWire) vectors(body []byte, texts int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     int             `json:"index"`
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if len(answer.Data) != texts {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer.Data), texts)
	}
	out := make([][]float32, texts)
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= texts || out[d.Index] != nil {
			return nil, fmt.Errorf("vector index %d is out of range or given twice", d.Index)
		}
		v, err := decodeVector(d.Embedding)
		if err != nil {
			return nil, err
		}
		out[d.Index] = v
	}
	return out, nil
}
