package install

import (
	"path/filepath"
	"strconv"
	"strings"
)

// codex runs a hook only after its user has trusted exactly this command, so
// the command must not change from version to version.
var codex = Agent{
	Name: "codex", Label: "Codex", hooked: true, programs: []string{"codex"},
	home: codexHome,
	user: func(p places) []part { return codexParts(p, codexHome(p), p.folder("", ".agents", "skills")) },
	project: func(p places) []part {
		return codexParts(p, p.in(".codex"), p.in(".agents", "skills"))
	},
	untrusted: codexUntrusted,
	after:     "Codex skips hooks that you have not trusted: start codex, type /hooks and accept those of codememory",
}

func codexHome(p places) string { return p.folder("CODEX_HOME", ".codex") }

func codexParts(p places, dir, skillsDir string) []part {
	return append([]part{
		{path: filepath.Join(dir, "hooks.json"), why: "hooks", reads: strictJSON, edit: settings{hooks: p.nestedHooks(codexForm, codexEvents, "hooks")}},
		{path: filepath.Join(dir, "config.toml"), why: "the MCP server", edit: table{[]string{"mcp_servers", "codememory"}, codexServer(p)}},
	}, skills(skillsDir)...)
}

// codexForm keeps to what Codex allows at the end of a session; it complains at
// every start about more.
var codexForm = nestedForm{agent: "codex", most: map[string]int{"SessionEnd": 3}}

var codexEvents = []event{
	{"SessionStart", ""},
	{"UserPromptSubmit", ""},
	{"PostToolUse", "Edit|Write|Bash"},
	{"SubagentStart", ""},
	{"SubagentStop", ""},
	{"PreCompact", ""},
	{"PostCompact", ""},
	{"Stop", ""},
	{"SessionEnd", ""},
}

// movers are the variables that move our files. Codex hands its servers only
// those that it is told to.
var movers = []string{"CODEMEMORY_DATA_DIR", "CODEMEMORY_CONFIG", "CODEMEMORY_STATE_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"}

func codexServer(p places) string {
	var set []string
	for _, name := range movers {
		if p.dir == "" && p.Getenv(name) != "" {
			set = append(set, strconv.Quote(name))
		}
	}
	lines := []string{"[mcp_servers.codememory]", "command = " + tomlString(p.program.Path), `args = ["mcp"]`}
	if len(set) > 0 {
		lines = append(lines, "env_vars = ["+strings.Join(set, ", ")+"]")
	}
	return strings.Join(lines, "\n")
}

// tomlString writes a string as people do: paths of Windows without escapes.
func tomlString(s string) string {
	if strings.Contains(s, `\`) && !strings.ContainsAny(s, "'\n\r\t") {
		return "'" + s + "'"
	}
	return strconv.Quote(s)
}
