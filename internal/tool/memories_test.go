package tool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/journal"
	"codememory/internal/tool"

	"github.com/google/go-cmp/cmp"
)

// keys returns the keys of a JSON object in the order in which they stand.
func keys(t *testing.T, object string) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	var out []string
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, key.(string))
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestModesAnswerInTheShapesThatClientsKnow(t *testing.T) {
	w := newWorld(t)
	const text = "Integration tests need  Docker; run `make up` first."
	added := w.ask(fmt.Sprintf(`{"mode": "add", "content": %q, "type": "project-config"}`, text))
	if got := keys(t, added); !slices.Equal(got, []string{"success", "message", "id", "scope", "type"}) {
		t.Errorf("add: %s", added)
	}
	var a struct{ Message, ID, Scope, Type string }
	if err := json.Unmarshal([]byte(added), &a); err != nil || a.Message != "Memory added to project scope" || a.Scope != "project" || a.Type != "project-config" {
		t.Errorf("add: %s %v", added, err)
	}
	m, err := w.service.Get(t.Context(), codememory.Ref{ID: a.ID})
	if err != nil || m.Text != text || m.Source.Author != codememory.AuthorAgent || m.Source.Agent != "opencode" {
		t.Errorf("the text is not stored as given: %+v %v", m, err)
	}
	w.ask(`{"mode": "add", "content": "Prefers table tests over Docker fixtures.", "type": "preference", "scope": "user"}`)

	found := w.ask(`{"mode": "search", "query": "docker"}`)
	if got := keys(t, found); !slices.Equal(got[:4], []string{"success", "query", "count", "results"}) {
		t.Errorf("search: %s", found)
	}
	var s struct {
		Count   int
		Results []json.RawMessage
	}
	if err := json.Unmarshal([]byte(found), &s); err != nil || s.Count != 2 || len(s.Results) != 2 {
		t.Fatalf("search: %s", found)
	}
	if got := keys(t, string(s.Results[0])); !slices.Equal(got, []string{"id", "content", "similarity", "scope"}) {
		t.Errorf("a result: %s", s.Results[0])
	}
	var r struct {
		Similarity json.Number
		Scope      string
	}
	if err := json.Unmarshal(s.Results[0], &r); err != nil || strings.Contains(r.Similarity.String(), ".") || r.Similarity == "0" || r.Similarity == "1" {
		t.Errorf("similarity is %s, want whole percents", r.Similarity)
	}
	if got := w.ask(`{"tool": "search", "query": "docker", "scope": "memories"}`); strings.Count(got, "\n- `mem_") != 2 {
		t.Errorf("search among memories: %s", got)
	}
	if one := w.askJSON(`{"mode": "search", "query": "docker", "scope": "user"}`); one["scope"] != "user" || one["count"] != 1.0 {
		t.Errorf("search in one scope: %v", one)
	}

	listed := w.ask(`{"mode": "list"}`)
	if got := keys(t, listed); !slices.Equal(got, []string{"success", "scope", "count", "memories"}) {
		t.Errorf("list: %s", listed)
	}
	memory := w.askJSON(`{"mode": "list", "limit": "1"}`)["memories"].([]any)[0].(map[string]any)
	if got := slices.Sorted(maps.Keys(memory)); !slices.Equal(got, []string{"content", "createdAt", "id", "metadata"}) || memory["metadata"].(map[string]any)["type"] != "project-config" {
		t.Errorf("list: %v", memory)
	}
	if p := w.askJSON(`{"mode": "profile"}`)["profile"].(map[string]any)["memories"].([]any); len(p) != 1 || !strings.Contains(fmt.Sprint(p), "table tests") {
		t.Errorf("profile: %v", p)
	}
	help := w.askJSON(`{"mode": "help"}`)
	if len(help["commands"].([]any)) != 11 || len(help["types"].([]any)) != len(codememory.Types) || len(help["scopes"].(map[string]any)) != 2 {
		t.Errorf("help: %v", help)
	}

	forgotten := w.ask(fmt.Sprintf(`{"mode": "forget", "memoryId": %q}`, codememory.ShownID(a.ID)))
	if got := keys(t, forgotten); !slices.Equal(got, []string{"success", "message"}) {
		t.Errorf("forget: %s", forgotten)
	}
	if got := w.askJSON(`{"mode": "list"}`); got["count"] != 0.0 {
		t.Errorf("it is still listed: %v", got)
	}
	if got := w.askJSON(fmt.Sprintf(`{"mode": "undo", "memoryId": %q}`, a.ID)); got["success"] != true || w.askJSON(`{"mode": "list"}`)["count"] != 1.0 {
		t.Errorf("undo: %v", got)
	}
}

