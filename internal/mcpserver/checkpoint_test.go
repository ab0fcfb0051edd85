package mcpserver_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory"
	"codememory/internal/mcpserver"
)

// sessions keeps checkpoints in memory.
type sessions struct{ saved []mcpserver.Checkpoint }

func (s *sessions) Checkpoint(_ context.Context, c mcpserver.Checkpoint) (mcpserver.CheckpointSaved, error) {
	s.saved = append(s.saved, c)
	return mcpserver.CheckpointSaved{Session: c.Session, File: "/p/sessions/" + c.Session + ".md", Status: "active"}, nil
}

func (s *sessions) SearchSessions(_ context.Context, q mcpserver.SessionSearch) ([]mcpserver.SessionHit, error) {
	var hits []mcpserver.SessionHit
	for _, c := range s.saved {
		if strings.Contains(c.Goal, q.Query) && len(hits) < q.Limit {
			hits = append(hits, mcpserver.SessionHit{Rank: len(hits) + 1, Score: 0.5, Session: c.Session, Goal: c.Goal, Date: day, Agent: c.Agent, TopFiles: []string{"a.go"}, File: "/p/a.md"})
		}
	}
	return hits, nil
}

func (s *sessions) ListSessions(context.Context, mcpserver.SessionList) ([]mcpserver.SessionRecord, error) {
	var out []mcpserver.SessionRecord
	for _, c := range s.saved {
		out = append(out, mcpserver.SessionRecord{Session: c.Session, Goal: c.Goal, Date: day, Agent: c.Agent, Status: "active", File: "/p/a.md"})
	}
	return out, nil
}

func (s *sessions) SessionFiles(_ context.Context, _, session string) ([]codememory.FileChange, error) {
	for _, c := range s.saved {
		if c.Session == session {
			return []codememory.FileChange{{Path: "a.go", Change: codememory.FileCreated}}, nil
		}
	}
	return nil, codememory.Errorf(codememory.NotFound, "there is no session %s", session)
}

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestACheckpointIsSavedAndFound(t *testing.T) {
	s := &sessions{}
	cs := client(t, mcpserver.Options{Service: &recorder{}, Agents: &recorder{}, Checkpoints: s, Dir: "/work/shop"}, newClient("codex-mcp-client"), nil)
	if got := ask(t, cs, "memory_sessions", nil); got.wrong || !strings.Contains(got.text, "No session") {
		t.Errorf("%+v", got)
	}
	got := askWith(t, cs, &mcp.CallToolParams{
		Meta: mcp.Meta{"threadId": "t1"}, Name: "memory_checkpoint",
		Arguments: map[string]any{"goal": "Replace the\nqueue", "workCompleted": "- read the code\n- wrote tests\n", "work_pending": []string{"deploy", " "}, "references": []any{map[string]any{"url": "https://x", "title": "X"}, "https://y"}},
	})
	if got.wrong || got.text != "Checkpoint of session t1 saved (active): /p/sessions/t1.md" {
		t.Errorf("%+v", got)
	}
	want := []mcpserver.Checkpoint{{
		Project: "/work/shop", Session: "t1", Agent: "codex", Goal: "Replace the\nqueue", WorkCompleted: []string{"read the code", "wrote tests"}, WorkPending: []string{"deploy"},
		References: []mcpserver.Reference{{URL: "https://x", Title: "X"}, {URL: "https://y"}},
	}}
	if diff := cmp.Diff(want, s.saved); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	line := "- 2026-03-01 codex, session `t1` (active): Replace the queue; /p/a.md\n"
	if got := ask(t, cs, "memory_sessions", nil); got.text != line {
		t.Errorf("%+v", got)
	}
	if got := ask(t, cs, "memory_sessions", map[string]any{"query": "queue"}); got.wrong || !strings.Contains(got.text, "files a.go") {
		t.Errorf("%+v", got)
	}
	if got := ask(t, cs, "memory_sessions", map[string]any{"query": "banana"}); got.wrong || got.text != "No sessions found matching your query." {
		t.Errorf("%+v", got)
	}
	if got := ask(t, cs, "memory_sessions", map[string]any{"session_id": "t1"}); got.wrong || got.text != "- created a.go\n" {
		t.Errorf("%+v", got)
	}
	if got := ask(t, cs, "memory_sessions", map[string]any{"session_id": "t2"}); !got.wrong || !strings.Contains(got.text, "no session t2") {
		t.Errorf("%+v", got)
	}
	if got := ask(t, cs, "memory_checkpoint", map[string]any{"goal": "x"}); !got.wrong || !strings.Contains(got.text, "session_id is required") {
		t.Errorf("%+v", got)
	}
}

func TestTheOlderNamesAnswerAsTheyDid(t *testing.T) {
	cs := client(t, mcpserver.Options{Service: &recorder{}, Agents: &recorder{}, Checkpoints: &sessions{}, Tools: mcpserver.AllTools, Dir: "/work/shop"}, nil, nil)
	for _, step := range []struct {
		tool, want string
		args       map[string]any
	}{
		{"ocm__search_sessions", "No sessions found matching your query.", map[string]any{"query": "queue"}},
		{"ocm__list_sessions", "No sessions are recorded yet.", nil},
		{"ocm__checkpoint", `{"session_id":"s1","markdown_path":"/p/sessions/s1.md","status":"active"}`, map[string]any{"session_id": "s1", "goal": "the queue", "tool": "claude-code"}},
		{"ocm__search_sessions", `[{"rank":1,"score":0.5,"session_id":"s1","goal":"the queue","date":"2026-03-01T12:00:00Z","tool":"claude-code","top_files":["a.go"],"markdown_path":"/p/a.md"}]`, map[string]any{"query": "queue", "limit": 50}},
		{"ocm__list_sessions", `[{"session_id":"s1","goal":"the queue","date":"2026-03-01T12:00:00Z","tool":"claude-code","status":"active","markdown_path":"/p/a.md"}]`, nil},
		{"ocm__get_session_files", `[{"path":"a.go","change_type":"created"}]`, map[string]any{"session_id": "s1"}},
	} {
		if got := ask(t, cs, step.tool, step.args); got.wrong || got.text != step.want {
			t.Errorf("%s\ngot  %+v\nwant %s", step.tool, got, step.want)
		}
	}
}
