package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"

	"github.com/google/go-cmp/cmp"
)

// faulty is the real service with a search that goes wrong.
type faulty struct {
	codememory.Service
	wait  time.Duration
	err   error
	panic any
}

func (f *faulty) Search(ctx context.Context, r codememory.SearchRequest) (codememory.SearchAnswer, error) {
	select {
	case <-time.After(f.wait):
	case <-ctx.Done():
		return codememory.SearchAnswer{}, fmt.Errorf("search: %w", ctx.Err())
	}
	if f.panic != nil {
		panic(f.panic)
	}
	if f.err != nil {
		return codememory.SearchAnswer{}, f.err
	}
	return f.Service.Search(ctx, r)
}

func TestErrorsAreToldInBothTongues(t *testing.T) {
	tests := map[codememory.Code]int{
		codememory.Invalid: 400, codememory.NotFound: 404, codememory.Conflict: 409, codememory.Unauthorized: 401,
		codememory.Forbidden: 403, codememory.Unavailable: 503, codememory.StorageFull: 507, codememory.ReadOnly: 409,
		codememory.TooLarge: 413, codememory.Internal: 500,
	}
	f := &faulty{Service: openService(t)}
	s := start(t, f)
	for code, status := range tests {
		f.err = fmt.Errorf("around: %w", codememory.Errorf(code, "what went wrong"))
		got := s.ask("POST", "/v1/search", map[string]any{"text": "secret question"})
		var native wire.ErrorBody
		got.decode(t, &native)
		want := wire.ErrorBody{Error: wire.ErrorDetail{Code: code, Message: "around: what went wrong"}}
		if diff := cmp.Diff(want, native); got.status != status || diff != "" {
			t.Errorf("%s: %d\n%s", code, got.status, diff)
		}
		got = s.ask("POST", "/memories/search", map[string]any{"query": "x", "user_id": "opencode_project_1"})
		var compat CompatError
		got.decode(t, &compat)
		if diff := cmp.Diff(CompatError{Error: "around: what went wrong", Detail: "around: what went wrong"}, compat); got.status != status || diff != "" {
			t.Errorf("%s, compat: %d\n%s", code, got.status, diff)
		}
	}
	f.err = errors.New("without a code")
	if got := s.ask("POST", "/v1/search", map[string]any{"text": "x"}); got.status != 500 {
		t.Errorf("an error without a code: %d", got.status)
	}
	if log := s.log.String(); !strings.Contains(log, "without a code") || strings.Contains(log, "secret question") {
		t.Errorf("the log is %s", log)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	f := &faulty{Service: openService(t), panic: "text of a memory"}
	s := start(t, f)
	got := s.ask("POST", "/v1/search", map[string]any{"text": "secret question"})
	if got.status != 500 || !strings.Contains(got.body, `"internal"`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	log := s.log.String()
	if !strings.Contains(log, "handler panicked") || !strings.Contains(log, "faults_test.go") {
		t.Errorf("the log does not say where: %s", log)
	}
	if strings.Contains(log, "text of a memory") || strings.Contains(log, "secret question") {
		t.Errorf("the log tells too much: %s", log)
	}
	if got := s.ask("GET", "/v1/stats", nil); got.status != 200 {
		t.Errorf("the next request got %d", got.status)
	}
}

func TestARequestHasADeadline(t *testing.T) {
	f := &faulty{Service: openService(t), wait: time.Minute}
	s := start(t, f, func(o *Options) { o.Limits.Answer = 50 * time.Millisecond })
	got := s.ask("POST", "/v1/search", map[string]any{"text": "x"})
	if got.status != 503 || !strings.Contains(got.body, "took too long") {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func TestBadJSONIsNamed(t *testing.T) {
	s := start(t, openService(t))
	tests := []struct {
		path, body string
		status     int
		says       string
	}{
		{"/retrieve", `{`, 400, `"error":"invalid json"`},
		{"/retrieve", `{"a":1} x`, 400, `"error":"invalid json"`},
		{"/retrieve", "{\"query_expansion\":\"\xff\"}", 400, `"error":"invalid json"`},
		{"/retrieve", `[1]`, 400, `invalid json`},
		{"/retrieve", `{"entities":"x"}`, 400, `entities: a JSON string is no list`},
		{"/retrieve", ``, 400, `query_expansion and project_root required`},
		{"/memories", `{"messages":[{"role":"user","content":7}]}`, 400, `content`},
		{"/v1/memories", `{"importance":"high"}`, 400, `importance: a JSON string is no number`},
		{"/v1/memories", `{}`, 400, `empty`},
	}
	for _, tt := range tests {
		got := s.ask("POST", tt.path, tt.body)
		if got.status != tt.status || !strings.Contains(got.body, tt.says) {
			t.Errorf("%s %s: got %d %s, want %d saying %s", tt.path, tt.body, got.status, got.body, tt.status, tt.says)
		}
	}
}

func TestUnknownAddresses(t *testing.T) {
	s := start(t, openService(t))
	for _, path := range []string{"/none", "/extract/none", "/arcs"} {
		got := s.ask("GET", path, nil)
		if got.status != 404 || got.body != `{"error":"not found","detail":"not found"}`+"\n" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := s.ask("GET", "/v1/none", nil); got.status != 404 || !strings.Contains(got.body, `"code":"not_found"`) {
		t.Errorf("/v1/none: %d %s", got.status, got.body)
	}
	got := s.ask("DELETE", "/v1/stats", nil)
	if got.status != 405 || !strings.Contains(got.header.Get("Allow"), "GET") {
		t.Errorf("a wrong method: %d, allowed %q", got.status, got.header.Get("Allow"))
	}
}

func TestShutdownIsPassedOnAfterTheAnswer(t *testing.T) {
	asked := make(chan struct{}, 1)
	s := start(t, openService(t), func(o *Options) { o.Shutdown = func() { asked <- struct{}{} } })
	if got := s.ask("POST", "/v1/shutdown", nil); got.status != http.StatusOK {
		t.Errorf("got %d %s", got.status, got.body)
	}
	select {
	case <-asked:
	case <-time.After(5 * time.Second):
		t.Error("nobody was told")
	}
	without := start(t, openService(t))
	if got := without.ask("POST", "/v1/shutdown", nil); got.status != 503 {
		t.Errorf("without a way to end: %d", got.status)
	}
}
