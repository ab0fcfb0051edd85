// Package llmtest is a language model for tests that speaks the protocols of
// Ollama, OpenAI and Anthropic at the wire and answers after a script: right
// answers, wrong ones, and every way in which a server can fail.
package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Protocol is how a request was made.
type Protocol string

// The protocols.
const (
	Ollama    Protocol = "ollama"
	OpenAI    Protocol = "openai"
	Anthropic Protocol = "anthropic"
)

// Protocols lists them all.
var Protocols = []Protocol{Ollama, OpenAI, Anthropic}

// Request is one call of the model as it arrived.
type Request struct {
	Protocol Protocol
	Header   http.Header
	Model    string
	System   string
	Prompt   string
	Schema   string // the JSON schema it asks for, or ""
	Body     string
}

// Reply is what the model does with a request. The zero Reply is an empty answer.
type Reply struct {
	Text      string
	Refuse    bool // as the protocol says it
	Truncated bool // the limit of tokens was hit
	Input     int  // tokens; 0: guessed
	Output    int

	Status int         // an error instead of an answer
	Error  string      // its message
	Header http.Header // further headers
	Body   string      // sent instead of everything above
	Hang   bool        // no answer until the caller leaves
	Cut    bool        // the connection ends in the middle of the answer
	// Wait is waited for before the answer.
	Wait <-chan struct{}
}

// Text is an ordinary answer.
func Text(s string) Reply { return Reply{Text: s} }

// JSON is an answer that holds v as JSON.
func JSON(v any) Reply {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return Reply{Text: string(b)}
}

// Server is a running model.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	answer   func(Request) Reply
	requests []Request
}

// Start runs a model that gives the replies one after the other, the last one
// for ever.
func Start(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	n := 0
	return StartFunc(t, func(Request) Reply {
		if len(replies) == 0 {
			return Reply{}
		}
		r := replies[min(n, len(replies)-1)]
		n++
		return r
	})
}

// StartFunc runs a model that answers each request by itself. The function is
// never called twice at the same time.
func StartFunc(t testing.TB, answer func(Request) Reply) *Server {
	t.Helper()
	s := &Server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections() // a call that hangs must not hold up the test
		s.Close()
	})
	return s
}

// Requests returns what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// BaseURL is the address to configure for a protocol.
func (s *Server) BaseURL(p Protocol) string {
	if p == OpenAI {
		return s.URL + "/v1"
	}
	return s.URL
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	request, ok := parse(r, body)
	if !ok { // somebody looks whether there is a server
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	reply := s.answer(request)
	s.mu.Unlock()
	if reply.Wait != nil {
		select {
		case <-reply.Wait:
		case <-r.Context().Done():
			return
		}
	}
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/json")
	text := reply.Body
	if text == "" {
		text = request.encode(reply)
	}
	switch {
	case reply.Hang:
		<-r.Context().Done()
	case reply.Cut:
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, text[:len(text)/2])
		panic(http.ErrAbortHandler)
	default:
		if reply.Status != 0 {
			w.WriteHeader(reply.Status)
		}
		_, _ = io.WriteString(w, text)
	}
}

// parse reads what the three protocols have in common.
func parse(r *http.Request, body []byte) (Request, bool) {
	out := Request{Header: r.Header, Body: string(body)}
	switch {
	case r.Method != http.MethodPost:
		return out, false
	case r.URL.Path == "/api/chat":
		out.Protocol = Ollama
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		out.Protocol = OpenAI
	case strings.HasSuffix(r.URL.Path, "/v1/messages"):
		out.Protocol = Anthropic
	default:
		return out, false
	}
	var in struct {
		Model    string `json:"model"`
		System   string `json:"system"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		Format         json.RawMessage `json:"format"`
		ResponseFormat struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		Tools []struct {
			Schema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if json.Unmarshal(body, &in) != nil {
		return out, false
	}
	out.Model, out.System = in.Model, in.System
	for _, m := range in.Messages {
		if m.Role == "system" {
			out.System += m.Content
		} else {
			out.Prompt += m.Content
		}
	}
	out.Schema = string(in.Format) + string(in.ResponseFormat.Schema.Schema)
	for _, t := range in.Tools {
		out.Schema += string(t.Schema)
	}
	return out, true
}
