package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"codememory"

	"github.com/google/go-cmp/cmp"
)

// fakeServer speaks both wire formats: the vector of a text is (3, len(text), 0).
func fakeServer(t *testing.T) (*httptest.Server, *[]map[string]any) {
	t.Helper()
	var seen []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request map[string]any
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		request["path"], request["authorization"] = r.URL.Path, r.Header.Get("Authorization")
		seen = append(seen, request)
		var plain [][]float32
		var indexed []map[string]any
		for i, text := range request["input"].([]any) {
			v := []float32{3, float32(len(text.(string))), 0}
			plain = append(plain, v)
			indexed = append([]map[string]any{{"index": i, "embedding": v}}, indexed...) // out of order
		}
		if r.URL.Path == "/api/embed" {
			json.NewEncoder(w).Encode(map[string]any{"model": request["model"], "embeddings": plain})
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": indexed})
	}))
	t.Cleanup(server.Close)
	return server, &seen
}

func TestProvidersSpeakTheirWireFormat(t *testing.T) {
	for _, test := range []struct {
		provider Provider
		suffix   string
		path     string
	}{
		{Ollama, "", "/api/embed"},
		{OpenAI, "/v1", "/v1/embeddings"},
		{OpenAI, "", "/v1/embeddings"},
		{OpenAI, "/proxy/v1/", "/proxy/v1/embeddings"},
	} {
		t.Run(string(test.provider)+test.suffix, func(t *testing.T) {
			server, seen := fakeServer(t)
			e, err := Open(Config{
				Provider: test.provider, Model: "m", BaseURL: server.URL + test.suffix, APIKey: "key", BatchSize: 2,
				QueryPrefix: "q: ", DocumentPrefix: "d: ",
				Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "x") },
			})
			if err != nil {
				t.Fatal(err)
			}
			if dim := e.Model().Dim; dim != 0 {
				t.Errorf("dimension is %d before any answer", dim)
			}
			docs, err := e.EmbedDocuments(t.Context(), []string{"a", "secret", "ccc"})
			if err != nil {
				t.Fatal(err)
			}
			if dim := e.Model().Dim; dim != 3 {
				t.Errorf("dimension is %d, want 3", dim)
			}
			for i, length := range []float64{4, 4, 6} { // "d: a", "d: x", "d: ccc"
				want := float32(length / math.Hypot(3, length))
				if got := docs[i][0].Vector[1]; math.Abs(float64(got-want)) > 1e-6 {
					t.Errorf("text %d: got %v, want %v", i, got, want)
				}
			}
			if _, err := e.EmbedQuery(t.Context(), "secret?"); err != nil {
				t.Fatal(err)
			}
			if len(*seen) != 3 {
				t.Fatalf("%d requests, want two batches and a query", len(*seen))
			}
			last := (*seen)[2]
			if diff := cmp.Diff([]any{"q: x?"}, last["input"]); diff != "" {
				t.Error(diff)
			}
			if last["path"] != test.path || last["authorization"] != "Bearer key" || last["model"] != "m" {
				t.Errorf("request was %v", last)
			}
		})
	}
}

func TestBadAnswersAreUnavailable(t *testing.T) {
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		message string
	}{
		{"wrong dimension", answer(200, `{"embeddings":[[1,2,3,4]]}`), "4 dimensions"},
		{"null in a vector", answer(200, `{"embeddings":[[1,null,3]]}`), "null"},
		{"null instead of a vector", answer(200, `{"embeddings":[null]}`), "null"},
		{"NaN in a vector", answer(200, `{"embeddings":[[1,NaN,3]]}`), "JSON"},
		{"a number beyond float32", answer(200, `{"embeddings":[[1,1e39,3]]}`), "vector"},
		{"no length", answer(200, `{"embeddings":[[0,0,0]]}`), "no length"},
		{"malformed JSON", answer(200, `{"embeddings":[[1,2`), "JSON"},
		{"a page instead of JSON", answer(200, `<html>`), "JSON"},
		{"fewer vectors than texts", answer(200, `{"embeddings":[]}`), "0 vectors for 1 texts"},
		{"refused key", answer(401, `{"error":"bad key"}`), "key"},
		{"server error with a reason", answer(500, `{"error":"model not loaded"}`), "model not loaded"},
		{"server error in OpenAI's form", answer(503, `{"error":{"message":"overloaded"}}`), "overloaded"},
		{"server error without a reason", answer(502, `<html>bad gateway</html>`), "no reason given"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			e, err := Open(Config{Provider: Ollama, Model: "m", BaseURL: server.URL, Dim: 3, APIKey: "hidden"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.EmbedQuery(t.Context(), "text")
			if codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "hidden") {
				t.Error("the message shows the key")
			}
			if _, err = e.EmbedDocuments(t.Context(), []string{"text"}); codememory.CodeOf(err) != codememory.Unavailable {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestOpenAIAnswerMustHoldEachIndexOnce(t *testing.T) {
	body := `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}`
	if _, err := (openAIWire{}).vectors([]byte(body), 2); err == nil {
		t.Error("an index given twice was accepted")
	}
	body = `{"data":[{"index":7,"embedding":[1]}]}`
	if _, err := (openAIWire{}).vectors([]byte(body), 1); err == nil {
		t.Error("an index out of range was accepted")
	}
}

func TestDimensionMayNotChange(t *testing.T) {
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			io.WriteString(w, `{"embeddings":[[1,2]]}`)
			return
		}
		io.WriteString(w, `{"embeddings":[[1,2,3]]}`)
	}))
	defer server.Close()
	e, err := Open(Config{Provider: Ollama, Model: "m", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedQuery(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedQuery(t.Context(), "two"); codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestHangingServerTimesOut(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	e, err := Open(Config{Provider: Ollama, Model: "m", BaseURL: server.URL, QueryTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.EmbedQuery(t.Context(), "text")
	if codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = e.EmbedQuery(ctx, "text"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call gives %v", err)
	}
}

func TestUnreachableServerIsUnavailable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	e, err := Open(Config{Provider: OpenAI, Model: "m", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = e.EmbedQuery(t.Context(), "text"); codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestOpenRefusesWhatCannotWork(t *testing.T) {
	for name, c := range map[string]Config{
		"unknown provider":           {Provider: "magic"},
		"no model":                   {Provider: Ollama},
		"no address":                 {Provider: OpenAI, Model: "m"},
		"not an http address":        {Provider: OpenAI, Model: "m", BaseURL: "ftp://host/v1"},
		"an address without a host":  {Provider: Ollama, Model: "m", BaseURL: "localhost:11434"},
		"an address that is no URL":  {Provider: Ollama, Model: "m", BaseURL: "http://[::1"},
		"an address without content": {Provider: OpenAI, Model: "m", BaseURL: " "},
	} {
		if _, err := Open(c); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDefaultIsTheBuiltInModel(t *testing.T) {
	e, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if m := e.Model(); m.ID != "minilm-l6-v2/1" || m.Dim != 384 || m.TokenDim != 64 {
		t.Errorf("model is %+v", m)
	}
}

func TestModelIDTellsSpacesApart(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range []Config{
		{Provider: Ollama, Model: "m"},
		{Provider: Ollama, Model: "n"},
		{Provider: OpenAI, Model: "m", BaseURL: "http://host"},
		{Provider: OpenAI, Model: "m", BaseURL: "http://host", Dim: 256},
		{Provider: Ollama, Model: "m", DocumentPrefix: "search_document: "},
	} {
		e, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		ids[e.Model().ID] = true
	}
	if len(ids) != 5 {
		t.Errorf("five spaces have %d names: %v", len(ids), ids)
	}
}
