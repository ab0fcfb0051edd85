package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
	"codememory/internal/config"
	"codememory/internal/paths"
	"codememory/internal/render"
	"codememory/internal/service"
)

// live is a service that follows an OpenCode database.
func live(t *testing.T) (*service.Service, *opencodetest.DB) {
	t.Helper()
	data := t.TempDir()
	loaded, err := config.Load(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(data, "opencode.db")
	db := opencodetest.Create(t, path)
	db.Now = time.Now().Add(time.Minute) // after the installation
	svc, err := service.Open(t.Context(), service.Options{
		Layout: paths.Layout{Data: filepath.Join(data, "cm"), State: data, ConfigFile: filepath.Join(data, "config.toml")}, Config: loaded, Watch: true,
		Transcripts: []codememory.Transcripts{opencode.New(opencode.Options{Path: path, Strip: render.Strip})}, AgentData: data,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	return svc, db
}

func eventually(t *testing.T, what string, ok func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !ok() {
		if time.Since(began) > 15*time.Second {
			t.Fatalf("%s did not happen", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began)
}

func TestASessionIsRemembered(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	s := db.Session(dir, "Set up the queue")
	s.Turn("We decided to use NATS instead of Kafka because one broker is enough. I prefer table tests over suites.", "Noted, I set up NATS.")
	if err := svc.Poke(ctx, codememory.Poke{Agent: "opencode", Session: s.ID, Dir: dir, Event: "idle"}); err != nil {
		t.Fatal(err)
	}
	took := eventually(t, "capture", func() bool {
		page, err := svc.List(ctx, codememory.ListRequest{Project: dir})
		return err == nil && page.Total == 2
	})
	t.Logf("closed turn to memory: %v", took)
	page, err := svc.List(ctx, codememory.ListRequest{Project: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Memories {
		if m.Source.Session != s.ID || m.Source.Agent != "opencode" || len(m.Source.Turns) != 1 {
			t.Errorf("source %+v", m.Source)
		}
	}
	day, err := svc.Journal(ctx, dir, "")
	if err != nil || !strings.Contains(day.Text, "NATS instead of Kafka") {
		t.Errorf("%+v %v", day, err)
	}
	p, err := svc.Project(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(db.Path), "cm", "projects", p.ID, "sessions", "*_opencode_*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	record, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(record), "NATS instead of Kafka") || !strings.Contains(string(record), s.ID) {
		t.Errorf("the record of the session says\n%s %v", record, err)
	}
	ans, err := svc.Context(ctx, codememory.ContextRequest{Project: dir, Session: "ses_next", Goal: "publish an event to the queue broker"})
	if err != nil || !strings.Contains(ans.Stable, "NATS") {
		t.Errorf("the next session is not told:\n%s\n%s %v", ans.Stable, ans.HUD, err)
	}
	text, err := svc.Tool(ctx, codememory.ToolRequest{Tool: "memory", Args: map[string]any{"tool": "search", "args": map[string]any{"query": "Kafka broker"}}, Project: dir})
	if err != nil || !strings.Contains(text, s.ID) {
		t.Errorf("the history does not find it: %s %v", text, err)
	}
}

func TestANoteIsKeptWhenTheModelIgnoresIt(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	s := db.Session(dir, "Chat")
	u := s.User("jot down: the staging login is behind the VPN in Frankfurt")
	if err := svc.Note(ctx, codememory.Note{Project: dir, Agent: "opencode", Session: s.ID, Text: "jot down: the staging login is behind the VPN in Frankfurt"}); err != nil {
		t.Fatal(err)
	}
	comp, err := svc.Compaction(ctx, codememory.CompactionRequest{Project: dir, Agent: "opencode", Session: s.ID})
	if err != nil || !strings.Contains(comp.Context, "Frankfurt") || !strings.Contains(comp.Prompt, "## Accomplished") {
		t.Errorf("a compaction would lose it: %+v %v", comp, err)
	}
	a := s.Assistant(u)
	a.Text("OK.")
	a.Finish("stop")
	eventually(t, "keeping the note", func() bool {
		page, err := svc.List(ctx, codememory.ListRequest{Project: dir})
		return err == nil && page.Total == 1 && strings.Contains(page.Memories[0].Text, "Frankfurt")
	})
}

func TestACompactionSummaryIsKept(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	s := db.Session(dir, "Long work")
	s.Turn("start the migration", "started")
	s.Compact("auto", "## Objective\nMigrate billing to the new ledger. "+strings.Repeat("The ledger tables exist and the importer runs nightly. ", 3))
	eventually(t, "keeping the summary", func() bool {
		page, err := svc.List(ctx, codememory.ListRequest{Project: dir, Filter: codememory.Filter{Types: []codememory.Type{codememory.SessionSummary}}})
		return err == nil && page.Total == 1 && strings.Contains(page.Memories[0].Text, "new ledger")
	})
}

func TestOurOwnBlocksAreNotFedBack(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	if _, err := svc.Add(ctx, codememory.AddRequest{Project: dir, Text: "We never use floats for money because cents get lost", Type: codememory.Architecture}); err != nil {
		t.Fatal(err)
	}
	ans, err := svc.Context(ctx, codememory.ContextRequest{Project: dir, Goal: "compute money sums"})
	if err != nil || ans.HUD == "" {
		t.Fatalf("%+v %v", ans, err)
	}
	s := db.Session(dir, "Echo")
	for range 5 { // a model or a user that repeats what it was shown
		s.Turn(ans.HUD+"\n"+ans.Stable+"\nplease go on", ans.HUD)
	}
	eventually(t, "capture", func() bool {
		day, err := svc.Journal(ctx, dir, "")
		return err == nil && strings.Count(day.Text, "### ") == 5
	})
	page, err := svc.List(ctx, codememory.ListRequest{Project: dir, Filter: codememory.Filter{States: codememory.AnyState}})
	if err != nil || page.Total != 1 {
		t.Errorf("%d memories, want the one there was: %v", page.Total, err)
	}
}
