package render_test

import (
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/render"
)

func TestContradictionsInTheStableBlockAreDated(t *testing.T) {
	memory := func(id, text string, day int, links ...codememory.Link) codememory.Memory {
		at := time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC)
		return codememory.Memory{ID: id, Text: text, Type: codememory.ProjectConfig, Scope: codememory.ScopeProject, CreatedAt: at, UpdatedAt: at, Links: links}
	}
	old := memory("a1", "The API listens on port 8080.", 1)
	text, _ := render.Stable(render.StableInput{Memories: []codememory.Memory{
		old, memory("b2", "The API listens on port 9090.", 5, codememory.Link{To: old.ID, Type: codememory.Conflicts}), memory("c3", "The gateway is nginx.", 2),
	}})
	for _, want := range []string{
		"- (2026-03-05, conflicts with another entry) The API listens on port 9090.",
		"- (2026-03-01, conflicts with another entry) The API listens on port 8080.",
		"- The gateway is nginx.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
