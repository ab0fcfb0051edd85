package tool

import (
	"context"
	"fmt"
	"strings"
)

// op is an operation of the router tool with a text for an answer.
type op struct {
	name    string
	summary string // in the table
	keys    string // the arguments, in the table
	detail  string // what help says more
	run     func(r *Router, ctx context.Context, c call) (string, error)
}

// none stands in the table for an operation without arguments.
const none = "—"

// historyOps browse the agents' own records. Their names, arguments and texts
// are those of the plugin open-memory.
func historyOps() []op {
	return []op{
		{"summary", "Count of projects, sessions, messages, todos", none, "Counts of what the agents' records hold.\nArgs: none.", (*Router).summary},
		{
			"sessions", "List recent sessions, optionally filtered by project", "limit, projectPath",
			"Recent main sessions of all agents, last active first.\nArgs: limit (number, default 10), projectPath (string, a folder; sessions in it or below).", (*Router).recentSessions,
		},
		{"children", "List sub-agent (child) sessions of a parent session", "sessionId", "Sub-agent sessions that a session started.\nArgs: sessionId (string, default the current session).", (*Router).children},
		{
			"messages", "Read messages from a session as formatted conversation", "sessionId, limit, role, showTools, maxLength",
			"The last messages of a session, oldest first.\nArgs: sessionId (string, default the current session), limit (number, default 50), role (user or assistant), showTools (boolean, default false), maxLength (number of characters per message, default 2000), before (message id: only what is older).", (*Router).conversation,
		},
		{
			"message", "Read a single message by ID (cleaner output, no tool-call noise)", "messageId, maxLength",
			"One message.\nArgs: messageId (string, required), showTools (boolean: tool calls with their output), maxLength (number, default 8000), sessionId (string, helps to find old messages).", (*Router).oneMessage,
		},
		{
			"search", "Text search across all conversations", "query, limit",
			"Text search across all conversations. Returns matching snippets with session references.\nArgs: query (string, required), limit (number, default 10).\nAlso: projectPath (string), agent (string), scope (\"memories\" searches those instead). Sub-agent sessions are included; every character is taken literally.", (*Router).historySearch,
		},
		{
			"compactions", "List/read compaction checkpoints for a session", "sessionId, read (1-based index)",
			"Compactions of a session, or the summary of one.\nArgs: sessionId (string, default the current session), read (number, from 1).", (*Router).compactions,
		},
		{"context", "Current context window usage (% , tokens, status)", none, "How full the context window is, against what is usable before the agent compacts.\nArgs: sessionId (string, default the current session).", (*Router).contextUse},
		{"plans", "List or read saved plan files", "read (filename)", "Saved plan files, newest first, or one of them.\nArgs: read (string, a file name from the list).", (*Router).plans},
		{"help", "Show this reference, or details for a specific tool", "tool", "This reference.\nArgs: tool (string, the name of an operation).", (*Router).help},
	}
}

// ownOps search memories and history together and lead from one to the other.
func ownOps() []op {
	return []op{
		{
			"recall", "Search memories, history and journal together", "query, limit, global",
			"The best first question. Understands times such as \"last week\".\nArgs: query (string, required), limit (number, default 8), global (boolean: all projects).", (*Router).recall,
		},
		{"expand", "Show a whole memory or journal entry, with its source", "id", "The second level: all of what a hit named.\nArgs: id (string, required: mem_…, a journal entry or a session).", (*Router).expand},
		{
			"transcript", "Show the turns of a session around one", "session, turn, context, tools",
			"The third level: what was said and done.\nArgs: session (string, default the current one), turn (string, default the last turns), context (number of turns before and after, default 3), limit (number of turns without one, default 20), tools (true: one line each, \"output\": with what they returned), maxLength (number, default 3000).", (*Router).transcript,
		},
		{"journal", "List the days of this project's journal, or read one", "day", "What was done, by day.\nArgs: day (string, 2026-03-01).", (*Router).journalDay},
		{"add", "Store a memory, in the words given", "content, type, scope", "Stores a fact, decision, preference or fix for later sessions.\nArgs: content (string, required), type (string), scope (project or user, default project), supersedes (id of a memory that is no longer true).", textOf((*Router).add)},
		{"get", "Show a memory with source and links", "memoryId", "Args: memoryId (string, required; any unique part of the id).", textOf((*Router).get)},
		{"list", "List recent memories", "scope, type, limit", "Args: scope (project or user, default project), type (string), limit (number, default 20).", textOf((*Router).list)},
		{"profile", "What is known of the user", none, "Args: limit (number, default 20).", textOf((*Router).profile)},
		{"history", "What a memory said before, and what replaced it", "memoryId", "Args: memoryId (string, required).", textOf((*Router).history)},
		{"forget", "Remove a memory; undo brings it back", "memoryId, reason", "Args: memoryId (string, required), reason (string).", textOf((*Router).forget)},
		{"undo", "Take back the last change of a memory", "memoryId", "Args: memoryId (string, required).", textOf((*Router).undo)},
		{"link", "State how a memory relates to another", "memoryId, to, type", "Args: memoryId, to (strings, required), type (corroborates, conflicts, supersedes, refines or contextualizes), reason (string).", textOf((*Router).link)},
		{"supersede", "Say that a memory makes another obsolete", "memoryId, supersedes", "Args: memoryId (the newer), supersedes (the older), reason (string).", textOf((*Router).supersede)},
	}
}

func findOp(name string) *op {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, o := range append(historyOps(), ownOps()...) {
		if o.name == name {
			return &o
		}
	}
	return nil
}

// help lists the operations, or explains one.
func (r *Router) help(_ context.Context, c call) (string, error) {
	if topic := c.args.word("tool", "topic", "name"); topic != "" {
		o := findOp(topic)
		if o == nil {
			return fmt.Sprintf("Unknown tool: %s. Call memory({tool: \"help\"}) for available operations.", inline(topic, 60)), nil
		}
		return fmt.Sprintf("**%s** — %s", o.name, o.detail), nil
	}
	var b strings.Builder
	b.WriteString("# Memory Tools\n\nCall `memory({tool: \"<name>\", args: {...}})` to use one.\n\n| Tool | Description | Key args |\n|------|-------------|----------|\n")
	for _, o := range append(historyOps(), ownOps()...) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", o.name, o.summary, o.keys)
	}
	b.WriteString("\nExamples:\n")
	for _, example := range []string{
		`{tool: "search", args: {query: "safetensors"}}`,
		`{tool: "compactions", args: {sessionId: "ses_abc", read: 1}}`,
		`{tool: "messages", args: {sessionId: "ses_abc", role: "assistant"}}`,
		`{tool: "message", args: {messageId: "msg_abc"}}`,
		`{tool: "children", args: {sessionId: "ses_abc"}}`,
		`{tool: "help", args: {tool: "search"}}`,
		`{tool: "recall", args: {query: "why did we drop redis last month"}}`,
		`{tool: "add", args: {content: "Integration tests need Docker running.", type: "project-config"}}`,
	} {
		b.WriteString("- `memory(" + example + ")`\n")
	}
	b.WriteString("\nWith mode instead of tool, memories are answered as JSON: `memory({mode: \"help\"})`.")
	return b.String(), nil
}
