package service_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/paths"
	"codememory/internal/service"
)

// Cursor has no records that can be read; what its hooks tell becomes turns.
func TestASessionKnownOnlyFromHooksHasItsRecord(t *testing.T) {
	svc, _ := live(t)
	ctx, dir := t.Context(), t.TempDir()
	poke := func(event string, said codememory.TurnEvent) {
		t.Helper()
		said.Turn = "g1"
		if err := svc.Poke(ctx, codememory.Poke{Agent: "cursor", Session: "c1", Dir: dir, Event: event, Said: &said}); err != nil {
			t.Fatal(err)
		}
	}
	three := 3
	poke("prompt", codememory.TurnEvent{Prompt: "We decided to use PostgreSQL 17 for the ledger because SQLite locks up during the nightly import."})
	poke("tool", codememory.TurnEvent{Tool: &codememory.ToolCall{Name: "edit", Target: filepath.Join(dir, "a.go"), Changed: []codememory.FileChange{{Path: filepath.Join(dir, "a.go"), Change: codememory.FileModified}}}})
	poke("tool", codememory.TurnEvent{Tool: &codememory.ToolCall{Name: "shell", Target: "make it", Exit: &three, Error: "exit code 3"}})
	poke("said", codememory.TurnEvent{Text: "Switched the ledger."})
	poke("idle", codememory.TurnEvent{Ended: "completed"})
	record := func() string {
		text, err := svc.SessionText(ctx, codememory.SessionTextRequest{Project: dir, Session: "c1"})
		if err != nil && codememory.CodeOf(err) != codememory.NotFound {
			t.Fatal(err)
		}
		return text
	}
	eventually(t, "a record of the session", func() bool { return record() != "" })
	for _, want := range []string{"tool: cursor", "PostgreSQL 17", "- `a.go`", "Done: Switched the ledger.", "Failed: `make it` (exit code 3)", "trigger: auto"} {
		if !strings.Contains(record(), want) {
			t.Errorf("the record lacks %q:\n%s", want, record())
		}
	}
	poke("ended", codememory.TurnEvent{})
	eventually(t, "the record is closed", func() bool { return strings.Contains(record(), "ended_at: ") })
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // records have whole seconds
	said := codememory.TurnEvent{Prompt: "and the tests?", Turn: "g2"}
	if err := svc.Poke(ctx, codememory.Poke{Agent: "cursor", Session: "c1", Dir: dir, Event: "prompt", Said: &said}); err != nil {
		t.Fatal(err)
	}
	if err := svc.Poke(ctx, codememory.Poke{Agent: "cursor", Session: "c1", Dir: dir, Event: "idle", Said: &codememory.TurnEvent{Turn: "g2", Ended: "completed"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the record goes on", func() bool { return strings.Contains(record(), "and the tests?") })
	if strings.Contains(record(), "ended_at: 2") || strings.Contains(record(), "trigger: end") {
		t.Errorf("a session that goes on is still closed:\n%s", record())
	}
	found, err := svc.Search(ctx, codememory.SearchRequest{Project: dir, Text: "which database does the ledger use"})
	if err != nil || len(found.Hits) == 0 || !strings.Contains(found.Hits[0].Memory.Text, "PostgreSQL 17") {
		t.Errorf("%+v, %v", found.Hits, err)
	}
}

func TestNothingIsKeptOfWhatHooksTellWhereCaptureIsOff(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	loaded, err := config.Load(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	loaded.Config.Projects.Ignore = []string{dir}
	svc, err := service.Open(t.Context(), service.Options{Layout: paths.Layout{Data: data, State: data, ConfigFile: filepath.Join(data, "config.toml")}, Config: loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	for _, where := range []string{dir, t.TempDir()} {
		if err := svc.Poke(t.Context(), codememory.Poke{Agent: "cursor", Session: filepath.Base(where), Dir: where, Event: "prompt", Said: &codememory.TurnEvent{Prompt: "go"}}); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(data, "told", "cursor", "*.jsonl"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %q, %v; want those of the other folder only", kept, err)
	}
}
