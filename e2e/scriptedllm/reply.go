package scriptedllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer is what the model says or does.
type answer struct {
	text  string
	calls []call
}

type call struct{ name, args string }

// reply sends the answer that the script in the conversation asks for.
func (s *Server) reply(w http.ResponseWriter, id int, in wireRequest, r Request) {
	sc, done := scriptOf(r)
	var a answer
	switch r.Kind {
	case Title:
		a.text = fmt.Sprintf("Scripted title %d", id)
	case Compaction:
		a.text = fmt.Sprintf("SCRIPTED-SUMMARY %d: goal, progress, next steps.", id)
	default:
		time.Sleep(sc.delay)
		if sc.overflow && s.firstFailure(sc.source) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`)
			return
		}
		if done < len(sc.steps) {
			a.calls = sc.steps[done]
		} else if a.text = sc.text; a.text == "" {
			a.text = "echo: done"
		}
	}
	usage := map[string]any{"prompt_tokens": len(r.Body) / 4, "completion_tokens": 7}
	if r.Kind == Chat && sc.input > 0 && (len(a.calls) == 0 || sc.usageAlways) {
		usage["prompt_tokens"] = sc.input
	}
	usage["total_tokens"] = usage["prompt_tokens"].(int) + 7
	if !in.Stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": fmt.Sprint("c", id), "object": "chat.completion", "model": in.Model, "usage": usage,
			"choices": []any{map[string]any{"index": 0, "finish_reason": a.finish(), "message": map[string]any{"role": "assistant", "content": a.text, "tool_calls": a.wireCalls(id)}}},
		})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(choices []any, usage any) {
		data, _ := json.Marshal(map[string]any{"id": fmt.Sprint("c", id), "object": "chat.completion.chunk", "created": 1, "model": in.Model, "choices": choices, "usage": usage})
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	delta := func(d map[string]any, finish any) {
		send([]any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	if a.text != "" {
		delta(map[string]any{"content": a.text}, nil)
	}
	if len(a.calls) > 0 {
		delta(map[string]any{"tool_calls": a.wireCalls(id)}, nil)
	}
	delta(map[string]any{}, a.finish())
	send([]any{}, usage)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func (s *Server) firstFailure(source string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.failed[source]
	s.failed[source] = true
	return first
}

func (a answer) finish() string {
	if len(a.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (a answer) wireCalls(id int) []any {
	var calls []any
	for i, c := range a.calls {
		calls = append(calls, map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d_%d", id, i), "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.args},
		})
	}
	return calls
}

// script is what the directives of a message ask for, one on a line:
//
//	@@tool NAME {json}   a round with this tool call; @@par before it joins the round before
//	@@text WORDS         the final answer
//	@@usage N            tokens of the prompt to report with the final answer
//	@@usage-always N     the same, with every answer
//	@@overflow           once, an error that the context window is exceeded
//	@@delay MS           wait before answering
type script struct {
	source      string
	steps       [][]call
	text        string
	input       int
	usageAlways bool
	overflow    bool
	delay       time.Duration
}

// scriptOf reads the last message of the user that has directives, and counts
// the rounds of tools since.
func scriptOf(r Request) (sc script, rounds int) {
	at := -1
	for i, m := range r.Messages {
		if m.Role == "user" && strings.Contains("\n"+m.Text, "\n@@") {
			at = i
		}
	}
	if at < 0 {
		return script{}, 0
	}
	for _, m := range r.Messages[at+1:] {
		if m.Role == "assistant" && m.ToolCalls > 0 {
			rounds++
		}
	}
	return parse(r.Messages[at].Text), rounds
}

func parse(text string) script {
	sc := script{source: text}
	join := false
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch word {
		case "@@par":
			join = true
		case "@@tool":
			name, args, _ := strings.Cut(rest, " ")
			if args == "" {
				args = "{}"
			}
			c := call{name, args}
			if join && len(sc.steps) > 0 {
				sc.steps[len(sc.steps)-1] = append(sc.steps[len(sc.steps)-1], c)
			} else {
				sc.steps = append(sc.steps, []call{c})
			}
			join = false
		case "@@text":
			sc.text = rest
		case "@@usage", "@@usage-always":
			fmt.Sscan(rest, &sc.input)
			sc.usageAlways = word == "@@usage-always"
		case "@@overflow":
			sc.overflow = true
		case "@@delay":
			var ms int
			fmt.Sscan(rest, &ms)
			sc.delay = time.Duration(ms) * time.Millisecond
		}
	}
	return sc
}
