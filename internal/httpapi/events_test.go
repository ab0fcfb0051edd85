package httpapi

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"codememory"
)

// stream opens the event stream and returns its lines.
func (s *server) stream(ctx context.Context, lastID string) *bufio.Scanner {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", s.base+"/v1/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("got %s %v", response.Status, response.Header)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// until reads lines until one has this prefix, and returns it.
func until(t *testing.T, lines *bufio.Scanner, prefix string) string {
	t.Helper()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return lines.Text()
		}
	}
	t.Fatalf("the stream ended without %q: %v", prefix, lines.Err())
	return ""
}

func TestEventsArriveAsTheyHappen(t *testing.T) {
	s := start(t, openService(t), func(o *Options) { o.Limits.Heartbeat = 30 * time.Millisecond })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	lines := s.stream(ctx, "")
	until(t, lines, ": connected")
	text := "the linter runs before every commit"
	if got := s.ask("POST", "/v1/memories", codememory.AddRequest{Text: text}); got.status != 200 {
		t.Fatal(got)
	}
	until(t, lines, "id: ")
	until(t, lines, "event: memory.")
	if data := until(t, lines, "data: "); strings.Contains(data, text) || !strings.Contains(data, `"seq"`) {
		t.Errorf("the event is %s", data)
	}
	until(t, lines, ": alive")
	if s.IdleFor() != 0 {
		t.Error("an open stream does not count as activity")
	}
}

func TestAReaderThatComesBackIsToldToLookAnew(t *testing.T) {
	s := start(t, openService(t))
	until(t, s.stream(t.Context(), "17"), "event: reset")
}

func TestAStreamEndsWithTheDaemon(t *testing.T) {
	s := start(t, openService(t))
	lines := s.stream(t.Context(), "")
	until(t, lines, ": connected")
	s.Stop()
	until(t, lines, "event: stopping")
	for lines.Scan() {
	}
	if lines.Err() != nil {
		t.Errorf("the stream broke: %v", lines.Err())
	}
}

// flood is the real service whose events are a channel of the test.
type flood struct {
	codememory.Service
	events chan codememory.Event
	reader chan context.Context
}

func (f flood) Events(ctx context.Context) (<-chan codememory.Event, error) {
	f.reader <- ctx
	return f.events, nil
}

func TestASlowReaderHoldsNobodyUpAndIsDropped(t *testing.T) {
	f := flood{openService(t), make(chan codememory.Event), make(chan context.Context, 1)}
	s := start(t, f, func(o *Options) { o.Limits.Events = 4 })
	lines := s.stream(t.Context(), "")
	until(t, lines, ": connected")
	// Far more than the sockets hold; nobody reads meanwhile.
	event := codememory.Event{Kind: "job.progress", Job: strings.Repeat("x", 32<<10)}
	reader := <-f.reader
	for i := range 10000 {
		event.Seq = uint64(i + 1)
		select {
		case f.events <- event:
			continue
		case <-reader.Done(): // the reader was let go
		case <-time.After(3 * time.Second):
			t.Fatalf("event %d had to wait for the reader", i)
		}
		break
	}
	until(t, lines, "event: dropped")
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: ") {
			t.Errorf("the stream went on with %q", lines.Text())
		}
	}
}
