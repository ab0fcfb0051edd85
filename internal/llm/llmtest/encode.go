package llmtest

import (
	"encoding/json"
	"strings"
)

type object = map[string]any

// encode writes a reply as the protocol of the request has it.
func (r Request) encode(reply Reply) string {
	if reply.Status != 0 {
		return marshal(r.failure(reply.Error))
	}
	if reply.Input == 0 {
		reply.Input = len(r.Body) / 4
	}
	if reply.Output == 0 {
		reply.Output = len(reply.Text)/4 + 1
	}
	switch r.Protocol {
	case Ollama:
		return marshal(object{
			"model": r.Model, "message": object{"role": "assistant", "content": reply.Text}, "done": true, "done_reason": pick(reply.Truncated, "length", "stop"),
			"prompt_eval_count": reply.Input, "eval_count": reply.Output,
		})
	case OpenAI:
		message := object{"role": "assistant", "content": reply.Text}
		if reply.Refuse {
			message["content"], message["refusal"] = nil, "I cannot help with that."
		}
		return marshal(object{
			"id": "c1", "object": "chat.completion", "model": r.Model,
			"choices": []any{object{"index": 0, "message": message, "finish_reason": pick(reply.Truncated, "length", "stop")}},
			"usage":   object{"prompt_tokens": reply.Input, "completion_tokens": reply.Output, "prompt_tokens_details": object{"cached_tokens": 0}},
		})
	default:
		stop := pick(reply.Truncated, "max_tokens", "end_turn")
		if reply.Refuse {
			stop = "refusal"
		}
		return marshal(object{
			"id": "m1", "type": "message", "role": "assistant", "model": r.Model, "content": r.blocks(reply.Text), "stop_reason": stop,
			"usage": object{"input_tokens": reply.Input, "output_tokens": reply.Output, "cache_read_input_tokens": 0},
		})
	}
}

// blocks gives an answer after a schema as the call of a tool, as the protocol
// wants it; other text stays text.
func (r Request) blocks(text string) []any {
	if r.Schema != "" && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return []any{object{"type": "tool_use", "id": "t1", "name": "answer", "input": json.RawMessage(text)}}
	}
	return []any{object{"type": "text", "text": text}}
}

func (r Request) failure(message string) object {
	switch r.Protocol {
	case Ollama:
		return object{"error": message}
	case OpenAI:
		return object{"error": object{"message": message, "type": "error"}}
	default:
		return object{"type": "error", "error": object{"type": "api_error", "message": message}}
	}
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only ever our own values
	}
	return string(b)
}
