package install

import "path/filepath"

// copilot reads every file of its hooks folders, so ours is one of its own.
var copilot = Agent{
	Name: "copilot", Label: "GitHub Copilot CLI", hooked: true, aliases: []string{"copilot-cli"}, programs: []string{"copilot"},
	home:            copilotHome,
	runsClaudeHooks: true,
	user: func(p places) []part {
		dir := copilotHome(p)
		s := p.mcp("local")
		s.Tools = []string{"*"}
		return []part{
			{path: filepath.Join(dir, "hooks", "codememory.json"), why: "hooks", edit: copilotHooks(p)},
			{path: filepath.Join(dir, "mcp-config.json"), why: "the MCP server", edit: settings{servers: at(s, "mcpServers", "codememory")}},
		}
	},
	project: func(p places) []part {
		return []part{
			{path: p.in(".github", "hooks", "codememory.json"), why: "hooks", edit: copilotHooks(p)},
			{path: p.in(".mcp.json"), why: "the MCP server", edit: settings{servers: at(p.mcp("stdio"), "mcpServers", "codememory")}},
		}
	},
}

func copilotHome(p places) string { return p.folder("COPILOT_HOME", ".copilot") }

var copilotEvents = []string{"sessionStart", "userPromptSubmitted", "postToolUse", "agentStop", "sessionEnd"}

func copilotHooks(p places) settings {
	s := settings{scaffold: at(1, "version")}
	for _, name := range copilotEvents {
		s.hooks = append(s.hooks, value{[]string{"hooks", name}, shells{
			Type: "command", Bash: p.program.hook("copilot", name), PowerShell: p.program.powershell("hook", "copilot", name), TimeoutSec: patience,
		}})
	}
	return s
}
