// Package anthropic asks a model by Anthropic's messages protocol.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"codememory/internal/llm"
)

// DefaultURL is Anthropic's own server.
const DefaultURL = "https://api.anthropic.com"

// version is the version of the protocol, which every request must name.
const version = "2023-06-01"

// defaultMaxTokens is asked for when nobody says a limit: the protocol wants one.
const defaultMaxTokens = 4096

// answerTool is the tool that a model has to call with its answer: the way to
// hold it to a schema that every server of this protocol knows.
const answerTool = "answer"

// Config says which server and model to ask.
type Config struct {
	URL    string
	Model  string
	APIKey string
}

// New returns a provider.
func New(c Config) llm.Provider {
	address := strings.TrimSuffix(strings.TrimRight(cmp.Or(c.URL, DefaultURL), "/"), "/v1")
	p := &provider{model: c.Model, endpoint: llm.Endpoint{URL: address, Key: c.APIKey, Client: llm.NewClient()}}
	p.endpoint.Header = http.Header{"Anthropic-Version": {version}}
	if c.APIKey != "" {
		p.endpoint.Header.Set("X-Api-Key", c.APIKey)
		if u, err := url.Parse(address); err == nil && u.Hostname() != "api.anthropic.com" {
			p.endpoint.Header.Set("Authorization", "Bearer "+c.APIKey) // what other servers look at
		}
	}
	return p
}

type provider struct {
	endpoint llm.Endpoint
	model    string
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model      string      `json:"model"`
	MaxTokens  int         `json:"max_tokens"`
	System     string      `json:"system,omitempty"`
	Messages   []message   `json:"messages"`
	Tools      []tool      `json:"tools,omitempty"`
	ToolChoice *toolChoice `json:"tool_choice,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type answer struct {
	Model   string `json:"model"`
	Content []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		Input      int `json:"input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
		Output     int `json:"output_tokens"`
	} `json:"usage"`
}

func (p *provider) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	in := request{
		Model: cmp.Or(r.Model, p.model), MaxTokens: cmp.Or(r.MaxTokens, defaultMaxTokens), System: r.System,
		Messages: []message{{"user", r.Prompt}},
	}
	if len(r.Schema) > 0 {
		in.Tools = []tool{{answerTool, "Gives the answer.", r.Schema}}
		in.ToolChoice = &toolChoice{"tool", answerTool}
	}
	var out answer
	if err := p.endpoint.Post(ctx, "/v1/messages", in, &out); err != nil {
		return llm.Response{}, err
	}
	response := llm.Response{
		Model: out.Model, Truncated: out.StopReason == "max_tokens",
		Usage: llm.Usage{Input: out.Usage.Input + out.Usage.CacheRead + out.Usage.CacheWrite, Cached: out.Usage.CacheRead, Output: out.Usage.Output},
	}
	var text strings.Builder
	for _, block := range out.Content {
		switch block.Type {
		case "tool_use":
			text.Reset() // what was said before the answer is no part of it
			text.Write(block.Input)
		case "text":
			text.WriteString(block.Text)
		}
	}
	response.Text = text.String()
	switch {
	case out.StopReason == "refusal":
		return response, llm.Errorf(llm.Refused, "the model refused to answer")
	case strings.TrimSpace(response.Text) == "":
		return response, llm.Errorf(llm.BadOutput, "the answer is empty")
	}
	return response, nil
}

func (p *provider) Check(ctx context.Context) error { return p.endpoint.Reachable(ctx, "/v1/models") }
