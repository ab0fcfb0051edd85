//go:build e2e

package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"codememory/e2e/scriptedllm"
)

// TestRun is `opencode run`, whose process ends right after the turn: memory is
// there from a cold start, the end of the turn still reaches the daemon, and a
// compaction that could not finish is not begun.
func TestRun(t *testing.T) {
	w := openCodeWorld(t, openCodeVersions[0])
	w.install("opencode")
	dir := w.project("velodrome")
	w.remember(dir, poolFact)
	if _, err := w.codememory(dir, "stop"); err != nil {
		t.Fatal(err)
	}
	run := func(lines ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), w.opencode, "run", "--title", "run")
		cmd.Dir, cmd.Env = dir, append(w.environ(), "PWD="+dir)
		cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(strings.ToLower(string(out)), "codememory") {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run(poolPrompt, "@@tool memory_compact {}", "@@text fine")
	requests := w.model.Since(0, scriptedllm.Chat)
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	for i, r := range requests {
		if !hasHUD(r) {
			t.Errorf("request %d ends with %q", i+1, r.Last().Text)
		}
	}
	if body := string(requests[1].Body); !strings.Contains(body, "this is a single run") {
		t.Errorf("memory_compact in a single run: %s", body)
	}
	run("We decided to use PostgreSQL 17 for the ledger because SQLite locks up during the nightly import.", "@@text understood")
	w.known(dir, "which database does the ledger use", "PostgreSQL 17")

	if _, err := w.codememory(dir, "uninstall", "opencode"); err != nil {
		t.Fatal(err)
	}
	n := w.model.Count()
	run(poolPrompt, "@@text fine")
	for _, r := range w.model.Since(n) {
		if strings.Contains(string(r.Body), "codememory kind=") || slices.ContainsFunc(r.Tools, func(t scriptedllm.Tool) bool { return t.Name == "memory" }) {
			t.Errorf("after uninstalling it is still there: %s", r.Body)
		}
	}
}
