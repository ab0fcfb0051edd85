// Package openai asks a model by OpenAI's chat completions protocol, which many
// other servers speak as well, each with its own gaps.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"codememory/internal/llm"
)

// DefaultURL is OpenAI's own server.
const DefaultURL = "https://api.openai.com/v1"

// Config says which server and model to ask.
type Config struct {
	URL    string // with its version, as in https://openrouter.ai/api/v1
	Model  string
	APIKey string
}

// New returns a provider.
func New(c Config) llm.Provider {
	address := strings.TrimRight(cmp.Or(c.URL, DefaultURL), "/")
	p := &provider{model: c.Model, endpoint: llm.Endpoint{URL: address, Key: c.APIKey, Client: llm.NewClient()}}
	if c.APIKey != "" {
		p.endpoint.Header = http.Header{"Authorization": {"Bearer " + c.APIKey}}
	}
	if u, err := url.Parse(address); err == nil {
		p.own = u.Hostname() == "api.openai.com"
	}
	return p
}

type provider struct {
	endpoint llm.Endpoint
	model    string
	own      bool     // it is OpenAI's own server
	levels   sync.Map // model → level that its server is known to take
}

// level is how much is asked of a server besides an answer.
type level int

const (
	withSchema level = iota // an answer after a schema
	withObject              // any JSON object
	plain                   // text, and nothing that an old server might not know
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model          string          `json:"model"`
	Messages       []message       `json:"messages"`
	Temperature    *float64        `json:"temperature,omitempty"`
	MaxTokens      int             `json:"max_tokens,omitempty"`
	MaxCompletion  int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
}

type responseFormat struct {
	Type   string      `json:"type"`
	Schema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

type answer struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content json.RawMessage `json:"content"`
			Refusal string          `json:"refusal"`
		} `json:"message"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Cost *float64 `json:"cost"` // OpenRouter says it
	} `json:"usage"`
}

func (p *provider) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	model := cmp.Or(r.Model, p.model)
	var at level
	if known, ok := p.levels.Load(model); ok {
		at = known.(level)
	}
	for {
		var out answer
		err := p.endpoint.Post(ctx, "/chat/completions", p.request(model, r, at), &out)
		if err == nil {
			return read(out)
		}
		if at == plain || !unsupported(err) {
			return llm.Response{}, err
		}
		at++
		p.levels.Store(model, at)
	}
}

func (p *provider) request(model string, r llm.Request, at level) request {
	in := request{Model: model}
	if r.System != "" {
		in.Messages = append(in.Messages, message{"system", r.System})
	}
	in.Messages = append(in.Messages, message{"user", r.Prompt})
	// OpenAI's newer models know only the new name, and take no temperature.
	if p.own {
		in.MaxCompletion = r.MaxTokens
	} else {
		in.MaxTokens = r.MaxTokens
		if at < plain {
			in.Temperature = new(float64)
		}
	}
	if len(r.Schema) > 0 {
		switch at {
		case withSchema:
			in.ResponseFormat = &responseFormat{Type: "json_schema", Schema: &jsonSchema{Name: "answer", Schema: r.Schema}}
		case withObject:
			in.ResponseFormat = &responseFormat{Type: "json_object"}
		case plain:
		}
	}
	return in
}

// unsupported reports whether a server refused a request for something that it
// can be asked without.
func unsupported(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Class != llm.Refused || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	said := strings.ToLower(e.Message)
	for _, word := range []string{"response_format", "json_schema", "json_object", "schema", "structured", "temperature", "grammar"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}

func read(out answer) (llm.Response, error) {
	response := llm.Response{Model: out.Model, Usage: llm.Usage{Input: out.Usage.Prompt, Cached: out.Usage.Details.Cached, Output: out.Usage.Completion}}
	if out.Usage.Cost != nil {
		response.Usage.CostUSD, response.Usage.Charged = *out.Usage.Cost, true
	}
	if len(out.Choices) == 0 {
		return response, llm.Errorf(llm.BadOutput, "the answer is empty")
	}
	choice := out.Choices[0]
	response.Text, response.Truncated = contentText(choice.Message.Content), choice.Finish == "length"
	switch {
	case choice.Message.Refusal != "" || choice.Finish == "content_filter":
		return response, llm.Errorf(llm.Refused, "the model refused to answer")
	case strings.TrimSpace(response.Text) == "":
		return response, llm.Errorf(llm.BadOutput, "the answer is empty")
	}
	return response, nil
}

// contentText reads a text or a list of parts.
func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // neither: no text
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

func (p *provider) Check(ctx context.Context) error { return p.endpoint.Reachable(ctx, "/models") }
