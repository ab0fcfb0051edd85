package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// handler makes the mux of a table and puts the guard before it.
func (s *Server) handler(table []route, g guard) http.Handler {
	mux := http.NewServeMux()
	known := map[string]route{}
	for _, rt := range table {
		pattern := rt.method + " " + rt.path
		known[pattern] = rt
		mux.Handle(pattern, s.endpoint(rt, g))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		w.Header().Set(wire.VersionHeader, s.Version)
		found, pattern := mux.Handler(r)
		rt, ok := known[pattern]
		if !ok {
			rt.door = doorOf(r.URL.Path)
		}
		err := g.admit(r)
		if err == nil && !rt.public {
			err = g.authorizeFor(rt, r)
		}
		switch {
		case err != nil:
			s.refuse(w, r, rt.door, err)
		case !ok:
			s.miss(w, r, found)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// endpoint wraps the handler of a route in everything that all routes share.
func (s *Server) endpoint(rt route, g guard) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !rt.quiet {
			s.activity.begin()
			defer s.activity.end()
		}
		out, began := &observed{ResponseWriter: w}, time.Now()
		s.metrics.inFlight.Add(1)
		defer func() {
			s.metrics.inFlight.Add(-1)
			s.metrics.observe(rt, out, began)
			s.Log.Debug("answered", "route", r.Pattern, "status", out.status, "took", time.Since(began))
		}()
		defer s.recover(out, r, rt.door)

		if !rt.stream {
			limit := s.Limits.Answer
			if rt.long {
				limit = s.Limits.LongAnswer
			}
			ctx, cancel := context.WithTimeout(r.Context(), limit)
			defer cancel()
			r = r.WithContext(ctx)
			// Some time more, so that "took too long" can still be said.
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit + 10*time.Second))
		}
		if rt.public {
			r = r.WithContext(context.WithValue(r.Context(), guardKey{}, g))
		}
		if err := rt.serve(s, out, r); err != nil {
			s.fail(out, r, rt.door, err)
		}
	})
}

// guardKey is how a public route finds the guard of its listener.
type guardKey struct{}

// recover turns a panic into an answer. Neither the request nor the value of
// the panic is logged, as both may hold memory text; runtime errors hold none.
func (s *Server) recover(w *observed, r *http.Request, d door) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	what := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		what = err.Error()
	}
	s.Log.ErrorContext(r.Context(), "handler panicked", "method", r.Method, "route", r.Pattern, "panic", what, "stack", string(debug.Stack()))
	if w.status == 0 {
		s.failWith(w, d, http.StatusInternalServerError, codememory.Internal, "a defect in CodeMemory stopped this request; the daemon's log says where")
	}
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, d door, err error) {
	out := &observed{ResponseWriter: w}
	defer s.metrics.observe(route{method: r.Method, path: "refused"}, out, time.Now())
	s.fail(out, r, d, err)
}

// miss answers for an address that has no route, or not with this method.
func (s *Server) miss(w http.ResponseWriter, r *http.Request, standard http.Handler) {
	said := &headOnly{header: http.Header{}}
	standard.ServeHTTP(said, r)
	out := &observed{ResponseWriter: w}
	defer s.metrics.observe(route{method: "any", path: "unknown"}, out, time.Now())
	if said.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", said.header.Get("Allow"))
		s.failWith(out, doorOf(r.URL.Path), said.status, codememory.Invalid, "method not allowed")
		return
	}
	s.failWith(out, doorOf(r.URL.Path), http.StatusNotFound, codememory.NotFound, "not found")
}

// observed remembers the status for the metrics.
type observed struct {
	http.ResponseWriter
	status int
}

func (o *observed) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

func (o *observed) Write(p []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	return o.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController through.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// headOnly takes an answer and keeps its status and header.
type headOnly struct {
	header http.Header
	status int
}

func (h *headOnly) Header() http.Header         { return h.header }
func (h *headOnly) WriteHeader(status int)      { h.status = status }
func (h *headOnly) Write(p []byte) (int, error) { return len(p), nil }
