package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"codememory"
)

// buckets are the upper bounds of the latency histogram in seconds. The budget
// of a retrieval is 8 ms, of a hook 30 ms, of an agent's call 300 ms: the
// bounds are dense around them.
var buckets = []float64{0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.05, 0.1, 0.3, 1, 3, 10}

// metrics counts requests.
type metrics struct {
	started  time.Time
	inFlight atomic.Int64

	mu        sync.Mutex
	requests  map[requestKey]uint64
	latencies map[string]*histogram // by route
}

type requestKey struct {
	route  string
	status int
}

type histogram struct {
	counts []uint64 // per bucket, not cumulated
	sum    float64
	n      uint64
}

func newMetrics(now time.Time) *metrics {
	return &metrics{started: now, requests: map[requestKey]uint64{}, latencies: map[string]*histogram{}}
}

// observe counts an answered request. A stream lasts as long as its reader, so
// its duration says nothing.
func (m *metrics) observe(rt route, w *observed, began time.Time) {
	took := time.Since(began).Seconds()
	name := rt.method + " " + rt.path
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[requestKey{name, w.status}]++
	if rt.stream {
		return
	}
	h := m.latencies[name]
	if h == nil {
		h = &histogram{counts: make([]uint64, len(buckets))}
		m.latencies[name] = h
	}
	h.n++
	h.sum += took
	if i, _ := slices.BinarySearch(buckets, took); i < len(buckets) {
		h.counts[i]++
	}
}

const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// serveMetrics writes everything in Prometheus' text format.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.Service.Projects(r.Context())
	if err != nil {
		return err
	}
	var b strings.Builder
	family(&b, "codememory_build_info", "gauge", "The running program.")
	sample(&b, "codememory_build_info", 1, "version", s.Version, "goversion", runtime.Version())
	family(&b, "process_start_time_seconds", "gauge", "When the daemon started, in Unix seconds.")
	sample(&b, "process_start_time_seconds", float64(s.metrics.started.UnixMilli())/1000)
	family(&b, "go_goroutines", "gauge", "Goroutines that exist.")
	sample(&b, "go_goroutines", float64(runtime.NumGoroutine()))
	writeMemories(&b, projects)
	if s.EmbeddingQueue != nil {
		n, err := s.EmbeddingQueue(r.Context())
		if err != nil {
			return err
		}
		family(&b, "codememory_embedding_queue", "gauge", "Memories that wait for a vector.")
		sample(&b, "codememory_embedding_queue", float64(n))
	}
	family(&b, "codememory_http_requests_in_flight", "gauge", "Requests being answered, event streams included.")
	sample(&b, "codememory_http_requests_in_flight", float64(s.metrics.inFlight.Load()))
	s.metrics.write(&b)
	w.Header().Set("Content-Type", metricsType)
	_, _ = io.WriteString(w, b.String()) // the caller may have left
	return nil
}

func writeMemories(w io.Writer, projects []codememory.ProjectStats) {
	family(w, "codememory_memories", "gauge", "Memories by project.")
	for _, p := range projects {
		sample(w, "codememory_memories", float64(p.Memories), "project", p.ID)
	}
}

func (m *metrics) write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	family(w, "codememory_http_requests_total", "counter", "Requests answered, by route and status.")
	keys := make([]requestKey, 0, len(m.requests))
	for k := range m.requests {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b requestKey) int {
		if c := strings.Compare(a.route, b.route); c != 0 {
			return c
		}
		return a.status - b.status
	})
	for _, k := range keys {
		sample(w, "codememory_http_requests_total", float64(m.requests[k]), "route", k.route, "status", fmt.Sprint(k.status))
	}
	const name = "codememory_http_request_duration_seconds"
	family(w, name, "histogram", "Time to answer, by route.")
	routes := make([]string, 0, len(m.latencies))
	for r := range m.latencies {
		routes = append(routes, r)
	}
	slices.Sort(routes)
	for _, r := range routes {
		h := m.latencies[r]
		var below uint64
		for i, bound := range buckets {
			below += h.counts[i]
			sample(w, name+"_bucket", float64(below), "route", r, "le", fmt.Sprint(bound))
		}
		sample(w, name+"_bucket", float64(h.n), "route", r, "le", "+Inf")
		sample(w, name+"_sum", h.sum, "route", r)
		sample(w, name+"_count", float64(h.n), "route", r)
	}
}

func family(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample writes one line; labels are names and values in turn.
func sample(w io.Writer, name string, value float64, labels ...string) {
	fmt.Fprint(w, name)
	for i := 0; i+1 < len(labels); i += 2 {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		fmt.Fprintf(w, `%s%s="%s"`, sep, labels[i], labelEscaper.Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		fmt.Fprint(w, "}")
	}
	fmt.Fprintf(w, " %v\n", value)
}

var labelEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
