// Package ollama asks a model on an Ollama server, by its own chat protocol.
package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"codememory/internal/llm"
)

// DefaultURL is where Ollama listens.
const DefaultURL = "http://localhost:11434"

// DefaultContext is the context window to ask for. Ollama's own default is
// small, and it cuts a longer prompt without a word.
const DefaultContext = 16384

// Config says which server and model to ask.
type Config struct {
	URL     string
	Model   string
	APIKey  string // for servers behind a proxy that wants one
	Context int    // tokens of the context window
}

// New returns a provider.
func New(c Config) llm.Provider {
	p := &provider{model: c.Model, context: cmp.Or(c.Context, DefaultContext)}
	p.endpoint = llm.Endpoint{URL: strings.TrimRight(cmp.Or(c.URL, DefaultURL), "/"), Key: c.APIKey, Client: llm.NewClient()}
	if c.APIKey != "" {
		p.endpoint.Header = map[string][]string{"Authorization": {"Bearer " + c.APIKey}}
	}
	return p
}

type provider struct {
	endpoint llm.Endpoint
	model    string
	context  int
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Stream   bool            `json:"stream"`
	Think    bool            `json:"think"` // thoughts are of no use here and cost time
	Format   json.RawMessage `json:"format,omitempty"`
	Options  options         `json:"options"`
}

type options struct {
	Temperature float64 `json:"temperature"`
	Context     int     `json:"num_ctx"`
	MaxTokens   int     `json:"num_predict,omitempty"`
}

type answer struct {
	Model   string  `json:"model"`
	Message message `json:"message"`
	Done    bool    `json:"done"`
	Reason  string  `json:"done_reason"`
	Error   string  `json:"error"`
	Input   int     `json:"prompt_eval_count"`
	Output  int     `json:"eval_count"`
}

func (p *provider) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	in := request{
		Model: cmp.Or(r.Model, p.model), Format: r.Schema,
		Options: options{Context: p.context, MaxTokens: r.MaxTokens},
	}
	if r.System != "" {
		in.Messages = append(in.Messages, message{"system", r.System})
	}
	in.Messages = append(in.Messages, message{"user", r.Prompt})
	var out answer
	if err := p.endpoint.Post(ctx, "/api/chat", in, &out); err != nil {
		return llm.Response{}, err
	}
	response := llm.Response{
		Text: out.Message.Content, Model: out.Model, Truncated: out.Reason == "length",
		Usage: llm.Usage{Input: out.Input, Output: out.Output},
	}
	switch {
	case out.Error != "":
		return response, llm.Errorf(llm.Infrastructure, "the server failed: %s", out.Error)
	case !out.Done:
		return response, llm.Errorf(llm.Infrastructure, "the answer broke off")
	case strings.TrimSpace(out.Message.Content) == "":
		return response, llm.Errorf(llm.BadOutput, "the answer is empty")
	}
	return response, nil
}

func (p *provider) Check(ctx context.Context) error { return p.endpoint.Reachable(ctx, "/api/version") }
