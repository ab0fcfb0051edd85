package mcpserver

import (
	"context"
	_ "embed"

	"codememory"
	"codememory/internal/render"
)

//go:embed sessions.md
var sessionsDescription string

// sessionsTool is three tools of ocm in one: what is asked is told by the
// arguments that are given.
func (s *server) sessionsTool() tool {
	return tool{
		name: "memory_sessions", title: "Find sessions", description: sessionsDescription, reads: true, idempotent: true, answer: s.sessions,
		schema: s.object(nil,
			property{"query", text("subject, time (\"last week\"), agent; without it the newest")},
			property{"session_id", text("read this one")},
			property{"scope", text("where to search", "project", "global")},
			property{"tool_filter", text("only of this agent")},
			property{"limit", integer("most results")},
		),
	}
}

const (
	noSessions = "No sessions found matching your query."
	noneYet    = "No sessions are recorded yet."
)

func (s *server) sessions(ctx context.Context, c call) (string, error) {
	if id := c.args.text("session_id"); id != "" {
		_, agents, err := s.services.get(ctx)
		if err != nil {
			return "", err
		}
		return agents.SessionText(ctx, codememory.SessionTextRequest{Project: c.project, Session: id, Handoff: true, To: c.agent})
	}
	query, most := c.args.text("query"), newestSessions
	if query != "" {
		most = foundSessions
	}
	found, err := s.findSessions(ctx, c, query, c.args.number("limit", most, mostSessions))
	switch {
	case err != nil:
		return "", err
	case len(found) > 0:
		return render.Sessions(found), nil
	case query == "":
		return noneYet, nil
	}
	return noSessions, nil
}

// How many sessions are shown: found ones, the newest ones, at most.
const (
	foundSessions  = 5
	newestSessions = 10
	mostSessions   = 100
)

func (s *server) findSessions(ctx context.Context, c call, query string, limit int) ([]codememory.SessionEntry, error) {
	_, agents, err := s.services.get(ctx)
	if err != nil {
		return nil, err
	}
	return agents.Sessions(ctx, codememory.SessionsRequest{
		Project: c.project, Query: query, Limit: limit, Agent: c.args.text("tool_filter", "agent"), All: c.args.text("scope") == "global",
	})
}
