package mcpserver

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"codememory"
	"codememory/internal/render"
)

// ocmTools are the tools of openCodeMemory under their own names and with the
// JSON answers that its rules and skills describe.
func (s *server) ocmTools() []tool {
	limit, filter := integer("most results"), text("only sessions of this tool")
	return []tool{
		{
			name: "ocm__checkpoint", title: "Save a checkpoint", answer: s.ocmCheckpoint,
			description: "Record the state of a session: goal, work done and open, decisions. Creates the session when it is not known.",
			schema: s.object([]string{"session_id"},
				property{"session_id", text("id of the session")}, property{"slug", text("a short name for the session's file")}, property{"goal", text("what the session is for")},
				property{"tool", text("the agent, such as claude-code")}, property{"work_completed", texts("finished")}, property{"work_pending", texts("open; replaces the earlier list")},
				property{"work_summary", texts("what happened")}, property{"decisions", texts("decisions with their reason")},
				property{"plan_files", objects("plans", "path", "header")}, property{"references", objects("pages used", "url", "title")}, property{"status", text("open or closed")},
			),
		},
		{
			name: "ocm__search_sessions", title: "Search sessions", reads: true, idempotent: true, answer: s.ocmSearch,
			description: "Search sessions by what was done in them.",
			schema:      s.object([]string{"query"}, property{"query", text("what to look for")}, property{"limit", limit}, property{"scope", text("where (default project)", "project", "global")}, property{"tool_filter", filter}),
		},
		{
			name: "ocm__list_sessions", title: "List sessions", reads: true, idempotent: true, answer: s.ocmList,
			description: "List sessions, newest first.",
			schema:      s.object(nil, property{"limit", limit}, property{"tool_filter", filter}),
		},
		{
			name: "ocm__get_session_files", title: "Files of a session", reads: true, idempotent: true, answer: s.ocmFiles,
			description: "List the files that a session created, modified or deleted.",
			schema:      s.object([]string{"session_id"}, property{"session_id", text("id of the session")}),
		},
	}
}

func (s *server) ocmCheckpoint(ctx context.Context, c call) (string, error) {
	saved, err := s.save(ctx, c)
	return asJSON(struct {
		Session string `json:"session_id"`
		Path    string `json:"markdown_path"`
		Status  string `json:"status"`
	}{saved.ID, saved.Path, saved.Status}, err)
}

// ocmHit is a found session as ocm shows it.
type ocmHit struct {
	Rank     int       `json:"rank"`
	Score    float64   `json:"score"`
	Session  string    `json:"session_id"`
	Goal     string    `json:"goal"`
	Date     time.Time `json:"date"`
	Agent    string    `json:"tool"`
	TopFiles []string  `json:"top_files"`
	Path     string    `json:"markdown_path"`
}

func (s *server) ocmSearch(ctx context.Context, c call) (string, error) {
	query := c.args.text("query")
	if query == "" {
		return "", codememory.Errorf(codememory.Invalid, `query is required: ocm__search_sessions({query: "..."})`)
	}
	found, err := s.findSessions(ctx, c, query, c.args.number("limit", foundSessions, foundSessions))
	if err == nil && len(found) == 0 {
		return noSessions, nil
	}
	hits := make([]ocmHit, len(found))
	for i, e := range found {
		files := []string{}
		for _, f := range e.TopFiles {
			files = append(files, render.Line(f, 200))
		}
		hits[i] = ocmHit{i + 1, math.Round(e.Score*1000) / 1000, e.ID, render.Line(e.Goal, 300), e.StartedAt, e.Agent, files, e.Path}
	}
	return asJSON(hits, err)
}

// ocmSession is a listed session as ocm shows it.
type ocmSession struct {
	Session string    `json:"session_id"`
	Goal    string    `json:"goal"`
	Date    time.Time `json:"date"`
	Agent   string    `json:"tool"`
	Status  string    `json:"status"`
	Path    string    `json:"markdown_path"`
}

func (s *server) ocmList(ctx context.Context, c call) (string, error) {
	found, err := s.findSessions(ctx, c, "", c.args.number("limit", newestSessions, mostSessions))
	if err == nil && len(found) == 0 {
		return noneYet, nil
	}
	sessions := make([]ocmSession, len(found))
	for i, e := range found {
		sessions[i] = ocmSession{e.ID, render.Line(e.Goal, 300), e.StartedAt, e.Agent, e.Status, e.Path}
	}
	return asJSON(sessions, err)
}

func (s *server) ocmFiles(ctx context.Context, c call) (string, error) {
	id := c.args.text("session_id")
	if id == "" {
		return "", codememory.Errorf(codememory.Invalid, `session_id is required: ocm__get_session_files({session_id: "..."})`)
	}
	_, agents, err := s.services.get(ctx)
	if err != nil {
		return "", err
	}
	found, err := agents.Sessions(ctx, codememory.SessionsRequest{Project: c.project, Session: id})
	if err != nil {
		return "", err
	}
	type file struct {
		Path   string                `json:"path"`
		Change codememory.ChangeKind `json:"change_type"`
	}
	files := []file{}
	for _, e := range found {
		for _, f := range e.Files {
			files = append(files, file{render.Line(f.Path, 400), f.Change})
		}
	}
	return asJSON(files, nil)
}

func asJSON(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(v)
	return string(b), err
}
