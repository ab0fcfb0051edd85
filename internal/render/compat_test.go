package render

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func TestCompatibleViewsEqualTheOriginals(t *testing.T) {
	raw, err := os.ReadFile("testdata/compat.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ HUD, Pinned, Memory string }
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	threads := codememory.Memory{
		ID: "a1b2c3d4", Category: codememory.RejectedAlternative,
		Text: "Prefers threading over asyncio for concurrent I/O <because> of \"pain\" & history one two three four five six seven eight nine ten",
	}
	actions := []codememory.Action{{Tool: "bash", Target: "pytest -q", Result: "3 passed"}, {Tool: "read", Target: "a.py"}}
	if diff := cmp.Diff(want.HUD, CodeMiraHUD(actions, []codememory.Memory{threads}, CodeMiraWords)); diff != "" {
		t.Errorf("CodeMira's HUD (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Pinned, CodeMiraPinned([]codememory.Memory{threads}, 5)); diff != "" {
		t.Errorf("CodeMira's pinned list (-want +got):\n%s", diff)
	}

	dated := func(day int) time.Time { return time.Date(2026, 2, day, 12, 0, 0, 0, time.UTC) }
	ms := []codememory.Memory{
		{ID: "1", Type: codememory.ProjectConfig, Text: "go test ./..."},
		{ID: "2", Type: codememory.ProjectBrief, Text: "Velodrome is a Go benchmark runner."},
		{ID: "3", Type: codememory.ArchitecturePattern, Text: "How to add X: 1. 2."},
		{ID: "4", Type: codememory.Architecture, Text: "CLI + runner"},
		{ID: "5", Type: codememory.TechContext, Text: "Go 1.24"},
		{ID: "6", Type: codememory.Progress, Text: "v0.1 shipped"},
		{ID: "7", Type: codememory.ActiveContext, Text: "Working on GC"},
		{ID: "8", Type: codememory.SessionSummary, Text: "S1", UpdatedAt: dated(1)},
		{ID: "9", Type: codememory.SessionSummary, Text: "S2", UpdatedAt: dated(2)},
		{ID: "a", Type: codememory.Preference, Scope: codememory.ScopeUser, Text: "Use bun not npm"},
		{ID: "b", Type: codememory.ErrorSolution, Importance: 1, Text: "that system has no pitfalls"},
	}
	relevant := []codememory.Hit{
		{Score: 0.72, Memory: codememory.Memory{ID: "c", Text: "prefers terse replies", CreatedAt: dated(21)}},
		{Score: 0.9, Memory: codememory.Memory{ID: "d", Text: "m", Source: codememory.Source{Excerpt: "[user] m"}}},
		{Score: 0.94, Memory: codememory.Memory{ID: "e", Text: "pool size is 20", UpdatedAt: dated(23), Source: codememory.Source{Excerpt: "pool_size = 20\nmax_overflow = 5"}}},
		{Score: 0.59, Memory: codememory.Memory{ID: "f", Text: "too far away"}},
	}
	if diff := cmp.Diff(want.Memory, MemoryBlock(ms, relevant)); diff != "" {
		t.Errorf("the [MEMORY] block (-want +got):\n%s", diff)
	}
}

func TestCompatibleViewsOfNothing(t *testing.T) {
	if got := CodeMiraHUD(nil, nil, CodeMiraWords) + MemoryBlock(nil, nil) + CodeMiraPinned(nil, CodeMiraWords); got != "None" {
		t.Errorf("got %q, want nothing but None", got)
	}
}
