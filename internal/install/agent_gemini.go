package install

import "path/filepath"

// gemini has hooks, in milliseconds, and servers in one file.
var gemini = Agent{
	Name: "gemini", Label: "Gemini CLI", programs: []string{"gemini"},
	home: geminiHome,
	user: func(p places) []part {
		return []part{{path: filepath.Join(geminiHome(p), "settings.json"), why: "hooks and the MCP server", edit: geminiSettings(p)}}
	},
	project: func(p places) []part {
		return []part{{path: p.in(".gemini", "settings.json"), why: "hooks and the MCP server", edit: geminiSettings(p)}}
	},
}

func geminiHome(p places) string { return p.folder("", ".gemini") }

// geminiEvents lack PreCompress, which precedes every call of the model.
var geminiEvents = []event{
	{"SessionStart", ""}, {"BeforeAgent", ""}, {"AfterTool", "write_file|replace|run_shell_command"}, {"AfterAgent", ""}, {"SessionEnd", ""},
}

func geminiSettings(p places) settings {
	return settings{
		hooks:   p.nestedHooks("gemini", 1000, geminiEvents, "hooks"),
		servers: at(p.mcp(""), "mcpServers", "codememory"),
	}
}
