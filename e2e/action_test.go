//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPointOfAction is the real Claude Code about to edit a file and to run a
// command that memories name: each is shown before, once a session. With the
// gate on, the third change without a checkpoint is refused.
func TestPointOfAction(t *testing.T) {
	w := newWorld(t)
	w.addClaude()
	w.install("claude")
	dir := w.project("ledger")
	w.remember(dir, "--type", "error-solution", "Edits of import.sql must keep the order of its columns, or the nightly load swaps debit and credit.")
	w.remember(dir, "--type", "error-solution", "`make migrate` hangs while the app container runs; stop it first.")
	// So that the session does not begin with what it shall be told later.
	for _, key := range []string{"context.stable_tokens", "context.hud_tokens"} {
		if out, err := w.codememory(dir, "config", "set", key, "1"); err != nil {
			t.Fatal(out, err)
		}
	}
	if out, err := w.codememory(dir, "stop"); err != nil {
		t.Fatal(out, err)
	}
	w.remember(dir, "the daemon runs with that")
	n := w.model.Count()
	write := func(i int) string { return claudeCode.write(dir, "import.sql", fmt.Sprintf("-- %d\n", i)) }
	edit := fmt.Sprintf(`@@tool Edit {"file_path":%q,"old_string":"-- 1","new_string":"-- 2"}`, filepath.Join(dir, "import.sql"))
	w.claude(dir, nil, "tidy up a bit", write(1), claudeCode.shell("make migrate || true"), edit, "@@text tidy")
	requests := w.model.Since(n)
	if len(requests) != 4 {
		t.Fatalf("%d requests", len(requests))
	}
	for i, want := range []struct{ columns, container int }{{0, 0}, {1, 0}, {1, 1}, {1, 1}} {
		text := requests[i].Text()
		if got := strings.Count(text, "order of its columns"); got != want.columns {
			t.Errorf("request %d: what is known of the file is there %d times", i+1, got)
		}
		if got := strings.Count(text, "app container runs"); got != want.container {
			t.Errorf("request %d: what is known of the command is there %d times", i+1, got)
		}
	}

	if out, err := w.codememory(dir, "config", "set", "hooks.checkpoint_gate", "deny"); err != nil {
		t.Fatal(out, err)
	}
	if out, err := w.codememory(dir, "config", "set", "hooks.checkpoint_after", "1"); err != nil {
		t.Fatal(out, err)
	}
	if out, err := w.codememory(dir, "stop"); err != nil {
		t.Fatal(out, err)
	}
	w.remember(dir, "the daemon runs again")
	n = w.model.Count()
	other := func(i int) string { return claudeCode.write(dir, fmt.Sprintf("note%d.txt", i), "x\n") }
	w.claude(dir, nil, "take notes", other(1), other(2), other(3), "@@text done")
	requests = w.model.Since(n)
	if last := requests[len(requests)-1].Text(); !strings.Contains(last, "Save one with memory_checkpoint") {
		t.Errorf("the gate does not say what is missing: %s", last)
	}
	for i, want := range []bool{true, true, false} {
		_, err := os.Stat(filepath.Join(dir, fmt.Sprintf("note%d.txt", i+1)))
		if (err == nil) != want {
			t.Errorf("note%d.txt: %v", i+1, err)
		}
	}
}
