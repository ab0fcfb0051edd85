package mcpserver

import (
	"context"
	"encoding/json"

	"codememory"
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
				property{"plan_files", objects("plans", "path", "header")}, property{"references", objects("pages used", "url", "title")}, property{"status", text("active or closed")},
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
	return asJSON(saved, err)
}

func (s *server) ocmSearch(ctx context.Context, c call) (string, error) {
	hits, err := s.searchSessions(ctx, c)
	if err == nil && len(hits) == 0 {
		return noSessions, nil
	}
	return asJSON(hits, err)
}

func (s *server) ocmList(ctx context.Context, c call) (string, error) {
	records, err := s.listSessions(ctx, c)
	if err == nil && len(records) == 0 {
		return "No sessions are recorded yet.", nil
	}
	return asJSON(records, err)
}

func (s *server) ocmFiles(ctx context.Context, c call) (string, error) {
	id := c.args.text("session_id")
	if id == "" {
		return "", codememory.Errorf(codememory.Invalid, `session_id is required: ocm__get_session_files({session_id: "..."})`)
	}
	files, err := s.opts.Checkpoints.SessionFiles(ctx, c.project, id)
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return filesText(id, nil), nil
	}
	type file struct {
		Path   string                `json:"path"`
		Change codememory.ChangeKind `json:"change_type"`
	}
	out := make([]file, len(files))
	for i, f := range files {
		out[i] = file{f.Path, f.Change}
	}
	return asJSON(out, nil)
}

func asJSON(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(v)
	return string(b), err
}
