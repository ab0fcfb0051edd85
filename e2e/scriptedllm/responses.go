package scriptedllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses.
type responses struct{}

func (responses) read(body []byte, _ string) (wireRequest, bool) {
	var in struct {
		Model        string            `json:"model"`
		Stream       bool              `json:"stream"`
		Instructions string            `json:"instructions"`
		Input        json.RawMessage   `json:"input"`
		Tools        []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Input == nil {
		return wireRequest{}, false
	}
	r := wireRequest{stream: in.Stream}
	r.Model = in.Model
	if in.Instructions != "" {
		r.Messages = append(r.Messages, Message{Role: "system", Text: in.Instructions})
	}
	r.Messages = append(r.Messages, items(in.Input)...)
	for _, raw := range in.Tools {
		var t struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(raw, &t)
		r.Tools = append(r.Tools, Tool{Name: t.Name, Schema: raw})
	}
	return r, true
}

// items makes messages of a conversation in which every call and every result
// is an item of its own. The calls of one answer become one message, wherever
// their results stand.
func items(raw json.RawMessage) []Message {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []Message{{Role: "user", Text: text}}
	}
	var list []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		CallID  string          `json:"call_id"`
		Output  json.RawMessage `json:"output"`
	}
	_ = json.Unmarshal(raw, &list)
	var out []Message
	rounds := map[string]int{} // answer → its message
	for _, item := range list {
		switch {
		case strings.HasSuffix(item.Type, "_call"):
			round := item.CallID
			if i := strings.LastIndex(round, "_"); i > 0 {
				round = round[:i]
			}
			at, known := rounds[round]
			if !known {
				at, out = len(out), append(out, Message{Role: "assistant"})
				rounds[round] = at
			}
			out[at].ToolCalls++
		case strings.HasSuffix(item.Type, "_call_output"):
			out = append(out, Message{Role: "tool", Text: texts(item.Output)})
		case item.Role != "":
			out = append(out, Message{Role: item.Role, Text: texts(item.Content)})
		}
	}
	return out
}

func (responses) write(w http.ResponseWriter, in wireRequest, a answer) {
	var output []object
	if a.text != "" {
		output = append(output, object{"type": "message", "id": fmt.Sprint("msg_", a.id), "role": "assistant", "status": "completed", "content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}}}})
	}
	for i, c := range a.calls {
		output = append(output, callItem(a.callID(i), c))
	}
	usage := object{
		"input_tokens": a.input, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": a.output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.input + a.output,
	}
	response := object{"id": fmt.Sprint("resp_", a.id), "object": "response", "created_at": 1, "status": "completed", "model": in.Model, "output": output, "usage": usage}
	if !in.stream {
		writeJSON(w, http.StatusOK, response)
		return
	}
	send := events(w)
	send(object{"type": "response.created", "response": object{"id": response["id"], "object": "response", "status": "in_progress", "model": in.Model, "output": []any{}}})
	for i, item := range output {
		if item["type"] == "message" {
			send(object{"type": "response.output_item.added", "output_index": i, "item": object{"type": "message", "id": item["id"], "role": "assistant", "status": "in_progress", "content": []any{}}})
			send(object{"type": "response.output_text.delta", "item_id": item["id"], "output_index": i, "content_index": 0, "delta": a.text})
		}
		send(object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	send(object{"type": "response.completed", "response": response})
}

// callItem is a call of a function, of a tool of an MCP server, or of a tool
// that takes plain text.
func callItem(id string, c call) object {
	var input string
	if json.Unmarshal([]byte(c.args), &input) == nil {
		return object{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": c.name, "input": input, "status": "completed"}
	}
	item := object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": c.name, "arguments": c.args, "status": "completed"}
	if server, tool, ok := strings.Cut(strings.TrimPrefix(c.name, "mcp__"), "__"); ok && strings.HasPrefix(c.name, "mcp__") {
		item["namespace"], item["name"] = "mcp__"+server, tool
	}
	return item
}

func (responses) overflow(w http.ResponseWriter) {
	events(w)(object{"type": "response.failed", "response": object{"id": "resp_0", "object": "response", "status": "failed", "error": object{
		"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model. Please adjust your input and try again.",
	}}})
}
