// Package scriptedllm is a language model that does what the user's message
// tells it, so that tests with real agents need no model and always go the same
// way. It speaks the protocols of the agents (Chat Completions and Responses of
// OpenAI, Messages of Anthropic, generateContent of Gemini) and keeps every
// request for assertions.
package scriptedllm

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a running model.
type Server struct {
	listener net.Listener
	http     *http.Server

	mu       sync.Mutex
	requests []Request
	others   []string
	failed   map[string]bool // messages that already got their one error
}

// Start serves on a free port of this machine.
func Start() (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the scripted model: %w", err)
	}
	s := &Server{listener: listener, failed: map[string]bool{}}
	s.http = &http.Server{Handler: s}
	go s.http.Serve(listener)
	return s, nil
}

// Root is the address for clients that add the version themselves, as those of
// Anthropic and Gemini do.
func (s *Server) Root() string { return "http://" + s.listener.Addr().String() }

// URL is the base address for a client of OpenAI's protocols, with its version.
func (s *Server) URL() string { return s.Root() + "/v1" }

// Close ends the server.
func (s *Server) Close() error { return s.http.Close() }

// Count is how many requests came so far.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Since returns the requests of these kinds, or of all, after the first n.
func (s *Server) Since(n int, kinds ...Kind) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Request
	for _, r := range s.requests[n:] {
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			found = append(found, r)
		}
	}
	return found
}

// Others returns method and path of all that was asked for but a model's
// answer: lists of models, counts of tokens, probes.
func (s *Server) Others() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.others)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	d := dialectOf(r.URL.Path)
	var in wireRequest
	ok := d != nil
	if ok {
		in, ok = d.read(body, r.URL.Path)
	}
	if !ok {
		s.answerOther(w, r, len(body)/4)
		return
	}
	in.At, in.Body, in.Path, in.Session = time.Now(), body, r.URL.Path, r.Header.Get("X-Session-Id")
	in.Kind = kindOf(in.Request)
	s.mu.Lock()
	s.requests = append(s.requests, in.Request)
	id := len(s.requests)
	s.mu.Unlock()
	s.reply(w, id, d, in)
}

// answerOther is what clients ask besides; a list of models does for the rest.
func (s *Server) answerOther(w http.ResponseWriter, r *http.Request, tokens int) {
	s.mu.Lock()
	s.others = append(s.others, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprintf(w, `{"input_tokens":%d}`, tokens)
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		fmt.Fprintf(w, `{"totalTokens":%d}`, tokens)
	default:
		fmt.Fprint(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
	}
}
