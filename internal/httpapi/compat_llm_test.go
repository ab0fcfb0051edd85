package httpapi

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
	"codememory/internal/config"
	"codememory/internal/llm/llmtest"
	"codememory/internal/paths"
	"codememory/internal/service"
)

func TestOlderClientsWithoutALanguageModel(t *testing.T) {
	s := start(t, openService(t))
	session := object{"session_id": "ses_1", "project_root": t.TempDir()}
	if got := s.send(s.compat, "POST", "/extract", session); got.status != 202 || !strings.Contains(got.body, `"status":"extracting","llm":false,"reason":"no language model is configured`) {
		t.Errorf("extract: %d %s", got.status, got.body)
	}
	if got := s.send(s.compat, "POST", "/arc/generate", session); got.status != 503 || !strings.Contains(got.body, "no language model is configured") {
		t.Errorf("arc/generate: %d %s", got.status, got.body)
	}
	if got := s.send(s.compat, "GET", "/arc?session_id=ses_1&project_root=/tmp", nil); got.status != 200 || got.body != `{"arc":null,"session_id":"ses_1"}`+"\n" {
		t.Errorf("arc: %d %s", got.status, got.body)
	}
	for _, path := range []string{"/extract", "/arc/generate"} {
		if got := s.send(s.compat, "POST", path, object{"session_id": "x"}); got.status != 400 || !strings.Contains(got.body, "session_id and project_root required") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
		if got := s.send(s.compat, "POST", path, "{"); got.status != 400 || !strings.Contains(got.body, "invalid json") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestOlderClientsWithALanguageModel(t *testing.T) {
	model := llmtest.StartFunc(t, func(r llmtest.Request) llmtest.Reply {
		switch {
		case strings.Contains(r.System, "as a tree"):
			return llmtest.Text("└─ CURRENT the queue works")
		case strings.Contains(r.System, "running summary"):
			return llmtest.Text("The user set up the queue with NATS, and it works.")
		case strings.Contains(r.System, "pick out"):
			return llmtest.Reply{Text: `[{"memory":"The queue of the shop is NATS with file storage.","type":"tech-context"}]`, Input: 1000, Output: 100}
		}
		return llmtest.Text("[]")
	})
	dir, project := t.TempDir(), t.TempDir()
	loaded, err := config.Load(config.Sources{Flags: map[string]string{
		"embedding.provider": "none", "llm.provider": "anthropic", "llm.providers.anthropic.type": "anthropic", "llm.providers.anthropic.url": model.URL,
		"llm.providers.anthropic.model": "m", "llm.providers.anthropic.price_input": "3", "llm.providers.anthropic.price_output": "15",
	}})
	if err != nil {
		t.Fatal(err)
	}
	db := opencodetest.Create(t, filepath.Join(dir, "opencode.db"))
	session := db.Session(project, "Queue")
	session.Turn("The queue of the shop is NATS with file storage, please set it up.", "Done, NATS with file storage runs.")
	session.Turn("Does it work?", "Yes, all tests pass.")
	svc, err := service.Open(t.Context(), service.Options{
		Layout: paths.Layout{Data: filepath.Join(dir, "data"), State: dir, ConfigFile: filepath.Join(dir, "config.toml")}, Config: loaded, Watch: true,
		Transcripts: []codememory.Transcripts{opencode.New(opencode.Options{Path: db.Path})},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
		model.CloseClientConnections()
	})
	s := start(t, svc)
	request := object{"session_id": session.ID, "project_root": project}
	if got := s.send(s.compat, "POST", "/extract", request); got.status != 202 || got.body != `{"status":"extracting","llm":true}`+"\n" {
		t.Fatalf("extract: %d %s", got.status, got.body)
	}
	if got := s.send(s.compat, "POST", "/arc/generate", request); got.status != 202 || got.body != `{"status":"generating"}`+"\n" {
		t.Fatalf("arc/generate: %d %s", got.status, got.body)
	}
	var arc CompatArc
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		s.send(s.compat, "GET", "/arc?session_id="+session.ID+"&project_root="+project, nil).decode(t, &arc)
		st, err := svc.LLM(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if arc.Arc != nil && st.Queued == 0 {
			break
		}
		if time.Since(began) > 15*time.Second {
			t.Fatalf("nothing came of it: %+v", st)
		}
	}
	if *arc.Arc != "└─ CURRENT the queue works" || arc.SessionID != session.ID {
		t.Errorf("arc %q", *arc.Arc)
	}
	page, err := svc.List(t.Context(), codememory.ListRequest{Project: project, Filter: codememory.Filter{Types: []codememory.Type{codememory.TechContext}}})
	if err != nil || page.Total != 1 {
		t.Errorf("%+v, %v", page, err)
	}
	got := s.send(s.compat, "GET", "/costs", nil)
	if !strings.Contains(got.body, `"voyage":{"calls":0,"tokens":0,"cost_usd":0}`) || !strings.Contains(got.body, `"xai":{"calls":0,`) {
		t.Errorf("costs %s", got.body)
	}
	var activity CompatActivity
	s.send(s.compat, "GET", "/activity?limit=500", nil).decode(t, &activity)
	var cost float64
	for _, e := range activity.Entries {
		if e.Operation == "extract" {
			cost = e.CostUSD
			if e.API != "anthropic" || e.Model != "m" || e.Tokens != 1100 || e.At == "" {
				t.Errorf("entry %+v", e)
			}
		}
	}
	if want := (1000*3 + 100*15) / 1e6; cost != want {
		t.Errorf("cost %v, want %v", cost, want)
	}
	if got := s.send(s.compat, "POST", "/costs/reset", nil); got.status != 200 || !strings.Contains(got.body, `"total_cost_usd":0`) {
		t.Errorf("reset: %d %s", got.status, got.body)
	}
}
