package hook

import "strings"

// running finds out which agent runs. The configuration that called us does not
// tell: Cursor, Copilot and VS Code also run Claude Code's hooks, and Codex runs
// plugins made for it. The payload is the best witness. Variables may come from
// an agent further up, since agents start each other.
func running(via string, p payload, event, session string, env func(string) string) string {
	if agent := byPayload(p, event); agent != "" {
		return agent
	}
	if agent := bySession(session, env); agent != "" {
		return agent
	}
	if via != "" && via != ClaudeCode {
		return via
	}
	switch {
	case env("CURSOR_VERSION") != "":
		return Cursor
	case env("COPILOT_CLI") != "":
		return Copilot
	case env("GEMINI_SESSION_ID") != "":
		return Gemini
	}
	return ClaudeCode
}

func byPayload(p payload, event string) string {
	if p.has("cursor_version", "conversation_id") {
		return Cursor
	}
	if agent := byTranscript(p.text("transcript_path", "transcriptPath")); agent != "" {
		return agent
	}
	switch {
	case p.has("hookEventName"):
		return VSCode
	case p.has("sessionId", "tool_result", "initial_prompt"):
		return Copilot
	case p.has("turn_id", "thread-id"):
		return Codex
	case geminiOnly[fold(event)]:
		return Gemini
	}
	return ""
}

// byTranscript knows the agents by where they keep their records. The innermost
// of the folders counts.
func byTranscript(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	if strings.HasPrefix(path[strings.LastIndex(path, "/")+1:], "rollout-") {
		return Codex
	}
	agent, at := "", -1
	for folder, name := range map[string]string{
		"/.claude/": ClaudeCode, "/.codex/": Codex, "/.gemini/": Gemini, "/.copilot/": Copilot, "/.cursor/": Cursor, "/workspaceStorage/": VSCode,
	} {
		if i := strings.LastIndex(path, folder); i > at {
			agent, at = name, i
		}
	}
	return agent
}

// sessionVariables are set by an agent to the id of its own session.
var sessionVariables = []struct{ agent, name string }{
	{ClaudeCode, "CLAUDE_CODE_SESSION_ID"},
	{Gemini, "GEMINI_SESSION_ID"},
	{Copilot, "COPILOT_AGENT_SESSION_ID"},
}

func bySession(session string, env func(string) string) string {
	for _, v := range sessionVariables {
		if session != "" && env(v.name) == session {
			return v.agent
		}
	}
	return ""
}

// sessionOf is the session that the agent's own variable names.
func sessionOf(agent string, env func(string) string) string {
	for _, v := range sessionVariables {
		if v.agent == agent {
			return env(v.name)
		}
	}
	return ""
}

// folderVariable names the variable that holds the folder of an agent's session.
func folderVariable(agent string) string {
	switch agent {
	case ClaudeCode:
		return "CLAUDE_PROJECT_DIR"
	case Gemini:
		return "GEMINI_PROJECT_DIR"
	case Copilot:
		return "COPILOT_PROJECT_DIR"
	case Cursor:
		return "CURSOR_PROJECT_DIR"
	}
	return ""
}
