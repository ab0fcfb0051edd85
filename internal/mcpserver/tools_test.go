package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"codememory"
	"codememory/internal/mcpserver"
)

func TestTheToolsThatAreListed(t *testing.T) {
	for name, tt := range map[string]struct {
		opts mcpserver.Options
		want string
	}{
		"by default":                {mcpserver.Options{Dir: "/p"}, "memory memory_checkpoint memory_get memory_search memory_sessions memory_transcript"},
		"all with those of another": {mcpserver.Options{Dir: "/p", Tools: mcpserver.AllTools}, "memory memory_checkpoint memory_get memory_search memory_sessions memory_transcript ocm__checkpoint ocm__get_session_files ocm__list_sessions ocm__search_sessions"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := client(t, tt.opts, nil, nil).ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range res.Tools {
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// schemaBudget is what the default tools may cost in each request of a model.
const schemaBudget = 6 << 10

func TestTheListIsSmallAndStaysAsItIs(t *testing.T) {
	res, err := client(t, mcpserver.Options{}, nil, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := json.Marshal(res.Tools)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(compact))
	if len(compact) > schemaBudget {
		t.Errorf("the default tools take %d bytes, more than %d", len(compact), schemaBudget)
	}
	shown, err := json.MarshalIndent(res.Tools, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "tools.json", string(shown)+"\n")
	for _, tool := range res.Tools {
		key := tool.Name == "memory" || tool.Name == "memory_search" || tool.Name == "memory_checkpoint"
		if tool.Meta["anthropic/alwaysLoad"] == true != key {
			t.Errorf("%s: _meta %v", tool.Name, tool.Meta)
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s has an output schema: clients would hide the text", tool.Name)
		}
	}
}

func TestAMemoryIsSavedFoundAndRead(t *testing.T) {
	w := newWorld(t)
	cs := client(t, w.options(), nil, nil)
	if got := ask(t, cs, "memory_search", map[string]any{"query": "broker"}); got.wrong || got.text != `Nothing is remembered about "broker".` {
		t.Errorf("empty: %+v", got)
	}
	var added struct {
		Success bool
		ID      string
	}
	const fact = "We chose NATS over Kafka because one broker is enough."
	got := ask(t, cs, "memory", map[string]any{"mode": "add", "content": fact, "type": "architecture"})
	if err := json.Unmarshal([]byte(got.text), &added); err != nil || !added.Success || got.wrong {
		t.Fatalf("%+v %v", got, err)
	}
	m, err := w.Get(t.Context(), codememory.Ref{ID: added.ID})
	if err != nil || m.Text != fact || m.Source.Agent != "tester" {
		t.Errorf("%+v %v", m, err)
	}
	if p, err := w.Project(t.Context(), w.dir); err != nil || m.Project != p.ID {
		t.Errorf("in project %s, want %s: %v", m.Project, p.ID, err)
	}
	var hits []struct {
		Content   string
		ChunkHash string `json:"chunk_hash"`
	}
	got = ask(t, cs, "memory_search", map[string]any{"query": "which broker did we choose", "topK": "3"})
	if err := json.Unmarshal([]byte(got.text), &hits); err != nil || len(hits) != 1 || hits[0].Content != fact {
		t.Fatalf("%+v %v", got, err)
	}
	got = ask(t, cs, "memory_get", map[string]any{"chunk_hash": hits[0].ChunkHash})
	if got.wrong || !strings.Contains(got.text, fact) || !strings.Contains(got.text, "architecture") {
		t.Errorf("%+v", got)
	}
	got = ask(t, cs, "memory", map[string]any{"tool": "recall", "args": map[string]any{"query": "NATS"}})
	if got.wrong || !strings.Contains(got.text, "# Recall") || !strings.Contains(got.text, fact) {
		t.Errorf("%+v", got)
	}
	got = ask(t, cs, "memory", map[string]any{"mode": "forget", "memoryId": added.ID})
	if got.wrong || !strings.Contains(got.text, "undo brings it back") {
		t.Errorf("%+v", got)
	}
}

func TestAPastSessionIsRead(t *testing.T) {
	w := newWorld(t)
	id := w.session("Why does the queue need a second worker?", "Because retries block the first one.")
	cs := client(t, w.options(), nil, nil)
	got := ask(t, cs, "memory_transcript", map[string]any{"session_id": id})
	if got.wrong || !strings.Contains(got.text, "[User]: Why does the queue need a second worker?") || !strings.Contains(got.text, "[Assistant]: Because retries block") {
		t.Errorf("%+v", got)
	}
	got = ask(t, cs, "memory", map[string]any{"tool": "journal"})
	if got.wrong || !strings.Contains(got.text, "# Journal (1 days)") {
		t.Errorf("%+v", got)
	}
}

func TestMistakesOfAModelAreToldInText(t *testing.T) {
	w := newWorld(t)
	cs := client(t, w.options(), nil, nil)
	for name, tt := range map[string]struct {
		tool string
		args any
		want string
	}{
		"a search for nothing":       {"memory_search", map[string]any{}, "query is required"},
		"an unknown memory":          {"memory_get", map[string]any{"chunk_hash": "mem_ffffffff"}, "mem_ffffffff"},
		"an unknown session":         {"memory_transcript", map[string]any{"session_id": "ses_none"}, "no agent has a session ses_none"},
		"an unknown operation":       {"memory", map[string]any{"tool": "reca"}, "Unknown tool: reca"},
		"an unknown mode":            {"memory", map[string]any{"mode": "save"}, "Unknown mode: save"},
		"a memory without text":      {"memory", map[string]any{"mode": "add"}, "content is required"},
		"arguments that are a list":  {"memory_search", []string{"nats"}, "must be an object"},
		"arguments that are a text":  {"memory", "help", "must be an object"},
		"a wrong type of everything": {"memory_search", map[string]any{"query": map[string]any{"a": 1}, "top_k": []int{1}}, "query is required"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, cs, tt.tool, tt.args)
			if !got.wrong || !strings.Contains(got.text, tt.want) {
				t.Errorf("got %+v, want an error with %q", got, tt.want)
			}
		})
	}
	t.Run("no arguments at all are a request for help", func(t *testing.T) {
		if got := ask(t, cs, "memory", nil); got.wrong || !strings.Contains(got.text, "# Memory Tools") {
			t.Errorf("%+v", got)
		}
	})
}

func TestWithoutAProjectAnEmptySearchSaysWhatWasSearched(t *testing.T) {
	w := newWorld(t)
	w.add(w.dir, "Deploys happen on Tuesdays only.")
	o := w.options()
	o.Dir = ""
	cs := client(t, o, nil, nil)
	if got := ask(t, cs, "memory_search", map[string]any{"query": "deploys"}); got.wrong || !strings.Contains(got.text, "argument project") {
		t.Errorf("%+v", got)
	}
	if got := ask(t, cs, "memory_search", map[string]any{"query": "deploys", "project": w.dir}); !strings.Contains(got.text, "Tuesdays") {
		t.Errorf("%+v", got)
	}
	if got := ask(t, cs, "memory_search", map[string]any{"query": "deploys", "project": "no such project"}); !got.wrong {
		t.Errorf("%+v", got)
	}
}
