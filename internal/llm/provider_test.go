package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"codememory/internal/llm"
	"codememory/internal/llm/anthropic"
	"codememory/internal/llm/llmtest"
	"codememory/internal/llm/ollama"
	"codememory/internal/llm/openai"
)

const key = "sk-test-0123456789abcdef"

func newProvider(p llmtest.Protocol, url string) llm.Provider {
	switch p {
	case llmtest.Ollama:
		return ollama.New(ollama.Config{URL: url, Model: "m", APIKey: key})
	case llmtest.OpenAI:
		return openai.New(openai.Config{URL: url, Model: "m", APIKey: key})
	default:
		return anthropic.New(anthropic.Config{URL: url, Model: "m", APIKey: key})
	}
}

// everyProtocol runs a test against a scripted server of each protocol.
func everyProtocol(t *testing.T, replies []llmtest.Reply, test func(t *testing.T, p llm.Provider, s *llmtest.Server)) {
	t.Helper()
	for _, protocol := range llmtest.Protocols {
		t.Run(string(protocol), func(t *testing.T) {
			t.Parallel()
			s := llmtest.Start(t, replies...)
			test(t, newProvider(protocol, s.BaseURL(protocol)), s)
		})
	}
}

func TestAnAnswerArrivesWithItsCost(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"x":{"type":"integer"}}}`)
	everyProtocol(t, []llmtest.Reply{{Text: `{"x":1}`, Input: 120, Output: 7}}, func(t *testing.T, p llm.Provider, s *llmtest.Server) {
		got, err := p.Complete(t.Context(), llm.Request{System: "be brief", Prompt: "what is x?", Schema: schema, MaxTokens: 50})
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != `{"x":1}` || got.Model != "m" || got.Usage.Input != 120 || got.Usage.Output != 7 || got.Truncated {
			t.Errorf("got %+v", got)
		}
		asked := s.Requests()[0]
		if asked.Model != "m" || asked.System != "be brief" || asked.Prompt != "what is x?" || asked.Schema != string(schema) {
			t.Errorf("asked %+v", asked)
		}
		if !strings.Contains(strings.Join(asked.Header.Values("Authorization"), "")+asked.Header.Get("X-Api-Key"), key) {
			t.Error("the key was not sent")
		}
		if strings.Contains(asked.Body, key) {
			t.Error("the key stands in the body")
		}
	})
}

func TestEveryFailureHasItsClass(t *testing.T) {
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		class llm.Class
		check func(*llm.Error) bool
	}{
		"empty":              {llmtest.Reply{}, llm.BadOutput, nil},
		"wrong key":          {llmtest.Reply{Status: 401, Error: "bad key " + key}, llm.Auth, nil},
		"no credit":          {llmtest.Reply{Status: 402, Error: "pay"}, llm.Auth, nil},
		"no quota":           {llmtest.Reply{Status: 429, Error: "insufficient_quota"}, llm.Auth, nil},
		"too many requests":  {llmtest.Reply{Status: 429, Error: "slow down", Header: http.Header{"Retry-After": {"7"}}}, llm.Infrastructure, func(e *llm.Error) bool { return e.RetryAfter == 7*time.Second }},
		"server failed":      {llmtest.Reply{Status: 500, Error: "oops"}, llm.Infrastructure, nil},
		"overloaded":         {llmtest.Reply{Status: 529, Error: "overloaded"}, llm.Infrastructure, nil},
		"unknown model":      {llmtest.Reply{Status: 404, Error: "model m not found"}, llm.Refused, func(e *llm.Error) bool { return strings.Contains(e.Message, "model m not found") }},
		"redirected":         {llmtest.Reply{Status: 307, Header: http.Header{"Location": {"http://127.0.0.1:1/"}}}, llm.Refused, nil},
		"truncated":          {llmtest.Reply{Text: "half an answer", Cut: true}, llm.Infrastructure, nil},
		"a page, not JSON":   {llmtest.Reply{Body: "<html>log in</html>"}, llm.Infrastructure, nil},
		"a broken protocol":  {llmtest.Reply{Body: `{"choices":`}, llm.Infrastructure, nil},
		"an unknown outcome": {llmtest.Reply{Status: 418}, llm.Refused, nil},
	} {
		t.Run(name, func(t *testing.T) {
			everyProtocol(t, []llmtest.Reply{tt.reply}, func(t *testing.T, p llm.Provider, s *llmtest.Server) {
				_, err := p.Complete(t.Context(), llm.Request{Prompt: "hello"})
				e, ok := errors.AsType[*llm.Error](err)
				if !ok || e.Class != tt.class || tt.check != nil && !tt.check(e) {
					t.Fatalf("got %#v, want %s", err, tt.class)
				}
				if strings.Contains(e.Error(), key) {
					t.Errorf("the key stands in %q", e)
				}
				if n := len(s.Requests()); n != 1 {
					t.Errorf("asked %d times", n)
				}
			})
		})
	}
}

func TestARefusalIsNoAnswer(t *testing.T) {
	for _, protocol := range []llmtest.Protocol{llmtest.OpenAI, llmtest.Anthropic} { // Ollama has no word for it
		s := llmtest.Start(t, llmtest.Reply{Text: "I would rather not", Refuse: true})
		_, err := newProvider(protocol, s.BaseURL(protocol)).Complete(t.Context(), llm.Request{Prompt: "hello"})
		if llm.ClassOf(err) != llm.Refused {
			t.Errorf("%s: got %v", protocol, err)
		}
	}
}

func TestAHangEndsWithTheContext(t *testing.T) {
	everyProtocol(t, []llmtest.Reply{{Hang: true}}, func(t *testing.T, p llm.Provider, _ *llmtest.Server) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := p.Complete(ctx, llm.Request{Prompt: "hello"})
		if llm.ClassOf(err) != llm.Infrastructure || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNobodyThereIsUnreachable(t *testing.T) {
	for _, protocol := range llmtest.Protocols {
		p := newProvider(protocol, "http://127.0.0.1:1")
		_, err := p.Complete(t.Context(), llm.Request{Prompt: "hello"})
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Unreachable || e.Class != llm.Infrastructure {
			t.Errorf("%s: got %v", protocol, err)
		}
		if err := p.Check(t.Context()); err == nil {
			t.Errorf("%s: nobody answers, and Check is content", protocol)
		}
		s := llmtest.Start(t)
		if err := newProvider(protocol, s.BaseURL(protocol)).Check(t.Context()); err != nil {
			t.Errorf("%s: a server answers, and Check says %v", protocol, err)
		}
	}
}

func TestALimitedAnswerSaysSo(t *testing.T) {
	everyProtocol(t, []llmtest.Reply{{Text: "half", Truncated: true}}, func(t *testing.T, p llm.Provider, _ *llmtest.Server) {
		got, err := p.Complete(t.Context(), llm.Request{Prompt: "hello", MaxTokens: 1})
		if err != nil || !got.Truncated {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestAServerWithoutSchemasIsAskedWithout(t *testing.T) {
	var formats []string
	s := llmtest.StartFunc(t, func(r llmtest.Request) llmtest.Reply {
		switch {
		case strings.Contains(r.Body, "json_schema"):
			formats = append(formats, "schema")
			return llmtest.Reply{Status: 400, Error: "'response_format.type' : value is not one of the allowed values"}
		case strings.Contains(r.Body, "json_object"):
			formats = append(formats, "object")
			return llmtest.Reply{Status: 422, Error: "response_format is not supported by this model"}
		default:
			formats = append(formats, "plain")
			return llmtest.Text("[1]")
		}
	})
	p := newProvider(llmtest.OpenAI, s.BaseURL(llmtest.OpenAI))
	for range 2 {
		got, err := p.Complete(t.Context(), llm.Request{Prompt: "list", Schema: json.RawMessage(`{}`)})
		if err != nil || got.Text != "[1]" {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if got := strings.Join(formats, " "); got != "schema object plain plain" {
		t.Errorf("asked with %s", got)
	}
}

func TestOllamaIsAskedForAWindowThatHoldsThePrompt(t *testing.T) {
	s := llmtest.Start(t, llmtest.Text("ok"))
	p := ollama.New(ollama.Config{URL: s.URL, Model: "m"})
	if _, err := p.Complete(t.Context(), llm.Request{Prompt: "hello"}); err != nil {
		t.Fatal(err)
	}
	if body := s.Requests()[0].Body; !strings.Contains(body, `"num_ctx":16384`) || !strings.Contains(body, `"stream":false`) {
		t.Errorf("asked %s", body)
	}
}
