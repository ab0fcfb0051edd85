package scriptedllm

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// completions is OpenAI's Chat Completions.
type completions struct{}

func (completions) read(body []byte, _ string) (wireRequest, bool) {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role      string            `json:"role"`
			Content   json.RawMessage   `json:"content"`
			ToolCalls []json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Messages == nil {
		return wireRequest{}, false
	}
	r := wireRequest{stream: in.Stream}
	r.Model = in.Model
	for _, m := range in.Messages {
		r.Messages = append(r.Messages, Message{Role: m.Role, Text: texts(m.Content), ToolCalls: len(m.ToolCalls)})
	}
	for _, raw := range in.Tools {
		var t struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		_ = json.Unmarshal(raw, &t)
		r.Tools = append(r.Tools, Tool{Name: t.Function.Name, Schema: raw})
	}
	return r, true
}

func (completions) write(w http.ResponseWriter, in wireRequest, a answer) {
	var calls []any
	for i, c := range a.calls {
		calls = append(calls, object{"index": i, "id": a.callID(i), "type": "function", "function": object{"name": c.name, "arguments": c.args}})
	}
	finish := "stop"
	if len(calls) > 0 {
		finish = "tool_calls"
	}
	usage := object{"prompt_tokens": a.input, "completion_tokens": a.output, "total_tokens": a.input + a.output}
	id := fmt.Sprint("c", a.id)
	if !in.stream {
		writeJSON(w, http.StatusOK, object{
			"id": id, "object": "chat.completion", "model": in.Model, "usage": usage,
			"choices": []any{object{"index": 0, "finish_reason": finish, "message": object{"role": "assistant", "content": a.text, "tool_calls": calls}}},
		})
		return
	}
	send := events(w)
	chunk := func(choices []any, usage any) {
		send(object{"id": id, "object": "chat.completion.chunk", "created": 1, "model": in.Model, "choices": choices, "usage": usage})
	}
	delta := func(d object, finish any) {
		chunk([]any{object{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	if a.text != "" {
		delta(object{"content": a.text}, nil)
	}
	if len(calls) > 0 {
		delta(object{"tool_calls": calls}, nil)
	}
	delta(object{}, finish)
	chunk([]any{}, usage)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func (completions) overflow(w http.ResponseWriter) {
	writeJSON(w, http.StatusBadRequest, object{"error": object{
		"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
		"type":    "invalid_request_error", "code": "context_length_exceeded",
	}})
}
