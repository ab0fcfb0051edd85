package mcpserver_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory/internal/mcpserver"
)

// asking adds headers to the requests of a client.
type asking struct{ headers map[string]string }

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	for k, v := range a.headers {
		r.Header.Set(k, v)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestTheSameOverHTTP(t *testing.T) {
	w := newWorld(t)
	w.add(w.dir, "Deploys happen on Tuesdays only.")
	o := w.options()
	// The daemon may have been started by an agent in another project.
	o.Dir, o.Env = "/wrong", func(string) string { return "/wrong" }
	web := httptest.NewServer(mcpserver.Handler(o))
	defer web.Close()
	for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-06-18"} {
		t.Run(revision, func(t *testing.T) {
			connect := func(headers map[string]string) *mcp.ClientSession {
				cs, err := newClient("claude-code").Connect(t.Context(), &mcp.StreamableClientTransport{
					Endpoint: web.URL, HTTPClient: &http.Client{Transport: asking{headers}}, DisableStandaloneSSE: true,
				}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cs.Close() })
				return cs
			}
			cs := connect(nil)
			if got := cs.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("speaks %s", got)
			}
			if got := ask(t, cs, "memory_search", map[string]any{"query": "deploys", "project": w.dir}); !strings.Contains(got.text, "Tuesdays") {
				t.Errorf("with an argument: %+v", got)
			}
			if got := ask(t, cs, "memory_search", map[string]any{"query": "deploys"}); got.wrong || !strings.Contains(got.text, "argument project") {
				t.Errorf("without a project: %+v", got)
			}
			cs = connect(map[string]string{mcpserver.HeaderProject: w.dir})
			if got := ask(t, cs, "memory_search", map[string]any{"query": "deploys"}); !strings.Contains(got.text, "Tuesdays") {
				t.Errorf("with a header: %+v", got)
			}
			res, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://project"})
			if err != nil || !strings.Contains(res.Contents[0].Text, "Tuesdays") {
				t.Errorf("%+v %v", res, err)
			}
		})
	}
}

func TestHTTPRefusesWhatItShould(t *testing.T) {
	web := httptest.NewServer(mcpserver.Handler(mcpserver.Options{}))
	defer web.Close()
	for name, tt := range map[string]struct {
		method, host, body string
		want               int
	}{
		"a foreign name":         {"POST", "evil.example", initialize, http.StatusForbidden},
		"a body that is no JSON": {"POST", "", "hello", http.StatusBadRequest},
		"too much":               {"POST", "", `"` + strings.Repeat("x", 9<<20) + `"`, http.StatusRequestEntityTooLarge},
		"a stream of its own":    {"GET", "", "", http.StatusMethodNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, web.URL, bytes.NewReader([]byte(tt.body)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			if tt.host != "" {
				req.Host = tt.host
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != tt.want {
				t.Errorf("%d %s", res.StatusCode, body)
			}
		})
	}
}