func TestAnAdditionSaysWhatBecameOfIt(t *testing.T) {
	w := newWorld(t)
	if got := w.askJSON(`{"mode": "add", "content": "<private>my password is hunter2</private>"}`); got["success"] != false || !strings.Contains(fmt.Sprint(got["error"]), "not stored") {
		t.Errorf("private: %v", got)
	}
	if got := w.askJSON(`{"mode": "list"}`); got["count"] != 0.0 {
		t.Errorf("something was stored: %v", got)
	}
	first := w.askJSON(`{"mode": "add", "content": "The API runs on port 8080."}`)
	again := w.askJSON(`{"mode": "add", "content": "the API runs on port  8080"}`)
	if again["success"] != true || again["id"] != first["id"] || !strings.HasPrefix(fmt.Sprint(again["message"]), "Nothing added") {
		t.Errorf("a known text: %v", again)
	}
	secret := w.askJSON(`{"mode": "add", "content": "Deploy with AKIAIOSFODNN7EXAMQLE and region eu-west-1."}`)
	if secret["success"] != true || !strings.Contains(fmt.Sprint(secret["message"]), "secrets were taken out") || strings.Contains(w.ask(`{"mode": "list"}`), "AKIAIOSFODNN7EXAMQLE") {
		t.Errorf("a secret: %v", secret)
	}
}

