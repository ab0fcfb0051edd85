package mcpserver

import (
	"context"
	_ "embed"
	"fmt"

	"codememory/internal/render"
)

//go:embed search.md
var searchDescription string

func (s *server) searchTool() tool {
	return tool{
		name: "memory_search", title: "Search memory", description: searchDescription, key: true, reads: true, idempotent: true, answer: s.search,
		schema: s.object([]string{"query"},
			property{"query", text("what to look for, in plain words")},
			property{"top_k", integer("most results (default 5)")},
		),
	}
}

func (s *server) search(ctx context.Context, c call) (string, error) {
	answer, err := s.forward("memory_search")(ctx, c)
	if err != nil || answer != "[]" {
		return answer, err
	}
	answer = fmt.Sprintf("Nothing is remembered about %q.", render.Line(c.args.text("query", "q"), 200))
	if c.project == "" {
		answer += " Only what holds in all projects was searched: name the project's folder with the argument project to search there."
	}
	return answer, nil
}
