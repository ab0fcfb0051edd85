package httpapi

import (
	"net/http"
	"reflect"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// routes is every route there is.
func routes() []route {
	var all []route
	for _, part := range [][]route{compatRoutes(), memoryRoutes(), searchRoutes(), projectRoutes(), lifecycleRoutes(), agentRoutes(), llmRoutes(), viewRoutes(), maintenanceRoutes(), ownRoutes()} {
		all = append(all, part...)
	}
	return all
}

// compatRoutes are those of older systems; a second listener offers only them.
func compatRoutes() []route {
	return []route{
		livez,
		on("GET", "/health", "Whether the daemon can do its work", compatHealth).asCompat(),
		on("POST", "/retrieve", "The memories for one call of a model", compatRetrieve).asCompat(),
		on("POST", "/memories", "Store a message, or what a conversation asks to remember", compatAdd).asCompat(),
		on("GET", "/memories", "The memories of a container tag, last updated first", compatList).asCompat(),
		on("POST", "/memories/search", "Find memories of a container tag", compatSearch).asCompat(),
		on("GET", "/memories/{id}", "One memory", compatGet).asCompat(),
		on("PATCH", "/memories/{id}", "Change a memory", compatPatch).asCompat(),
		on("DELETE", "/memories/{id}", "Forget a memory; it can be brought back", compatDelete).asCompat(),
		on("GET", "/projects", "What each container tag holds", compatProjects).asCompat(),
		on("GET", "/names", "The names of container tags", compatNames).asCompat(),
		on("POST", "/names", "Name a container tag", compatSetName).asCompat(),
		on("GET", "/stats", "Counts of everything", compatStats).asCompat(),
		answering(http.StatusAccepted, "POST", "/extract", "Have what is new in a session read", compatExtract).asCompat(),
		answering(http.StatusAccepted, "POST", "/arc/generate", "Have the course of a session drawn", compatGenerateArc).asCompat(),
		on("GET", "/arc", "The course of a session as it was last drawn", compatArc).asCompat(),
		on("GET", "/costs", "What language models cost, by provider", compatCosts).asCompat(),
		on("POST", "/costs/reset", "Begin the count of costs anew", compatResetCosts).asCompat(),
		on("GET", "/activity", "The last calls of language models, newest first", compatActivity).asCompat(),
	}
}

func memoryRoutes() []route {
	return []route{
		on("POST", "/v1/memories", "Store one memory", addMemory),
		on("POST", "/v1/memories/batch", "Store many memories, or none if one is invalid", addMemories).asLong(),
		on("GET", "/v1/memories", "List memories, last updated first", listMemories),
		on("GET", "/v1/memories/{id}", "One memory with its links in both directions", getMemory),
		on("PATCH", "/v1/memories/{id}", "Change a memory", editMemory),
		on("POST", "/v1/memories/{id}/forget", "Hide a memory; its text is kept", forgetMemory),
		on("POST", "/v1/memories/{id}/undo", "Take back the last change of a memory", undoMemory),
		on("POST", "/v1/memories/{id}/purge", "Remove every trace of a memory", purgeMemory),
		on("GET", "/v1/memories/{id}/history", "All wordings in the chain of a memory", memoryHistory),
		{
			method: "POST", path: "/v1/import", summary: "Store whole records, one JSON object a line, ids and times included",
			long: true, status: http.StatusOK, query: typeOf[wire.MemoryQuery](),
			body: typeOf[codememory.Memory](), bodyType: wire.JSONLines, answer: typeOf[wire.ImportAnswer](),
			serve: (*Server).serveImport,
		},
	}
}

func searchRoutes() []route {
	return []route{
		on("POST", "/v1/search", "Find memories by a question in plain words", search),
		on("POST", "/v1/retrieve", "The memories for one call of a model, with scores and reasons", retrieve),
		on("POST", "/v1/context", "The text to put before a model", contextText),
	}
}

func projectRoutes() []route {
	return []route{
		on("GET", "/v1/projects", "Every project of this machine", listProjects),
		on("GET", "/v1/projects/resolve", "The project that a reference means", resolveProject),
		on("POST", "/v1/projects/rename", "Give a project another name", renameProject),
		on("POST", "/v1/projects/merge", "Move all of one project into another", mergeProjects).asLong(),
		on("POST", "/v1/projects/forget", "Remove a project from the registry", forgetProject).asLong(),
		on("POST", "/v1/projects/init", "Give a folder its own store", initProject).asLong(),
		on("GET", "/v1/names", "The names of container tags", listNames),
		on("POST", "/v1/names", "Name a container tag", setName),
	}
}

func agentRoutes() []route {
	return []route{
		on("GET", "/v1/agents", "How capture of each agent stands", listAgents),
		on("POST", "/v1/agents/{id}/poke", "Something happened in a session of this agent", poke),
		on("POST", "/v1/notes", "Keep what the user asked to remember", addNote),
		on("POST", "/v1/action", "What is known about something that an agent is about to do", beforeTool),
		on("POST", "/v1/compaction", "What a compacted conversation must not lose", compaction),
		on("POST", "/v1/tool", "Answer a model's call of one of our tools", callTool),
		on("POST", "/v1/backfill", "Import sessions older than the installation", backfill).asLong(),
		on("POST", "/v1/sessions", "Records of sessions, newest first, or those that answer a question", listSessions),
		on("POST", "/v1/sessions/text", "The record of a session, or what another agent needs to go on with it", sessionText),
		on("POST", "/v1/checkpoint", "Add to the record of a session", checkpoint),
		on("GET", "/v1/journal", "One day of a project's journal", readJournal),
	}
}

func llmRoutes() []route {
	return []route{
		on("GET", "/v1/llm", "Which language models are asked for what", llmStatus),
		on("POST", "/v1/extract", "Have captured turns read by a model", extractSessions).asLong(),
		on("POST", "/v1/arc", "The course of a session as it was last drawn", readArc),
		on("POST", "/v1/arc/generate", "Have the course of a session drawn", generateArc),
		on("GET", "/v1/costs", "What language models cost", costs),
		on("POST", "/v1/costs/reset", "Begin the count of costs anew", resetCosts),
		on("GET", "/v1/activity", "The last calls of language models, newest first", llmActivity),
	}
}

func maintenanceRoutes() []route {
	return []route{
		on("GET", "/v1/health", "Whether the daemon can do its work", health),
		on("GET", "/v1/stats", "Counts of everything", stats),
		on("POST", "/v1/rebuild", "Recreate databases from text", rebuild).asLong(),
		on("POST", "/v1/verify", "Check text against database", verify).asLong(),
		on("POST", "/v1/backup", "Write a store into a file", backup).asLong(),
		on("POST", "/v1/restore", "Read a store back from a file", restore).asLong(),
	}
}

// ownRoutes are about the daemon itself.
func ownRoutes() []route {
	return []route{
		mcpRoute("POST"), mcpRoute("GET"), mcpRoute("DELETE"),
		on("POST", "/v1/shutdown", "End the daemon after the requests in progress", shutdown),
		{
			method: "GET", path: "/v1/events", summary: "What happens from now on, as server-sent events",
			stream: true, status: http.StatusOK, answer: typeOf[codememory.Event](), answerType: wire.EventStream,
			serve: (*Server).serveEvents,
		},
		{
			method: "GET", path: "/metrics", summary: "Counters in Prometheus' text format", door: native, quiet: true,
			status: http.StatusOK, answer: reflect.TypeFor[string](), answerType: metricsType,
			serve: (*Server).serveMetrics,
		},
		{
			method: "GET", path: "/openapi.json", summary: "This description",
			status: http.StatusOK, answer: reflect.TypeFor[map[string]any](),
			serve: (*Server).serveOpenAPI,
		},
	}
}
