package service_test

import (
	"strings"
	"testing"

	"codememory"
)

// TestRecentSessionsRepeatNothing: what was decided in the last session is a
// memory of its own, and need not be told again with the session.
func TestRecentSessionsRepeatNothing(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	const decision = "We decided to use PostgreSQL 17 for the ledger because SQLite locks up during the nightly import."
	db.Session(dir, "Decide").Turn(decision, "Understood.")
	var stable string
	eventually(t, "the decision is in the stable block", func() bool {
		ans, err := svc.Context(ctx, codememory.ContextRequest{Project: dir, Session: "another", Parts: []codememory.Part{codememory.StablePart}})
		stable = ans.Stable
		return err == nil && strings.Contains(stable, decision) && strings.Contains(stable, "Understood.")
	})
	if strings.Count(stable, "PostgreSQL 17") != 1 {
		t.Errorf("said twice:\n%s", stable)
	}
}

// TestASessionIsNotToldItsOwnSummary, which its conversation begins with.
func TestASessionIsNotToldItsOwnSummary(t *testing.T) {
	svc, _ := live(t)
	ctx, dir := t.Context(), t.TempDir()
	if _, err := svc.Add(ctx, codememory.AddRequest{
		Project: dir, Type: codememory.SessionSummary, Text: "The ledger is being migrated.", Source: codememory.Source{Agent: "codex", Session: "s1", Author: codememory.AuthorAgent},
	}); err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string]bool{"s1": false, "s2": true, "": true} {
		ans, err := svc.Context(ctx, codememory.ContextRequest{Project: dir, Session: session, Parts: []codememory.Part{codememory.StablePart}})
		if err != nil || strings.Contains(ans.Stable, "being migrated") != want {
			t.Errorf("session %q is told %q, %v", session, ans.Stable, err)
		}
	}
}
