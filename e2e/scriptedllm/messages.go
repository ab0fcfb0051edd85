package scriptedllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// messages is Anthropic's Messages.
type messages struct{}

func (messages) read(body []byte, _ string) (wireRequest, bool) {
	var in struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Messages == nil {
		return wireRequest{}, false
	}
	r := wireRequest{stream: in.Stream}
	r.Model = in.Model
	if text := texts(in.System); text != "" {
		r.Messages = append(r.Messages, Message{Role: "system", Text: text})
	}
	for _, m := range in.Messages {
		r.Messages = append(r.Messages, blocks(m.Role, m.Content)...)
	}
	for _, raw := range in.Tools {
		var t struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(raw, &t)
		r.Tools = append(r.Tools, Tool{Name: t.Name, Schema: raw})
	}
	return r, true
}

// blocks makes messages of the blocks of one: results of tools are messages of
// the user here, and may stand beside words.
func blocks(role string, raw json.RawMessage) []Message {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []Message{{Role: role, Text: text}}
	}
	var parts []struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(raw, &parts)
	var list []Message
	said := Message{Role: role}
	var words []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			words = append(words, p.Text)
		case "tool_use":
			said.ToolCalls++
		case "tool_result":
			list = append(list, Message{Role: "tool", Text: texts(p.Content)})
		}
	}
	said.Text = strings.Join(words, "\n")
	if len(words) > 0 || said.ToolCalls > 0 || len(list) == 0 {
		list = append(list, said)
	}
	return list
}

func (messages) write(w http.ResponseWriter, in wireRequest, a answer) {
	stop := "end_turn"
	var content []object
	if a.text != "" {
		content = append(content, object{"type": "text", "text": a.text})
	}
	for i, c := range a.calls {
		stop = "tool_use"
		content = append(content, object{"type": "tool_use", "id": "toolu_" + a.callID(i), "name": c.name, "input": json.RawMessage(c.args)})
	}
	usage := object{"input_tokens": a.input, "output_tokens": a.output, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
	message := object{"id": fmt.Sprint("msg_", a.id), "type": "message", "role": "assistant", "model": in.Model, "content": content, "stop_reason": stop, "stop_sequence": nil, "usage": usage}
	if !in.stream {
		writeJSON(w, http.StatusOK, message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	send := events(w)
	send(object{"type": "message_start", "message": message})
	for i, block := range content {
		empty, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			empty = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(block["input"].(json.RawMessage))}
		}
		send(object{"type": "content_block_start", "index": i, "content_block": empty})
		send(object{"type": "content_block_delta", "index": i, "delta": delta})
		send(object{"type": "content_block_stop", "index": i})
	}
	send(object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": a.output}})
	send(object{"type": "message_stop"})
}

func (messages) overflow(w http.ResponseWriter) {
	writeJSON(w, http.StatusBadRequest, object{"type": "error", "error": object{
		"type": "invalid_request_error", "message": "prompt is too long: 9000 tokens > 8192 maximum",
	}})
}
