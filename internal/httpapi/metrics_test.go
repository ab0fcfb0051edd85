package httpapi

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"codememory"
)

func TestMetricsCountRequests(t *testing.T) {
	s := start(t, openService(t), func(o *Options) {
		o.EmbeddingQueue = func(context.Context) (int, error) { return 7, nil }
	})
	for range 3 {
		s.ask("GET", "/v1/stats", nil)
	}
	s.ask("GET", "/v1/memories/ffffffff", nil)
	s.send(s.base, "GET", "/v1/stats", nil)
	s.ask("GET", "/none", nil)
	if got := s.ask("POST", "/v1/memories", codememory.AddRequest{Text: "the build needs Go 1.26", Project: "tag:opencode_project_0123456789abcdef"}); got.status != 200 {
		t.Fatal(got)
	}
	got := s.ask("GET", "/metrics", nil)
	if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("got %+v", got)
	}
	for _, want := range []string{
		`codememory_build_info{version="1.2.3",goversion="go`,
		`codememory_http_requests_total{route="GET /v1/stats",status="200"} 3`,
		`codememory_http_requests_total{route="GET /v1/memories/{id}",status="404"} 1`,
		`codememory_http_requests_total{route="GET refused",status="401"} 1`,
		`codememory_http_requests_total{route="any unknown",status="404"} 1`,
		`codememory_http_request_duration_seconds_count{route="GET /v1/stats"} 3`,
		`codememory_http_request_duration_seconds_bucket{route="GET /v1/stats",le="+Inf"} 3`,
		"codememory_embedding_queue 7",
		"codememory_http_requests_in_flight 1",
		`codememory_memories{project="`,
	} {
		if !strings.Contains(got.body, want) {
			t.Errorf("%s is missing in\n%s", want, got.body)
		}
	}
	line := regexp.MustCompile(`^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\})? [-+0-9.e]+)$`)
	for l := range strings.Lines(got.body) {
		if !line.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("not a line of the text format: %q", l)
		}
	}
}
