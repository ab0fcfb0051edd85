package mcpserver

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"codememory"
)

//go:embed sessions.md
var sessionsDescription string

// sessionsTool is three tools of ocm in one: what is asked is told by the
// arguments that are given.
func (s *server) sessionsTool() tool {
	return tool{
		name: "memory_sessions", title: "Find sessions", description: sessionsDescription, reads: true, idempotent: true, answer: s.sessions,
		schema: s.object(nil,
			property{"query", text("sessions about this; without it the newest")},
			property{"session_id", text("the files that this session changed")},
			property{"scope", text("where to search", "project", "global")},
			property{"tool_filter", text("only of this agent")},
			property{"limit", integer("most results")},
		),
	}
}

func (s *server) sessions(ctx context.Context, c call) (string, error) {
	if id := c.args.text("session_id"); id != "" {
		files, err := s.opts.Checkpoints.SessionFiles(ctx, c.project, id)
		if err != nil {
			return "", err
		}
		return filesText(id, files), nil
	}
	if c.args.text("query") != "" {
		hits, err := s.searchSessions(ctx, c)
		if err != nil {
			return "", err
		}
		if len(hits) == 0 {
			return noSessions, nil
		}
		var b strings.Builder
		for _, h := range hits {
			b.WriteString(sessionLine(SessionRecord{Session: h.Session, Goal: h.Goal, Date: h.Date, Agent: h.Agent, File: h.File}, h.TopFiles))
		}
		return b.String(), nil
	}
	records, err := s.listSessions(ctx, c)
	if err != nil {
		return "", err
	}
	if len(records) == 0 {
		return "No session of this project has a checkpoint yet.", nil
	}
	var b strings.Builder
	for _, r := range records {
		b.WriteString(sessionLine(r, nil))
	}
	return b.String(), nil
}

const noSessions = "No sessions found matching your query."

func (s *server) searchSessions(ctx context.Context, c call) ([]SessionHit, error) {
	query := c.args.text("query")
	if query == "" {
		return nil, codememory.Errorf(codememory.Invalid, `query is required: {query: "..."}`)
	}
	return s.opts.Checkpoints.SearchSessions(ctx, SessionSearch{
		Project: c.project, Query: query, Limit: c.args.number("limit", 5, 5), Agent: c.args.text("tool_filter"), Global: c.args.text("scope") == "global",
	})
}

func (s *server) listSessions(ctx context.Context, c call) ([]SessionRecord, error) {
	return s.opts.Checkpoints.ListSessions(ctx, SessionList{Project: c.project, Limit: c.args.number("limit", 10, 100), Agent: c.args.text("tool_filter")})
}

func sessionLine(r SessionRecord, files []string) string {
	line := fmt.Sprintf("- %s %s, session `%s`", r.Date.Format(time.DateOnly), oneLine(r.Agent, 40), oneLine(r.Session, 100))
	if r.Status != "" {
		line += " (" + oneLine(r.Status, 40) + ")"
	}
	line += ": " + oneLine(r.Goal, 300)
	if len(files) > 0 {
		line += "; files " + oneLine(strings.Join(files, ", "), 300)
	}
	return line + "; " + oneLine(r.File, 300) + "\n"
}

func filesText(session string, files []codememory.FileChange) string {
	if len(files) == 0 {
		return fmt.Sprintf("Session %s changed no files that are known.", oneLine(session, 100))
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "- %s %s\n", f.Change, oneLine(f.Path, 300))
	}
	return b.String()
}
