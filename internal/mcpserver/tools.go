package mcpserver

import (
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory"
)

// alwaysLoad makes Claude Code show a tool to the model from the start; others
// it has to search for first, which models seldom do.
const alwaysLoad = "anthropic/alwaysLoad"

// call is one call of a tool.
type call struct {
	caller
	args arguments
}

// tool is what the server lists and how it answers.
type tool struct {
	name, title, description string
	key                      bool // shown to the model from the start
	reads                    bool // changes nothing
	idempotent               bool
	schema                   *jsonschema.Schema
	answer                   func(ctx context.Context, c call) (string, error)
}

func (s *server) addTools(m *mcp.Server) {
	tools := []tool{s.memoryTool(), s.searchTool(), s.getTool(), s.transcriptTool(), s.checkpointTool(), s.sessionsTool()}
	if s.opts.Tools == AllTools {
		tools = append(tools, s.ocmTools()...)
	}
	for _, t := range tools {
		m.AddTool(t.listed(), s.handler(t))
	}
}

func (t tool) listed() *mcp.Tool {
	no := false
	l := &mcp.Tool{
		Name: t.name, Description: strings.TrimSpace(t.description), InputSchema: t.schema,
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: t.reads, IdempotentHint: t.idempotent, OpenWorldHint: &no},
	}
	if !t.reads {
		// What is forgotten can be brought back.
		l.Annotations.DestructiveHint = &no
	}
	if t.key {
		l.Meta = mcp.Meta{alwaysLoad: true}
	}
	return l
}

// handler answers calls of a tool. Arguments are not checked against the
// schema: the services understand the many ways in which models write them,
// and say what is missing in words that help.
func (s *server) handler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := parseArguments(req.Params.Arguments)
		if err != nil {
			return failed(err), nil
		}
		in := incoming{req.Session, req.Params.GetMeta(), req.Extra}
		answer, err := t.answer(ctx, call{s.caller(ctx, in, args), args})
		if err != nil {
			return failed(reason(ctx, err)), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer}}, IsError: tellsError(answer)}, nil
	}
}

// failed tells a model what went wrong, with what people can do about it.
func failed(err error) *mcp.CallToolResult {
	text := "Error: " + err.Error()
	if codememory.CodeOf(err) == codememory.Internal {
		text += "\n\nMemory does not work right now; go on without it. The user can find out why with: codememory doctor"
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}

// tellsError reports whether an answer of the services says that a call was
// wrong. The protocol wants such answers marked, so that models try again.
func tellsError(answer string) bool {
	for _, prefix := range []string{"Error: ", `{"success":false,`, "Unknown tool: "} {
		if strings.HasPrefix(answer, prefix) {
			return true
		}
	}
	return false
}

// forward asks the service to answer a tool of this name.
func (s *server) forward(name string) func(ctx context.Context, c call) (string, error) {
	return func(ctx context.Context, c call) (string, error) {
		_, agents, err := s.services.get(ctx)
		if err != nil {
			return "", err
		}
		delete(c.args, "project") // it is said by the request
		return agents.Tool(ctx, codememory.ToolRequest{Tool: name, Args: c.args, Project: c.project, Agent: c.agent, Session: c.session})
	}
}

// property is an argument of a tool in its schema.
type property struct {
	name   string
	schema *jsonschema.Schema
}

// object makes the schema of a tool's arguments. Where the server cannot know
// the project by itself, it can be said.
func (s *server) object(required []string, properties ...property) *jsonschema.Schema {
	if s.opts.Dir == "" {
		properties = append(properties, property{"project", text("absolute path of the project")})
	}
	o := &jsonschema.Schema{Type: "object", Required: required, Properties: map[string]*jsonschema.Schema{}}
	for _, p := range properties {
		o.Properties[p.name] = p.schema
		o.PropertyOrder = append(o.PropertyOrder, p.name)
	}
	return o
}

func text(description string, enum ...any) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: description, Enum: enum}
}

func integer(description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Description: description}
}

func texts(description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: description}
}

// objects is the schema of a list of objects with these texts.
func objects(description string, names ...string) *jsonschema.Schema {
	item := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, PropertyOrder: names}
	for _, name := range names {
		item.Properties[name] = &jsonschema.Schema{Type: "string"}
	}
	return &jsonschema.Schema{Type: "array", Items: item, Description: description}
}