func TestChainsOfMemories(t *testing.T) {
	w := newWorld(t)
	old := w.askJSON(`{"mode": "add", "content": "Sessions are kept in Redis."}`)["id"].(string)
	w.now = w.now.Add(time.Hour)
	younger := w.askJSON(fmt.Sprintf(`{"mode": "add", "content": "Login state lives in PostgreSQL now.", "supersedes": %q, "reason": "one store less"}`, codememory.ShownID(old)))["id"].(string)
	other := w.askJSON(`{"mode": "add", "content": "Backups of the database run at night."}`)["id"].(string)
	if got := w.askJSON(fmt.Sprintf(`{"mode": "link", "memoryId": %q, "to": %q, "type": "contextualizes"}`, other, codememory.ShownID(younger))); got["success"] != true {
		t.Error(got)
	}
	chain := w.askJSON(fmt.Sprintf(`{"mode": "history", "memoryId": %q}`, codememory.ShownID(younger)))
	if chain["id"] != younger || chain["count"].(float64) < 2 || !strings.Contains(fmt.Sprint(chain), "Redis") {
		t.Errorf("history: %v", chain)
	}
	whole := w.ask(fmt.Sprintf(`{"tool": "get", "memoryId": %q}`, younger))
	for _, want := range []string{"Login state lives in PostgreSQL now.", "- Supersedes: " + codememory.ShownID(old) + " one store less", "- Link: (from there) contextualizes " + codememory.ShownID(other)} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is missing:\n%s", want, whole)
		}
	}
	if got := w.ask(fmt.Sprintf(`{"tool": "expand", "id": %q}`, old)); !strings.Contains(got, "- State: superseded by "+codememory.ShownID(younger)) {
		t.Error(got)
	}
	if got := w.ask(fmt.Sprintf(`{"tool": "supersede", "memoryId": %q, "supersedes": %q}`, younger, other)); !strings.Contains(got, "supersedes "+codememory.ShownID(other)) {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "list"}`); strings.Contains(got, "Backups") || !strings.Contains(got, "PostgreSQL") {
		t.Error(got)
	}
}

func TestAMemoryLeadsBackToTheTurnItWasSaidIn(t *testing.T) {
	agent := claude()
	w := newWorld(t, agent)
	w.req.Agent, w.req.Session = "claude-code", "c1"
	w.ask(`{"mode": "add", "content": "The discount in tax_rate is 50%."}`)

	recalled := w.ask(`{"tool": "recall", "args": {"query": "discount tax_rate", "global": true}}`)
	if !strings.Contains(recalled, "## Memories\n- `mem_") || !strings.Contains(recalled, "session `c1`, turn `t2`") {
		t.Fatal(recalled)
	}
	_, rest, _ := strings.Cut(recalled, "- `")
	id, _, _ := strings.Cut(rest, "`")
	whole := w.ask(fmt.Sprintf(`{"tool": "expand", "args": {"id": %q}}`, id))
	const next = `memory({tool: "transcript", args: {session: "c1", turn: "t2"}})`
	if !strings.Contains(whole, "- Source: claude-code, session c1, turns t2, written by agent") || !strings.HasSuffix(whole, next) {
		t.Fatal(whole)
	}
	plain := w.ask(`{"tool": "transcript", "args": {"session": "c1", "turn": "t2", "context": 0}}`)
	if want := "# Move | to Postgres\nSession `c1` of claude-code in /src/app\n\n=== Turn 2 (t2) ===\n[User]: set discount to 50% in tax_rate\n\n[Assistant]: Done, 50% now."; plain != want {
		t.Error(cmp.Diff(want, plain))
	}
	tools := w.ask(`{"tool": "transcript", "args": {"session": "c1", "turn": "t2", "context": 0, "tools": true}}`)
	if !strings.Contains(tools, "[Tool]: `make lint` → exit 1: error: unused variable\n```\nfirst line\nerror: unused variable\n```") {
		t.Error(tools)
	}
	if around := w.ask(`{"tool": "transcript", "args": {"session": "c1", "turn": "t2", "tools": true}}`); !strings.Contains(around, "=== Turn 1 (t1) ===") || strings.Contains(around, "first line") {
		t.Error(around)
	}
}

// write adds an entry to the journal of the world's project.
func (w *world) write(e journal.Entry) {
	w.t.Helper()
	if _, _, err := journal.Open(w.store, time.UTC).Add(e); err != nil {
		w.t.Fatal(err)
	}
}

