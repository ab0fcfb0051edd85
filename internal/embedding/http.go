package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"codememory"
)

// largestAnswer bounds what a server can make us hold.
const largestAnswer = 64 << 20

// roundTrip posts a JSON request and returns the body of a 2xx answer.
func (r *remote) roundTrip(ctx context.Context, payload any) ([]byte, error) {
	encoded, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("encode embedding request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(encoded))
	if err != nil {
		return nil, fmt.Errorf("make embedding request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if r.config.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+r.config.APIKey)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, codememory.Errorf(codememory.Unavailable, "the embedding server %s cannot be reached, is it running? %w", r.url, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	switch {
	case err != nil:
		return nil, codememory.Errorf(codememory.Unavailable, "read the answer of the embedding server %s: %w", r.url, err)
	case len(body) > largestAnswer:
		return nil, codememory.Errorf(codememory.Unavailable, "the embedding server %s answers more than %d MB", r.url, largestAnswer>>20)
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		return nil, codememory.Errorf(codememory.Unavailable, "the embedding server %s refuses the API key (%s): check the configured key", r.url, response.Status)
	case response.StatusCode/100 != 2:
		return nil, codememory.Errorf(codememory.Unavailable, "the embedding server %s answers %s: %s", r.url, response.Status, reason(body))
	}
	return body, nil
}

// reason finds the message in an error answer: {"error":"…"} as Ollama writes
// it or {"error":{"message":"…"}} as OpenAI does. Other bodies are not repeated.
func reason(body []byte) string {
	var plain struct{ Error string }
	if json.Unmarshal(body, &plain) == nil && plain.Error != "" {
		return firstRunes(plain.Error, 200)
	}
	var nested struct{ Error struct{ Message string } }
	if json.Unmarshal(body, &nested) == nil && nested.Error.Message != "" {
		return firstRunes(nested.Error.Message, 200)
	}
	return "no reason given"
}

// joinURL appends a path to a configured http(s) address.
func joinURL(base, path string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, codememory.Errorf(codememory.Invalid, "the embedding server's address %q is not an http(s) URL", base)
	}
	return u.JoinPath(path), nil
}

// decodeVector reads one JSON array of numbers. A null would silently become 0.
func decodeVector(raw json.RawMessage) ([]float32, error) {
	if bytes.Contains(raw, []byte("null")) {
		return nil, fmt.Errorf("a vector holds null")
	}
	var v []float32
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("read a vector: %w", err)
	}
	return v, nil
}
