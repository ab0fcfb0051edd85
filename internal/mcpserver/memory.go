package mcpserver

import (
	_ "embed"

	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed memory.md
var memoryDescription string

// memoryTool is the router to all operations: one tool, because every tool
// costs the model tokens in each request.
func (s *server) memoryTool() tool {
	return tool{
		name: "memory", title: "Memory", description: memoryDescription, key: true, answer: s.forward("memory"),
		schema: s.object(nil,
			property{"mode", text("operation on memories", "add", "search", "list", "profile", "forget", "get", "history", "undo", "link", "supersede", "help")},
			property{"tool", text("operation on past sessions, instead of mode",
				"recall", "expand", "transcript", "journal", "search", "sessions", "children", "messages", "message", "compactions", "summary", "context", "plans", "help")},
			property{"content", text("add: one self-contained fact, 1-3 sentences")},
			property{"query", text("search, recall: plain words; dates such as \"last week\" work")},
			property{"type", text("add, list: architecture, tech-context, project-config, error-solution, learned-pattern, preference, progress …")},
			property{"scope", text("user: holds in every project", "project", "user")},
			property{"memoryId", text("forget, get, history, undo: mem_…")},
			property{"limit", integer("most results")},
			property{"args", &jsonschema.Schema{Type: "object", Description: "more arguments: supersedes, to, reason, id, session, turn, sessionId, messageId, day, role, showTools, maxLength, read"}},
		),
	}
}
