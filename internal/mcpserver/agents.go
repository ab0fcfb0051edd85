package mcpserver

import "strings"

// agent is how one agent can be told from others and what it tells a server.
type agent struct {
	name    string
	client  string // begins the name by which it introduces itself
	session string // variable with the id of the conversation
	project string // variable with the folder of the project
}

// knownAgents are in the order in which their variables are believed: agents
// start each other, and the more common ones leave theirs to the others.
func knownAgents() []agent {
	return []agent{
		{name: "cursor", client: "cursor", project: "CURSOR_PROJECT_DIR"},
		{name: "copilot", client: "github-copilot", session: "COPILOT_AGENT_SESSION_ID", project: "COPILOT_PROJECT_DIR"},
		{name: "copilot", client: "copilot", session: "COPILOT_AGENT_SESSION_ID", project: "COPILOT_PROJECT_DIR"},
		{name: "gemini", client: "gemini", session: "GEMINI_SESSION_ID", project: "GEMINI_PROJECT_DIR"},
		{name: "codex", client: "codex"},
		{name: "opencode", client: "opencode"},
		{name: "claude-code", client: "claude-code", session: "CLAUDE_CODE_SESSION_ID", project: "CLAUDE_PROJECT_DIR"},
	}
}

// sharedProjectVars are set for servers of any agent: the first by the user,
// the last by four agents.
var sharedProjectVars = []string{"CODEMEMORY_PROJECT", "OCM_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}

// agentOf returns the agent behind a client, or one that only has the client's
// name. It is nil for a client without one.
func agentOf(client string) *agent {
	client = strings.ToLower(strings.TrimSpace(client))
	if client == "" {
		return nil
	}
	for _, a := range knownAgents() {
		if strings.HasPrefix(client, a.client) {
			return &a
		}
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, client)
	return &agent{name: name[:min(len(name), 40)]}
}
