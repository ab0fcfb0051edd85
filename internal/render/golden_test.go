package render

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file that people review.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("%s differs, refresh it with -update if that is right (-want +got):\n%s", path, diff)
	}
}

// memory makes an active memory of the project that was written on a day of October 2026.
func memory(id string, typ codememory.Type, day int, text string) codememory.Memory {
	at := time.Date(2026, 10, day, 9, 30, 0, 0, time.UTC)
	return codememory.Memory{
		ID: "0192f0000000700080000000" + id, Text: text, Type: typ, Scope: codememory.ScopeProject,
		Importance: codememory.DefaultImportance(typ, ""), CreatedAt: at, UpdatedAt: at,
	}
}

// sample is a small project as it may look after some weeks.
func sample() []codememory.Memory {
	hidden := memory("0000000c", codememory.LearnedPattern, 4, "The staging database drops idle connections after 60 s; the pool must ping every 30 s.")
	hidden.Category, hidden.Importance = codememory.HiddenConstraint, 0.7
	habit := memory("0000000d", codememory.LearnedPattern, 3, "Commits are small and their subjects imperative.")
	habit.Scope = codememory.ScopeUser
	forgotten := memory("0000000e", codememory.Architecture, 9, "This was forgotten and must not be shown.")
	gone := forgotten.UpdatedAt
	forgotten.Forgotten = &gone
	return []codememory.Memory{
		memory("00000001", codememory.ProjectConfig, 2, "Tests: `go test ./...`; lint: `make lint`."),
		memory("00000002", codememory.ProjectBrief, 1, "Velodrome is a Go benchmark runner\nfor `func(b *testing.B)` with a web report."),
		memory("00000003", codememory.Architecture, 5, "CLI and runner are separate processes that talk over a pipe."),
		memory("00000004", codememory.ArchitecturePattern, 5, "How to add a reporter: 1. implement Reporter<T> 2. register it in report.go."),
		memory("00000005", codememory.TechContext, 6, "Go 1.26, SQLite through modernc; a < b comparisons use benchstat."),
		memory("00000006", codememory.Progress, 8, "v0.1 is shipped; v0.2 needs the HTML report."),
		memory("00000007", codememory.ActiveContext, 9, "Working on GC pauses in the runner."),
		memory("00000008", codememory.SessionSummary, 7, "Moved the pool to its own package."),
		memory("00000009", codememory.SessionSummary, 8, "Released v0.1 after fixing the flaky pipe test."),
		memory("0000000a", codememory.Preference, 3, "Use bun, not npm."),
		memory("0000000b", codememory.Conversation, 9, "Small talk is not for every session."),
		hidden, habit, forgotten,
	}
}
