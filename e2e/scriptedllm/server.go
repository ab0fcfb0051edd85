// Package scriptedllm is a language model that does what the user's message
// tells it, so that tests with real agents need no model and always go the same
// way. It speaks the chat completions protocol of OpenAI and keeps every
// request for assertions.
package scriptedllm

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind says what an agent wants of a request.
type Kind string

// The kinds of request.
const (
	Chat       Kind = "chat"
	Title      Kind = "title"
	Compaction Kind = "compaction"
)

// Request is one call of the model.
type Request struct {
	At       time.Time
	Kind     Kind
	Session  string // as the agent names it in a header, if it does
	Body     []byte
	Messages []Message
	Tools    []Tool
}

// Message is one message of a request with its text parts joined.
type Message struct {
	Role      string
	Text      string
	ToolCalls int
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name   string
	Schema json.RawMessage // the whole definition
}

// System joins the system messages.
func (r Request) System() string { return r.join("system") }

// Users joins the messages of the user.
func (r Request) Users() string { return r.join("user") }

func (r Request) join(role string) string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == role {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Last returns the last message.
func (r Request) Last() Message { return r.Messages[len(r.Messages)-1] }

// Server is a running model.
type Server struct {
	listener net.Listener
	http     *http.Server

	mu       sync.Mutex
	requests []Request
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

// URL is the base address for a client, with its version.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

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

// wireRequest is what we read of a request.
type wireRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role      string            `json:"role"`
		Content   json.RawMessage   `json:"content"`
		ToolCalls []json.RawMessage `json:"tool_calls"`
	} `json:"messages"`
	Tools []json.RawMessage `json:"tools"`
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var in wireRequest
	if err := json.Unmarshal(body, &in); err != nil || in.Messages == nil {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
		return
	}
	request := Request{At: time.Now(), Session: r.Header.Get("X-Session-Id"), Body: body}
	for _, m := range in.Messages {
		request.Messages = append(request.Messages, Message{Role: m.Role, Text: contentText(m.Content), ToolCalls: len(m.ToolCalls)})
	}
	for _, raw := range in.Tools {
		var t struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		_ = json.Unmarshal(raw, &t)
		request.Tools = append(request.Tools, Tool{Name: t.Function.Name, Schema: raw})
	}
	request.Kind = kindOf(request)
	s.mu.Lock()
	s.requests = append(s.requests, request)
	id := len(s.requests)
	s.mu.Unlock()
	s.reply(w, id, in, request)
}

func kindOf(r Request) Kind {
	system := strings.ToLower(r.System())
	switch {
	case len(r.Tools) == 0 && strings.Contains(system, "title generator"):
		return Title
	case len(r.Tools) == 0 && strings.Contains(system, "summar"):
		return Compaction
	default:
		return Chat
	}
}

func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}
