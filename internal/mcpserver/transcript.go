package mcpserver

import _ "embed"

//go:embed transcript.md
var transcriptDescription string

func (s *server) transcriptTool() tool {
	return tool{
		name: "memory_transcript", title: "Read a past session", description: transcriptDescription, reads: true, idempotent: true, answer: s.forward("memory_transcript"),
		schema: s.object([]string{"session_id"},
			property{"session_id", text("the session, as a memory names it")},
			property{"turn_id", text("show the turns around this one")},
			property{"context", integer("turns before and after turn_id (default 3)")},
			property{"limit", integer("most turns without turn_id (default 20)")},
		),
	}
}
