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

// TestAConversationIsToldOnce is about agents that keep what they are given in
// the conversation: the same memory must not come with every prompt.
func TestAConversationIsToldOnce(t *testing.T) {
	svc, _ := live(t)
	ctx, dir := t.Context(), t.TempDir()
	add := func(text string, kind codememory.Type) {
		t.Helper()
		if _, err := svc.Add(ctx, codememory.AddRequest{Project: dir, Text: text, Type: kind}); err != nil {
			t.Fatal(err)
		}
	}
	add("The ledger uses PostgreSQL 17 because SQLite locks up during the nightly import.", codememory.Architecture)
	add("The pool of the ledger database must ping every 30 s.", codememory.LearnedPattern)
	ask := func(r codememory.ContextRequest) codememory.ContextAnswer {
		t.Helper()
		r.Project, r.Agent = dir, "claude-code"
		ans, err := svc.Context(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	start := func(session string, anew bool) string {
		t.Helper()
		return ask(codememory.ContextRequest{Session: session, Parts: []codememory.Part{codememory.StablePart}, Kept: true, Anew: anew}).Stable
	}
	prompt := func(session string) string {
		t.Helper()
		return ask(codememory.ContextRequest{Session: session, Parts: []codememory.Part{codememory.HUDPart}, Goal: "why does the pool of the ledger database lose connections to PostgreSQL?", Kept: true}).HUD
	}

	if got := start("one", true); !strings.Contains(got, "PostgreSQL 17") {
		t.Fatalf("the session starts with %q", got)
	}
	if got := prompt("one"); !strings.Contains(got, "ping every 30 s") || strings.Contains(got, "PostgreSQL 17") {
		t.Errorf("the first prompt gets %q, which must not repeat the stable block", got)
	}
	if got := prompt("one"); got != "" {
		t.Errorf("the second prompt gets again %q", got)
	}
	if got := prompt("two"); !strings.Contains(got, "ping every 30 s") || !strings.Contains(got, "PostgreSQL 17") {
		t.Errorf("another session gets %q", got)
	}
	if got := start("one", false); got != "" {
		t.Errorf("resumed, it is given again %q", got)
	}
	add("In another session the import was repaired.", codememory.SessionSummary)
	if got := start("one", false); got != "" {
		t.Errorf("resumed after another session, it is given again %q", got)
	}
	add("All amounts are integers in the smallest unit.", codememory.Architecture)
	if got := start("one", false); !strings.Contains(got, "smallest unit") {
		t.Errorf("resumed after a change, it is given %q", got)
	}
	if got := start("one", true); !strings.Contains(got, "PostgreSQL 17") {
		t.Errorf("after a compaction it is given %q", got)
	}
	if got := prompt("one"); !strings.Contains(got, "ping every 30 s") {
		t.Errorf("the first prompt after a compaction gets %q", got)
	}
	once := codememory.ContextRequest{Session: "three", Goal: "why does the pool of the ledger database lose connections?"}
	if first, second := ask(once), ask(once); first.HUD == "" || first.HUD != second.HUD || first.Stable != second.Stable {
		t.Errorf("an agent that does not keep it gets %q, then %q", first.HUD, second.HUD)
	}
}

// TestASessionThatMissedItsStartIsToldWithThePrompt is about a daemon that was
// not running when the session began.
func TestASessionThatMissedItsStartIsToldWithThePrompt(t *testing.T) {
	svc, _ := live(t)
	ctx, dir := t.Context(), t.TempDir()
	add := func(r codememory.AddRequest) {
		t.Helper()
		r.Project, r.Type = dir, codememory.Architecture
		if _, err := svc.Add(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(session string, anew bool, parts ...codememory.Part) codememory.ContextAnswer {
		t.Helper()
		ans, err := svc.Context(ctx, codememory.ContextRequest{Project: dir, Session: session, Agent: "codex", Goal: "which database does the ledger use?", Parts: parts, Kept: true, Anew: anew})
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	prompt := []codememory.Part{codememory.StablePart, codememory.HUDPart}
	if got := ask("empty", true, codememory.StablePart); got.Stable != "" {
		t.Fatalf("there is nothing to tell, but %q", got.Stable)
	}
	add(codememory.AddRequest{Text: "The ledger uses PostgreSQL 17 as its database.", Source: codememory.Source{Agent: "codex", Session: "empty"}})
	if got := ask("empty", false, prompt...); got.Stable != "" || got.HUD != "" {
		t.Errorf("what was said in the session comes back: %q %q", got.Stable, got.HUD)
	}
	if got := ask("empty", false, codememory.StablePart); got.Stable != "" {
		t.Errorf("resumed, the session is told its own words: %q", got.Stable)
	}
	if got := ask("missed", false, prompt...); !strings.Contains(got.Stable, "PostgreSQL 17") {
		t.Errorf("the first prompt brings %q", got.Stable)
	}
	if got := ask("missed", false, prompt...); got.Stable != "" || got.HUD != "" {
		t.Errorf("the second prompt brings %q %q", got.Stable, got.HUD)
	}
	if got := ask("empty", true, prompt...); !strings.Contains(got.Stable, "PostgreSQL 17") {
		t.Errorf("after a compaction the session is told %q", got.Stable)
	}
}

// TestWhatWasToldOutlivesTheDaemon, which ends when nobody asks for a while.
func TestWhatWasToldOutlivesTheDaemon(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	open := func() *service.Service {
		t.Helper()
		loaded, err := config.Load(config.Sources{Flags: map[string]string{"embedding.provider": "none"}})
		if err != nil {
			t.Fatal(err)
		}
		svc, err := service.Open(t.Context(), service.Options{
			Layout: paths.Layout{Data: filepath.Join(data, "cm"), State: filepath.Join(data, "state"), ConfigFile: filepath.Join(data, "config.toml")}, Config: loaded, Watch: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return svc
	}
	start := func(svc *service.Service) string {
		t.Helper()
		ans, err := svc.Context(t.Context(), codememory.ContextRequest{Project: dir, Session: "s1", Agent: "codex", Parts: []codememory.Part{codememory.StablePart}, Kept: true})
		if err != nil {
			t.Fatal(err)
		}
		return ans.Stable
	}
	svc := open()
	if _, err := svc.Add(t.Context(), codememory.AddRequest{Project: dir, Text: "The ledger uses PostgreSQL 17.", Type: codememory.Architecture}); err != nil {
		t.Fatal(err)
	}
	if start(svc) == "" {
		t.Fatal("nothing was told")
	}
	if err := svc.Close(); err != nil {
		t.Fatal(err)
	}
	svc = open()
	defer svc.Close()
	if got := start(svc); got != "" {
		t.Errorf("told again after a restart: %q", got)
	}
}

// TestACompactedConversationIsToldAgain is about agents that note a compaction
// in their records and nowhere else.
func TestACompactedConversationIsToldAgain(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	if _, err := svc.Add(ctx, codememory.AddRequest{Project: dir, Text: "The ledger uses PostgreSQL 17 as its database.", Type: codememory.Architecture}); err != nil {
		t.Fatal(err)
	}
	s := db.Session(dir, "Migration")
	s.Turn("start the migration", "started")
	prompt := func() string {
		t.Helper()
		ans, err := svc.Context(ctx, codememory.ContextRequest{Project: dir, Session: s.ID, Agent: "opencode", Goal: "which database does the ledger use?", Kept: true})
		if err != nil {
			t.Fatal(err)
		}
		return ans.Stable + ans.HUD
	}
	if prompt() == "" || prompt() != "" {
		t.Fatal("the conversation is not told once")
	}
	s.Compact("auto", "## Objective\nMigrate billing to the new ledger. "+strings.Repeat("The ledger tables exist and the importer runs nightly. ", 3))
	eventually(t, "the conversation is told again", func() bool { return strings.Contains(prompt(), "PostgreSQL 17") })
}

// TestACompactionThatAHookToldIsNotToldTwice is about agents that begin the
// session again after a compaction, a moment before their records tell of it.
func TestACompactionThatAHookToldIsNotToldTwice(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	if _, err := svc.Add(ctx, codememory.AddRequest{Project: dir, Text: "The ledger uses PostgreSQL 17 as its database.", Type: codememory.Architecture}); err != nil {
		t.Fatal(err)
	}
	s := db.Session(dir, "Migration")
	s.Turn("start the migration", "started")
	ask := func(compacted bool) string {
		t.Helper()
		r := codememory.ContextRequest{Project: dir, Session: s.ID, Agent: "opencode", Goal: "which database does the ledger use?", Kept: true}
		if compacted {
			r.Goal, r.Parts, r.Anew, r.Compacted = "", []codememory.Part{codememory.StablePart}, true, true
		}
		ans, err := svc.Context(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return ans.Stable + ans.HUD
	}
	if ask(true) == "" {
		t.Fatal("after the compaction nothing is told")
	}
	db.Now = time.Now().Add(2 * time.Second)
	s.Compact("auto", "## Objective\nMigrate billing to the new ledger. "+strings.Repeat("The ledger tables exist and the importer runs nightly. ", 3))
	eventually(t, "the summary is kept", func() bool {
		page, err := svc.List(ctx, codememory.ListRequest{Project: dir, Filter: codememory.Filter{Types: []codememory.Type{codememory.SessionSummary}}})
		return err == nil && page.Total == 1
	})
	if got := ask(false); got != "" {
		t.Errorf("told again: %q", got)
	}
}
