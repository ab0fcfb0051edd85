package install

import "path/filepath"

// claudeCode has hooks and the permission for our tools in its settings, and
// MCP servers in a file that it rewrites all the time.
var claudeCode = Agent{
	Name: "claude-code", Label: "Claude Code", hooked: true, aliases: []string{"claude"}, programs: []string{"claude"},
	home: claudeHome,
	user: func(p places) []part {
		dir := claudeHome(p)
		state := p.folder("", ".claude.json")
		if p.Getenv("CLAUDE_CONFIG_DIR") != "" {
			state = filepath.Join(dir, ".claude.json")
		}
		return append([]part{
			{path: filepath.Join(dir, "settings.json"), why: "hooks, and leave to use the memory tools", reads: strictJSON, edit: claudeSettings(p)},
			{path: state, why: "the MCP server", mode: 0o600, edit: settings{servers: at(p.mcp("stdio"), "mcpServers", "codememory")}},
		}, skills(filepath.Join(dir, "skills"))...)
	},
	project: func(p places) []part {
		return append([]part{
			{path: p.in(".claude", "settings.json"), why: "hooks, and leave to use the memory tools", reads: strictJSON, edit: claudeSettings(p)},
			{path: p.in(".mcp.json"), why: "the MCP server", edit: settings{servers: at(p.mcp("stdio"), "mcpServers", "codememory")}},
		}, skills(p.in(".claude", "skills"))...)
	},
}

func claudeHome(p places) string { return p.folder("CLAUDE_CONFIG_DIR", ".claude") }

// claudeEvents are those at which a hook of ours has something to do. Reading
// and searching change nothing worth a process.
var claudeEvents = []event{
	{"SessionStart", ""},
	{"UserPromptSubmit", ""},
	{"PreToolUse", "Edit|MultiEdit|Write|NotebookEdit|Bash"},
	{"PostToolUse", "Edit|MultiEdit|Write|NotebookEdit|Bash"},
	{"PostToolUseFailure", "Edit|MultiEdit|Write|NotebookEdit|Bash"},
	{"SubagentStart", ""},
	{"SubagentStop", ""},
	{"PreCompact", ""},
	{"PostCompact", ""},
	{"Stop", ""},
	{"SessionEnd", ""},
}

func claudeSettings(p places) settings {
	return settings{
		hooks:   p.nestedHooks(nestedForm{agent: "claude-code"}, claudeEvents, "hooks"),
		strings: []element{{[]string{"permissions", "allow"}, "mcp__codememory"}},
	}
}
