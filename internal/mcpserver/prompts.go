package mcpserver

import (
	"context"
	_ "embed"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var (
	//go:embed recall.md
	recallPrompt string
	//go:embed remember.md
	rememberPrompt string
	//go:embed handoff.md
	handoffPrompt string
)

// prompt is a command that the user can give.
type prompt struct {
	name, title, description string
	argument, about          string // "": it has none
	optional                 bool
	text                     func(ctx context.Context, c caller, argument string) (string, error)
}

func (s *server) addPrompts(m *mcp.Server) {
	for _, p := range []prompt{
		{name: "recall", title: "Recall", description: "Put what is remembered about a subject before the model", argument: "query", about: "what it is about", text: s.recall},
		{name: "remember", title: "Remember", description: "Have something remembered for later sessions", argument: "text", about: "what to remember; without it what this conversation has settled", optional: true, text: remember},
		{name: "handoff", title: "Hand off", description: "Record where the work stands, for the session that goes on with it", text: handoff},
	} {
		m.AddPrompt(p.listed(), s.prompts(p))
	}
}

func (p prompt) listed() *mcp.Prompt {
	l := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.description}
	if p.argument != "" {
		l.Arguments = []*mcp.PromptArgument{{Name: p.argument, Description: p.about, Required: !p.optional}}
	}
	return l
}

func (s *server) prompts(p prompt) mcp.PromptHandler {
	return func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		argument := strings.TrimSpace(req.Params.Arguments[p.argument])
		if argument == "" && p.argument != "" && !p.optional {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the prompt " + p.name + " needs " + p.argument + ": " + p.about}
		}
		in := incoming{req.Session, req.Params.GetMeta(), req.Extra}
		text, err := p.text(ctx, s.caller(ctx, in, nil), argument)
		if err != nil {
			return nil, reason(ctx, err)
		}
		return &mcp.GetPromptResult{Description: p.description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	}
}

// filled puts a text in the place that a template has for it.
func filled(template, text string) string {
	return strings.TrimSpace(strings.Replace(template, "{{}}", text, 1))
}

func (s *server) recall(ctx context.Context, c caller, query string) (string, error) {
	answer, err := s.forward("memory")(ctx, call{c, arguments{"tool": "recall", "args": map[string]any{"query": query}}})
	return filled(recallPrompt, answer), err
}

func remember(_ context.Context, _ caller, text string) (string, error) {
	if text == "" {
		text = "What this conversation has settled: decisions with their reason, corrections, preferences, and fixes that took effort."
	}
	return filled(rememberPrompt, text), nil
}

func handoff(context.Context, caller, string) (string, error) {
	return filled(handoffPrompt, ""), nil
}
