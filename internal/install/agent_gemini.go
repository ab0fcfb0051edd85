package install

import "path/filepath"

// gemini has hooks, in milliseconds, and servers in one file.
var gemini = Agent{
	Name: "gemini", Label: "Gemini CLI", hooked: true, programs: []string{"gemini"},
	home: geminiHome,
	user: func(p places) []part {
		return geminiParts(p, filepath.Join(geminiHome(p), "settings.json"))
	},
	project: func(p places) []part {
		return geminiParts(p, p.in(".gemini", "settings.json"))
	},
}

func geminiHome(p places) string { return filepath.Join(p.folder("GEMINI_CLI_HOME"), ".gemini") }

func geminiParts(p places, file string) []part {
	return []part{{path: file, why: "hooks and the MCP server", reads: commented, edit: geminiSettings(p)}}
}

// geminiEvents lack PreCompress, which precedes every call of the model.
var geminiEvents = []event{
	{"SessionStart", ""}, {"BeforeAgent", ""}, {"AfterTool", "write_file|replace|run_shell_command"}, {"AfterAgent", ""}, {"SessionEnd", ""},
}

func geminiSettings(p places) settings {
	return settings{
		hooks:   p.nestedHooks(nestedForm{agent: "gemini", second: 1000, name: "codememory"}, geminiEvents, "hooks"),
		servers: at(p.mcp(""), "mcpServers", "codememory"),
	}
}
