package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
)

func open(t testing.TB) *DB {
	t.Helper()
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func turn(session, id, prompt, answer string, at time.Time) codememory.Turn {
	return codememory.Turn{
		Agent: "opencode", Session: session, ID: id, Kind: codememory.PromptTurn, State: codememory.TurnDone, StartedAt: at, Prompt: prompt,
		Steps: []codememory.Step{{Tool: &codememory.ToolCall{Name: "bash", Target: "make lint"}}, {Text: answer}},
	}
}

func TestTurnsAreFoundAndForgotten(t *testing.T) {
	d, ctx := open(t), t.Context()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 50 {
		if err := d.Put(ctx, "p1", turn("s1", fmt.Sprint("t", i), fmt.Sprintf("please look at ticket number %d", i), "done with the ticket", at), ""); err != nil {
			t.Fatal(err)
		}
	}
	special := turn("s2", "x", "rotate the refresh tokens?", "The gateway caches 100% of them_all", at.Add(time.Hour))
	if err := d.Put(ctx, "p2", special, "journal/2026-03-01.md"); err != nil {
		t.Fatal(err)
	}
	hits, err := d.Search(ctx, Query{Text: "why did we rotate refresh tokens, what's cached?"})
	if err != nil || len(hits) == 0 || hits[0].Turn != "x" || hits[0].Project != "p2" {
		t.Fatalf("%+v %v", hits, err)
	}
	for _, q := range []string{"100%", "them_all", "make lint", `"quoted" AND (`, "ticket"} {
		if hits, err := d.Search(ctx, Query{Text: q}); err != nil || len(hits) == 0 && !strings.Contains(q, "quoted") {
			t.Errorf("%q: %v %v", q, hits, err)
		}
	}
	if hits, err := d.Search(ctx, Query{Text: "refresh tokens", Project: "p1"}); err != nil || len(hits) != 0 {
		t.Errorf("another project's turn is found: %v %v", hits, err)
	}
	if p, err := d.ProjectOf(ctx, []string{"none", special.Agent}, special.Session); err != nil || p == "" {
		t.Errorf("project %q %v", p, err)
	}
	if p, err := d.ProjectOf(ctx, []string{special.Agent}, "ses_none"); err != nil || p != "" {
		t.Errorf("project %q %v", p, err)
	}
	if j, found, err := d.Twin(ctx, "p2", turn("fork", "y", special.Prompt, special.Answer(), special.StartedAt)); err != nil || !found || j == "" {
		t.Errorf("the fork is not recognised: %q %v %v", j, found, err)
	}
	if err := d.Remove(ctx, "opencode", "s2", nil); err != nil {
		t.Fatal(err)
	}
	if hits, err := d.Search(ctx, Query{Text: "refresh"}); err != nil || len(hits) != 0 {
		t.Errorf("%v %v", hits, err)
	}
	if known, err := d.Known(ctx, "opencode", "s1"); err != nil || len(known) != 50 {
		t.Errorf("%d %v", len(known), err)
	}
}

func TestFullTextIsTheOuterLoop(t *testing.T) {
	d := open(t)
	rows, err := d.h.Read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+fmt.Sprintf(searchSQL, "t.project = ?"), `"x"`, "p", 5)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var a, b, c int
		var detail string
		if err := rows.Scan(&a, &b, &c, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if err := rows.Err(); err != nil || len(plan) == 0 || !strings.Contains(plan[0], "turns_fts VIRTUAL TABLE") {
		t.Errorf("%q %v", plan, err)
	}
}

func TestSinceIsTheFirstTime(t *testing.T) {
	d := open(t)
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 3 {
		if got, err := d.Since(t.Context(), first.Add(time.Duration(i)*time.Hour)); err != nil || !got.Equal(first) {
			t.Errorf("%v %v", got, err)
		}
	}
}

func TestTurnsOfADayAreCountedByAgent(t *testing.T) {
	d, ctx := open(t), t.Context()
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for id, at := range map[string]time.Time{"yesterday": midnight.Add(-time.Second), "first": midnight, "later": midnight.Add(time.Hour)} {
		if err := d.Put(ctx, "p1", turn("s1", id, "do "+id, "done", at), "journal/2026-03-02.md"); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Put(ctx, "p1", turn("sub", "x", "only indexed", "done", midnight), ""); err != nil {
		t.Fatal(err)
	}
	if got, err := d.TurnsSince(ctx, midnight); err != nil || len(got) != 1 || got["opencode"] != 2 {
		t.Errorf("%v %v, want 2 of opencode", got, err)
	}
}
