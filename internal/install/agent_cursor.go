package install

import "path/filepath"

// flat is an entry of Cursor.
type flat struct {
	Command string `json:"command"`
	Matcher string `json:"matcher,omitempty"`
	Timeout int    `json:"timeout"`
}

// cursor takes text for its model only at the start of a session, so it gets
// the rules too where it reads them from a file.
var cursor = Agent{
	Name: "cursor", Label: "Cursor", hooked: true, programs: []string{"cursor-agent", "cursor"},
	runsClaudeHooks: true,
	home:            cursorHome,
	user:            func(p places) []part { return cursorParts(p, cursorHome(p)) },
	project: func(p places) []part {
		return append(cursorParts(p, p.in(".cursor")), cursorRule(p.in(".cursor", "rules")))
	},
}

func cursorHome(p places) string { return p.folder("", ".cursor") }

// cursorEvents are more than elsewhere: only they know what was said and done,
// since Cursor's own records cannot be read. How a command ended is told only
// by the events for tools of any kind.
var cursorEvents = []event{
	{"sessionStart", ""},
	{"beforeSubmitPrompt", ""},
	{"afterFileEdit", ""},
	{"afterShellExecution", ""},
	{"postToolUse", "Shell"},
	{"postToolUseFailure", ""},
	{"afterAgentResponse", ""},
	{"preCompact", ""},
	{"stop", ""},
	{"sessionEnd", ""},
}

func cursorParts(p places, dir string) []part {
	hooks := settings{scaffold: at(1, "version")}
	for _, e := range cursorEvents {
		hooks.hooks = append(hooks.hooks, value{[]string{"hooks", e.name}, flat{p.program.hook("cursor", e.name), e.matcher, patience}})
	}
	return []part{
		{path: filepath.Join(dir, "hooks.json"), why: "hooks", edit: hooks},
		{path: filepath.Join(dir, "mcp.json"), why: "the MCP server", edit: settings{servers: at(p.mcp(""), "mcpServers", "codememory")}},
	}
}
