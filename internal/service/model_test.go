package service_test

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"codememory"
)

// ollama speaks the wire format of an embedding server; its vectors count words.
func ollama(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		var out struct {
			Embeddings [][]float32 `json:"embeddings"`
		}
		for _, text := range req.Input {
			if strings.Contains(text, "AKIA") {
				t.Errorf("a secret left the process: %q", text)
			}
			v := make([]float32, 48)
			for _, word := range strings.Fields(strings.ToLower(text)) {
				h := fnv.New32a()
				_, _ = h.Write([]byte(word))
				v[h.Sum32()%48]++
			}
			out.Embeddings = append(out.Embeddings, v)
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func unembedded(w *world) int {
	w.t.Helper()
	n, err := w.EmbeddingQueue(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestAModelOnAServerAndAChangeOfModel(t *testing.T) {
	flags := map[string]string{"embedding.provider": "ollama", "embedding.model": "words", "embedding.url": ollama(t)}
	w := newWorld(t, flags)
	dir := w.project("app")
	w.add(codememory.AddRequest{Project: dir, Text: "We rotate refresh tokens because the gateway caches them"})
	if got := w.texts(codememory.SearchRequest{Project: dir, Text: "gateway refresh tokens"}); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	if n := unembedded(w); n != 0 {
		t.Errorf("%d without a vector", n)
	}
	h, err := w.Health(t.Context())
	if err != nil || !strings.Contains(h.EmbeddingModel, "words") {
		t.Errorf("%+v %v", h, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// Another model: the vectors of the first mean nothing to it, and are made
	// again in the background.
	w.open(nil)
	deadline := time.Now().Add(20 * time.Second)
	for {
		got := w.texts(codememory.SearchRequest{Project: dir, Text: "why do we renew credentials"})
		if len(got) == 1 && unembedded(w) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not embedded again: %q, %d left", got, unembedded(w))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestAServerThatIsDownCostsNoMemory(t *testing.T) {
	flags := map[string]string{"embedding.provider": "ollama", "embedding.model": "words", "embedding.url": "http://127.0.0.1:9"}
	w := newWorld(t, flags)
	dir := w.project("app")
	w.add(codememory.AddRequest{Project: dir, Text: "The gateway caches tokens for an hour"})
	ans, err := w.Search(t.Context(), codememory.SearchRequest{Project: dir, Text: "how long does the gateway cache tokens?"})
	if err != nil || len(ans.Hits) != 1 || !ans.Degraded || len(ans.Reasons) == 0 {
		t.Errorf("%+v %v", ans, err)
	}
}
