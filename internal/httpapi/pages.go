package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// The addresses of the web pages. They are files and a door for browsers, not
// part of the API.
const (
	pageRoot    = "/"
	pagePrefix  = "/ui/"
	pageSession = "/ui/session"
)

// pagePolicy lets pages use their own files and this daemon, and nothing else.
// No script comes from text: neither inline nor made of a string.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// withPages serves the web pages beside the API.
func (s *Server) withPages(api http.Handler, g guard) http.Handler {
	if s.Pages == nil {
		return api
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != pageRoot && !strings.HasPrefix(r.URL.Path, pagePrefix) {
			api.ServeHTTP(w, r)
			return
		}
		secure(w.Header())
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set(wire.VersionHeader, s.Version)
		out, began := &observed{ResponseWriter: w}, time.Now()
		defer func() { s.metrics.observe(route{method: r.Method, path: pagePrefix}, out, began) }()
		if err := s.servePage(out, r, g); err != nil {
			s.fail(out, r, native, err)
		}
	})
}

func (s *Server) servePage(w http.ResponseWriter, r *http.Request, g guard) error {
	if err := g.admit(opened(r)); err != nil {
		return err
	}
	if r.URL.Path == pageSession {
		return s.serveSession(w, r, g)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.failWith(w, native, http.StatusMethodNotAllowed, codememory.Invalid, "method not allowed")
		return nil
	}
	s.Pages.ServeHTTP(w, r)
	return nil
}

// opened lets a person follow a link to the pages from anywhere: opening them
// tells the other site nothing and changes nothing.
func opened(r *http.Request) *http.Request {
	if r.Method != http.MethodGet || r.URL.Path != pageRoot || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del("Sec-Fetch-Site")
	return r
}

// serveSession exchanges a code for a session, or ends one.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request, g guard) error {
	if !fromPage(r) {
		return codememory.Errorf(codememory.Forbidden, "only the pages of this daemon may sign in here")
	}
	switch r.Method {
	case http.MethodPost:
		data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<10))
		if err != nil {
			return err
		}
		var body wire.PageCode
		if json.Unmarshal(data, &body) != nil {
			return errNotJSON
		}
		if !s.codes.use(body.Code) {
			return codememory.Errorf(codememory.Unauthorized, "this link was used already or is too old: run codememory dashboard for a new one")
		}
		cookie, key, err := g.newSession(time.Now())
		if err != nil {
			return err
		}
		http.SetCookie(w, cookie)
		writeJSON(w, http.StatusOK, wire.PageSession{Key: key})
	case http.MethodDelete:
		http.SetCookie(w, &http.Cookie{Name: g.cookieName(), Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
		writeJSON(w, http.StatusOK, wire.Empty{})
	default:
		w.Header().Set("Allow", "POST, DELETE")
		s.failWith(w, native, http.StatusMethodNotAllowed, codememory.Invalid, "method not allowed")
	}
	return nil
}

// fromPage reports whether a browser says that a page of our own asks. Older
// browsers name only the origin, which admit has compared.
func fromPage(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return true
	case "":
		return r.Header.Get("Origin") != ""
	default:
		return false
	}
}

// forPages are the routes that a page may ask. The rest of the API, such as
// ending the daemon or replacing a store, needs the token.
func forPages(rt route) bool {
	switch rt.method + " " + rt.path {
	case "POST /v1/memories", "GET /v1/memories", "GET /v1/memories/{id}", "PATCH /v1/memories/{id}",
		"POST /v1/memories/{id}/forget", "POST /v1/memories/{id}/undo", "POST /v1/memories/{id}/purge", "GET /v1/memories/{id}/history",
		"GET /v1/review", "POST /v1/memories/{id}/decide", "POST /v1/memories/{id}/promote",
		"POST /v1/search", "POST /v1/context", "GET /v1/projects", "POST /v1/projects/rename",
		"GET /v1/agents", "POST /v1/sessions", "POST /v1/sessions/text", "GET /v1/sessions/{id}", "GET /v1/journal", "POST /v1/transcript", "POST /v1/turns/search",
		"GET /v1/health", "GET /v1/stats", "GET /v1/events", "GET /v1/events/recent", "GET /v1/costs", "POST /v1/costs/reset", "GET /v1/activity", "GET /v1/llm",
		"POST /v1/graph", "GET /v1/injections", "GET /v1/suppressions", "POST /v1/suppressions", "DELETE /v1/suppressions/{id}",
		"GET /v1/capture", "POST /v1/capture/pause", "GET /v1/settings":
		return true
	}
	return false
}
