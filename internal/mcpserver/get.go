package mcpserver

import _ "embed"

//go:embed get.md
var getDescription string

func (s *server) getTool() tool {
	return tool{
		name: "memory_get", title: "Read a memory", description: getDescription, reads: true, idempotent: true, answer: s.forward("memory_get"),
		schema: s.object([]string{"chunk_hash"}, property{"chunk_hash", text("chunk_hash of a search result, or mem_…")}),
	}
}
