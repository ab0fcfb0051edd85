package scriptedllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// gemini is Google's generateContent.
type gemini struct{}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text             string          `json:"text"`
		FunctionCall     json.RawMessage `json:"functionCall"`
		FunctionResponse *struct {
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

func (gemini) read(body []byte, path string) (wireRequest, bool) {
	var in struct {
		SystemInstruction geminiContent   `json:"systemInstruction"`
		Contents          []geminiContent `json:"contents"`
		Tools             []struct {
			FunctionDeclarations []json.RawMessage `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Contents == nil {
		return wireRequest{}, false
	}
	r := wireRequest{stream: strings.HasSuffix(path, ":streamGenerateContent")}
	model := path[strings.LastIndex(path, "/")+1:]
	r.Model = model[:strings.LastIndex(model, ":")]
	in.SystemInstruction.Role = "system"
	if len(in.SystemInstruction.Parts) > 0 {
		r.Messages = append(r.Messages, in.SystemInstruction.messages()...)
	}
	for _, c := range in.Contents {
		r.Messages = append(r.Messages, c.messages()...)
	}
	for _, t := range in.Tools {
		for _, raw := range t.FunctionDeclarations {
			var f struct {
				Name string `json:"name"`
			}
			_ = json.Unmarshal(raw, &f)
			r.Tools = append(r.Tools, Tool{Name: f.Name, Schema: raw})
		}
	}
	return r, true
}

// messages takes the results of tools out of the user's message they are in.
func (c geminiContent) messages() []Message {
	var list []Message
	said := Message{Role: c.Role}
	if c.Role == "model" {
		said.Role = "assistant"
	}
	var words []string
	for _, p := range c.Parts {
		if p.Text != "" {
			words = append(words, p.Text)
		}
		if p.FunctionCall != nil {
			said.ToolCalls++
		}
		if p.FunctionResponse != nil {
			list = append(list, Message{Role: "tool", Text: string(p.FunctionResponse.Response)})
		}
	}
	said.Text = strings.Join(words, "\n")
	if len(words) > 0 || said.ToolCalls > 0 || len(list) == 0 {
		list = append(list, said)
	}
	return list
}

func (gemini) write(w http.ResponseWriter, in wireRequest, a answer) {
	var parts []object
	if in.Kind == Compaction {
		a.text = "<state_snapshot>\n" + a.text + "\n</state_snapshot>" // Gemini CLI takes nothing else
	}
	if a.text != "" {
		parts = append(parts, object{"text": a.text})
	}
	for i, c := range a.calls {
		parts = append(parts, object{"functionCall": object{"id": a.callID(i), "name": c.name, "args": json.RawMessage(c.args)}})
	}
	response := object{
		"candidates":    []any{object{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": a.input, "candidatesTokenCount": a.output, "totalTokenCount": a.input + a.output},
		"modelVersion":  in.Model, "responseId": fmt.Sprint("r", a.id),
	}
	if in.stream {
		events(w)(response)
		return
	}
	writeJSON(w, http.StatusOK, response)
}

func (gemini) overflow(w http.ResponseWriter) {
	writeJSON(w, http.StatusBadRequest, object{"error": object{
		"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
	}})
}
