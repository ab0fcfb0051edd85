package wire

import "codememory"

// Empty is the answer of a route that has nothing to tell.
type Empty struct{}

// AgentsAnswer lists the agents.
type AgentsAnswer struct {
	Agents []codememory.AgentStatus `json:"agents"`
}

// ToolAnswer is what a model gets to read.
type ToolAnswer struct {
	Text string `json:"text"`
}

// JournalQuery asks for a day of a journal.
type JournalQuery struct {
	Project string `query:"project" doc:"folder, id, name or tag of the project"`
	Day     string `query:"day" doc:"such as 2026-03-01; default the newest"`
}

// SessionsAnswer lists records of sessions.
type SessionsAnswer struct {
	Sessions []codememory.SessionEntry `json:"sessions"`
}
