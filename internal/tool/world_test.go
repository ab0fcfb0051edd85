package tool_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/config"
	"codememory/internal/history"
	"codememory/internal/paths"
	"codememory/internal/service"
	"codememory/internal/tool"
)

// world is a machine with memories, one project, and agents with a history.
type world struct {
	*tool.Router
	t       *testing.T
	service *service.Service
	history *history.DB
	data    string // of the agents
	project string
	store   string // of the project
	now     time.Time
	req     tool.Request // what every call carries
}

// newWorld makes a machine. Memories are found by words only, which is quick.
func newWorld(t *testing.T, agents ...codememory.Transcripts) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, data: filepath.Join(dir, "share"), project: filepath.Join(dir, "app"), store: filepath.Join(dir, "store"), now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}
	for _, d := range []string{w.data, w.project, w.store} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := config.Load(config.Sources{Flags: map[string]string{"embedding.provider": "none"}})
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "codememory")
	w.service, err = service.Open(t.Context(), service.Options{
		Layout: paths.Layout{Data: own, State: filepath.Join(own, "state"), ConfigFile: filepath.Join(own, "config.toml")},
		Config: loaded, Version: "test", Now: func() time.Time { return w.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.history, err = history.Open(t.Context(), filepath.Join(dir, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range []io.Closer{w.service, w.history} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	w.Router = tool.New(w.options(agents))
	w.req = tool.Request{Tool: tool.ToolMemory, Project: w.project, Agent: "opencode"}
	for _, a := range agents {
		w.index(a)
	}
	return w
}

func (w *world) options(agents []codememory.Transcripts) tool.Options {
	return tool.Options{
		Memories: w.service, Agents: agents, History: w.history, Data: w.data, Now: func() time.Time { return w.now }, Location: time.UTC,
		Store: func(context.Context, string) (string, error) { return w.store, nil },
	}
}

// index makes the turns of an agent findable, as capture does.
func (w *world) index(a codememory.Transcripts) {
	w.t.Helper()
	ctx := w.t.Context()
	sessions, err := a.Sessions(ctx, codememory.SessionQuery{Children: true})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range sessions {
		turns, err := a.Turns(ctx, s.ID, 0)
		if err == nil {
			err = w.history.PutAll(ctx, "p1", turns)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// ask calls the tool memory with arguments in JSON.
func (w *world) ask(arguments string) string {
	w.t.Helper()
	return w.call(tool.ToolMemory, arguments)
}

func (w *world) call(name, arguments string) string {
	w.t.Helper()
	req := w.req
	req.Tool = name
	if err := json.Unmarshal([]byte(arguments), &req.Args); err != nil {
		w.t.Fatalf("%s: %v", arguments, err)
	}
	text, err := w.Call(w.t.Context(), req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return text
}

// askJSON is ask for answers in JSON.
func (w *world) askJSON(arguments string) map[string]any {
	w.t.Helper()
	var out map[string]any
	if text := w.ask(arguments); json.Unmarshal([]byte(text), &out) != nil {
		w.t.Fatalf("%s: not JSON: %s", arguments, text)
	}
	return out
}

// openCode reads a database of testdata, with what its reader knows besides turns.
type openCode struct{ *opencode.Reader }

func (o openCode) Counts(ctx context.Context) (projects, messages, todos int, err error) {
	s, err := o.Summary(ctx)
	return s.Projects, s.Messages, s.Todos, err
}

func (o openCode) SessionOf(ctx context.Context, message string) (string, error) {
	m, err := o.Message(ctx, message)
	return m.Session, err
}

func sample(t *testing.T) codememory.Transcripts {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "opencode_sample.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	r := opencode.New(opencode.Options{Path: path})
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return openCode{r}
}

// records are an agent's records held in memory: only what every agent offers.
type records struct {
	codememory.Transcripts
	name     string
	sessions []codememory.AgentSession
	turns    map[string][]codememory.Turn
	broken   error
}

func (r *records) Agent() string { return r.name }

func (r *records) Sessions(_ context.Context, q codememory.SessionQuery) ([]codememory.AgentSession, error) {
	var out []codememory.AgentSession
	for _, s := range r.sessions {
		if q.Parent == s.Parent || q.Children {
			out = append(out, s)
		}
	}
	if q.Limit > 0 && len(out) > q.Limit {
		out = out[:q.Limit]
	}
	return out, r.broken
}

func (r *records) Session(_ context.Context, id string) (codememory.AgentSession, error) {
	for _, s := range r.sessions {
		if s.ID == id {
			return s, nil
		}
	}
	return codememory.AgentSession{}, codememory.Errorf(codememory.NotFound, "no session %s", id)
}

func (r *records) Turns(_ context.Context, session string, _ int) ([]codememory.Turn, error) {
	return r.turns[session], nil
}

// with adds a session of turns.
func (r *records) with(s codememory.AgentSession, turns ...codememory.Turn) *records {
	s.Agent, s.Messages = r.name, 2*len(turns)
	for i := range turns {
		turns[i].Agent, turns[i].Session, turns[i].Index = r.name, s.ID, i+1
		if turns[i].Kind == "" {
			turns[i].Kind = codememory.PromptTurn
		}
	}
	r.sessions = append(r.sessions, s)
	if r.turns == nil {
		r.turns = map[string][]codememory.Turn{}
	}
	r.turns[s.ID] = turns
	return r
}
