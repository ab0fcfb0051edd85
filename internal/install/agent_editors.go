package install

import "path/filepath"

// vscode reads Copilot's hooks in a project, and Claude Code's at home.
var vscode = Agent{
	Name: "vscode", Label: "VS Code", aliases: []string{"code"}, programs: []string{"code"},
	runsClaudeHooks: true,
	home:            vscodeHome,
	user: func(p places) []part {
		return []part{vscodeServer(p, filepath.Join(vscodeHome(p), "mcp.json"))}
	},
	project: func(p places) []part {
		return []part{
			vscodeServer(p, p.in(".vscode", "mcp.json")),
			{path: p.in(".github", "hooks", "codememory.json"), why: "hooks", edit: copilotHooks(p)},
		}
	},
}

func vscodeHome(p places) string { return filepath.Join(p.applications(), "Code", "User") }

func vscodeServer(p places, file string) part {
	return part{path: file, why: "the MCP server", edit: settings{servers: at(p.mcp("stdio"), "servers", "codememory")}}
}

// antigravity has hooks, but none that puts text before its model.
var antigravity = Agent{
	Name: "antigravity", Label: "Antigravity", aliases: []string{"agy"}, programs: []string{"agy", "antigravity"},
	home: antigravityHome,
	user: func(p places) []part {
		return append([]part{
			{path: filepath.Join(antigravityHome(p), "mcp_config.json"), why: "the MCP server", edit: settings{servers: at(p.mcp(""), "mcpServers", "codememory")}},
			rules(p.folder("", ".gemini", "GEMINI.md")),
		}, skills(p.folder("", ".gemini", "skills"))...)
	},
	project: func(p places) []part {
		return append([]part{
			{path: p.in(".agents", "mcp_config.json"), why: "the MCP server", edit: settings{servers: at(p.mcp(""), "mcpServers", "codememory")}},
			rules(p.in("AGENTS.md")),
		}, skills(p.in(".agents", "skills"))...)
	},
}

// antigravityHome is the folder of newer versions unless only that of older
// ones is there.
func antigravityHome(p places) string {
	dir, older := p.folder("", ".gemini", "config"), p.folder("", ".gemini", "antigravity")
	if !exists(dir) && exists(older) {
		return older
	}
	return dir
}

// windsurf has hooks that may only watch.
var windsurf = Agent{
	Name: "windsurf", Label: "Windsurf", programs: []string{"windsurf"},
	home: windsurfHome,
	user: func(p places) []part {
		return []part{
			{path: filepath.Join(windsurfHome(p), "mcp_config.json"), why: "the MCP server", edit: settings{servers: at(p.mcp(""), "mcpServers", "codememory")}},
			rules(filepath.Join(windsurfHome(p), "memories", "global_rules.md")),
		}
	},
	project: func(p places) []part { return []part{rules(p.in("AGENTS.md"))} },
}

func windsurfHome(p places) string { return p.folder("", ".codeium", "windsurf") }

// zed has no hooks, and no file of rules outside of projects.
var zed = Agent{
	Name: "zed", Label: "Zed", programs: []string{"zed", "zeditor"},
	home: zedHome,
	user: func(p places) []part { return []part{zedServer(p, filepath.Join(zedHome(p), "settings.json"))} },
	project: func(p places) []part {
		return []part{zedServer(p, p.in(".zed", "settings.json")), rules(p.in("AGENTS.md"))}
	},
}

func zedHome(p places) string {
	if p.GOOS == "windows" {
		return filepath.Join(p.applications(), "Zed")
	}
	return filepath.Join(p.folder("XDG_CONFIG_HOME", ".config"), "zed")
}

func zedServer(p places, file string) part {
	return part{path: file, why: "the MCP server", edit: settings{servers: at(p.mcp(""), "context_servers", "codememory")}}
}

// applications is where programs with windows keep their settings.
func (p places) applications() string {
	switch p.GOOS {
	case "windows":
		return p.folder("APPDATA", "AppData", "Roaming")
	case "darwin":
		return p.folder("", "Library", "Application Support")
	default:
		return p.folder("XDG_CONFIG_HOME", ".config")
	}
}
