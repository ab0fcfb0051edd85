package mcpserver

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory"
)

// The resources. Only these are listed: a list of memories would make every
// start of an agent wait for the stores.
const (
	projectURI = "memory://project"
	userURI    = "memory://user"
	journalURI = "memory://journal"
	memoryURI  = "memory://memories/" // + id
	dayURI     = "memory://journal/"  // + day
)

const markdown = "text/markdown"

// reader returns the text of a resource; rest is what its URI ends with.
type reader func(ctx context.Context, c caller, rest string) (string, error)

func (s *server) addResources(m *mcp.Server) {
	for _, r := range []struct {
		uri, name, title, description string
		read                          reader
	}{
		{projectURI, "project", "Project memory", "What is remembered of this project: what a new session should know first", s.readProject},
		{userURI, "user", "User profile", "What is remembered of the user, in all projects", s.operation("profile", "")},
		{journalURI, "journal", "Journal", "The days on which agents worked on this project", s.operation("journal", "")},
	} {
		m.AddResource(&mcp.Resource{URI: r.uri, Name: r.name, Title: r.title, Description: r.description, MIMEType: markdown}, s.reads(r.uri, r.read))
	}
	for _, r := range []struct {
		prefix, variable, name, title, description string
		read                                       reader
	}{
		{memoryURI, "{id}", "memory", "One memory", "A memory with its source, links and history", s.readMemory},
		{dayURI, "{day}", "journal-day", "One day of the journal", "What agents did on a day, such as 2026-03-01", s.readDay},
	} {
		m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: r.prefix + r.variable, Name: r.name, Title: r.title, Description: r.description, MIMEType: markdown}, s.reads(r.prefix, r.read))
	}
}

// reads answers requests for resources that begin with a prefix.
func (s *server) reads(prefix string, read reader) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		rest, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, prefix))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		in := incoming{req.Session, req.Params.GetMeta(), req.Extra}
		text, err := read(ctx, s.caller(ctx, in, nil), rest)
		switch codememory.CodeOf(err) {
		case codememory.NotFound, codememory.Invalid, codememory.Conflict:
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		default:
		}
		if err != nil {
			return nil, reason(ctx, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: markdown, Text: text}}}, nil
	}
}

// operation reads what an operation of the memory tool answers, with the rest
// of the URI as this argument of it.
func (s *server) operation(name, arg string) reader {
	return func(ctx context.Context, c caller, rest string) (string, error) {
		args := arguments{"tool": name}
		if arg != "" {
			args["args"] = map[string]any{arg: rest}
		}
		return s.forward("memory")(ctx, call{c, args})
	}
}

func (s *server) readProject(ctx context.Context, c caller, _ string) (string, error) {
	memory, _, err := s.services.get(ctx)
	if err != nil {
		return "", err
	}
	answer, err := memory.Context(ctx, codememory.ContextRequest{Project: c.project, Session: c.session, Agent: c.agent, Parts: []codememory.Part{codememory.StablePart}})
	if err != nil {
		return "", err
	}
	if answer.Stable == "" {
		return "There is nothing yet that every session of this project should know first; the tool memory_search finds single facts.", nil
	}
	return answer.Stable, nil
}

func (s *server) readMemory(ctx context.Context, c caller, id string) (string, error) {
	memory, _, err := s.services.get(ctx)
	if err != nil {
		return "", err
	}
	// The operation tells in words what is not there; here it must be an error.
	if _, err := memory.Get(ctx, codememory.Ref{ID: id}); err != nil {
		return "", err
	}
	return s.operation("get", "memoryId")(ctx, c, id)
}

func (s *server) readDay(ctx context.Context, c caller, day string) (string, error) {
	_, agents, err := s.services.get(ctx)
	if err != nil {
		return "", err
	}
	if _, err := agents.Journal(ctx, c.project, day); err != nil {
		return "", err
	}
	return s.operation("journal", "day")(ctx, c, day)
}
