package scriptedllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// dialect is one protocol.
type dialect interface {
	// read understands a request, or says that it is none for a model.
	read(body []byte, path string) (wireRequest, bool)
	write(w http.ResponseWriter, in wireRequest, a answer)
	// overflow refuses a request because the context window is exceeded.
	overflow(w http.ResponseWriter)
}

// dialectOf returns the protocol of a path, nil for what no model answers.
func dialectOf(path string) dialect {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return completions{}
	case strings.HasSuffix(path, "/messages"):
		return messages{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		return gemini{}
	default:
		return nil
	}
}

// wireRequest is a request with what only the answer needs of it.
type wireRequest struct {
	Request
	stream bool
}

// answer is what the model says or does.
type answer struct {
	id     int
	text   string
	calls  []call
	input  int // tokens
	output int
}

type call struct{ name, args string }

// callID names a call. The answer is part of it, so that calls of one round can
// be told from those of the next.
func (a answer) callID(i int) string { return fmt.Sprintf("call_%d_%d", a.id, i) }

// reply sends the answer that the script in the conversation asks for.
func (s *Server) reply(w http.ResponseWriter, id int, d dialect, in wireRequest) {
	sc, done := scriptOf(in.Request)
	a := answer{id: id, input: len(in.Body) / 4, output: 7}
	switch in.Kind {
	case Title:
		a.text = fmt.Sprintf("Scripted title %d", id)
	case Compaction:
		a.text = fmt.Sprintf(summary, id, done)
		if strings.Contains(in.Users(), "<summary>") { // Claude Code asks again for one without
			a.text = "<analysis>It is simple.</analysis>\n<summary>\n" + a.text + "\n</summary>"
		}
	default:
		time.Sleep(sc.delay)
		if sc.overflow && s.firstFailure(sc.source) {
			d.overflow(w)
			return
		}
		if done < len(sc.steps) {
			a.calls = sc.steps[done]
		} else if a.text = sc.text; a.text == "" {
			a.text = "echo: done"
		}
		if sc.inputWith == "@@usage-always" || (sc.inputWith == "@@usage-tools") == (len(a.calls) > 0) && sc.input > 0 {
			a.input = sc.input
		}
	}
	d.write(w, in, a)
}

func (s *Server) firstFailure(source string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.failed[source]
	s.failed[source] = true
	return first
}

// object is JSON in the making.
type object = map[string]any

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// events begins a stream and returns how to send one of its events. The type of
// an event is its name where the protocol has names.
func events(w http.ResponseWriter) func(object) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(value object) {
		if name, ok := value["type"]; ok {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		data, _ := json.Marshal(value)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}