// Claude Code names sessions and turns by UUIDs, which could be ids of memories.
func TestExpandFindsTurnsAndSessionsWhoseIDsLookLikeThoseOfMemories(t *testing.T) {
	const session, said = "e49cab28-41eb-4031-ae88-702be1db60cc", "75316bce-4e11-418d-b003-d89f0fb88ff1"
	w := newWorld(t, (&records{name: "claude-code"}).with(
		codememory.AgentSession{ID: session, Title: "Move", Dir: "/src/app", CreatedAt: start, ActiveAt: start}, turn("t1", "which database?", "Postgres.", 0)))
	w.write(journal.Entry{Agent: "claude-code", Session: session, Turn: said, Hash: "h", At: start, Bullets: []string{"Chose Postgres"}})
	if got := w.ask(fmt.Sprintf(`{"tool": "expand", "args": {"id": %q}}`, said)); !strings.Contains(got, "- Chose Postgres") {
		t.Error(got)
	}
	if got := w.ask(fmt.Sprintf(`{"tool": "expand", "args": {"id": %q}}`, session)); !strings.Contains(got, "Session `"+session+"`") {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "expand", "args": {"id": "00000000-0000-0000-0000-000000000000"}}`); !strings.HasPrefix(got, "Error: no memory") {
		t.Error(got)
	}
}

func TestMemsearchToolsReachMemoriesJournalAndTurns(t *testing.T) {
	w := newWorld(t, claude())
	w.ask(`{"mode": "add", "content": "Row level security is why we chose Postgres."}`)
	w.write(journal.Entry{Agent: "claude-code", Session: "c1", Turn: "t1", Hash: "h", Title: "Postgres", At: start, Bullets: []string{"User asked about row level security", "Agent: it is the reason for Postgres"}})
	w.write(journal.Entry{Agent: "claude-code", Session: "c1", Turn: "t9", Hash: "h", At: start.Add(time.Hour), Bullets: []string{"Unrelated work on the parser"}})

	raw := w.call(tool.ToolSearch, `{"query": "row level security", "top_k": 5}`)
	var hits []json.RawMessage
	if err := json.Unmarshal([]byte(raw), &hits); err != nil || len(hits) != 2 {
		t.Fatalf("%v %s", err, raw)
	}
	for _, h := range hits {
		if got := keys(t, string(h)); !slices.Equal(got, []string{"content", "source", "heading", "chunk_hash", "heading_level", "start_line", "end_line", "score"}) {
			t.Errorf("%s", h)
		}
	}
	type chunk struct {
		Content, Source, Heading string
		Hash                     string  `json:"chunk_hash"`
		Level                    int     `json:"heading_level"`
		Start                    int     `json:"start_line"`
		Score                    float64 `json:"score"`
	}
	var memory, entry chunk
	for _, h := range hits {
		var c chunk
		if err := json.Unmarshal(h, &c); err != nil {
			t.Fatal(err)
		}
		if c.Level == 0 {
			memory = c
		} else {
			entry = c
		}
		if c.Score <= 0 || c.Score > 1 {
			t.Errorf("score %v", c.Score)
		}
	}
	if got := w.call(tool.ToolGet, fmt.Sprintf(`{"chunk_hash": %q}`, memory.Hash)); !strings.Contains(got, "Row level security is why we chose Postgres.") {
		t.Error(got)
	}
	if entry.Heading != "09:00" || entry.Level != 3 || !strings.HasSuffix(entry.Source, "2026-03-01.md") || entry.Start != 5 {
		t.Errorf("%+v", entry)
	}
	section := w.call(tool.ToolGet, fmt.Sprintf(`{"chunk_hash": %q}`, entry.Hash))
	if !strings.Contains(section, "- Agent: it is the reason for Postgres") || strings.Contains(section, "parser") || !strings.HasSuffix(section, `memory({tool: "transcript", args: {session: "c1", turn: "t1"}})`) {
		t.Error(section)
	}
	if got := w.call(tool.ToolTranscript, `{"session_id": "c1", "turn_id": "t1", "context": 0}`); !strings.HasPrefix(got, "=== Turn 1 (t1) ===\n[User]: why do we use postgres?") {
		t.Error(got)
	}
	if got := w.call(tool.ToolSearch, `{}`); !strings.HasPrefix(got, `{"success":false,"error":"query is required`) {
		t.Error(got)
	}
	if got := w.call(tool.ToolSearch, `{"query": "kubernetes ingress"}`); got != "[]" {
		t.Error(got)
	}
	if got := w.call(tool.ToolGet, `{"chunk_hash": "0123456789abcdef"}`); !strings.HasPrefix(got, "Error: no memory") {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "journal", "args": {"day": "2026-03-01"}}`); !strings.Contains(got, "Unrelated work") {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "journal"}`); !strings.Contains(got, "# Journal (1 days)\n\n- 2026-03-01") {
		t.Error(got)
	}
}

func TestRecallUnderstandsTimes(t *testing.T) {
	w := newWorld(t, claude(), (&records{name: "codex"}).with(codememory.AgentSession{ID: "young", ActiveAt: start.AddDate(0, 0, 8), CreatedAt: start.AddDate(0, 0, 8)}, turn("y", "postgres again", "fine", 8*24*time.Hour)))
	if got := w.ask(`{"tool": "recall", "query": "postgres before march 5", "global": true}`); !strings.Contains(got, "session `c1`") || strings.Contains(got, "young") {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "recall", "query": "postgres since march 5", "global": true}`); strings.Contains(got, "session `c1`") || !strings.Contains(got, "young") {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "recall", "query": "last week", "global": true}`); !strings.Contains(got, "## Sessions") {
		t.Error(got)
	}
}
