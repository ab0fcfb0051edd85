package install

// The forms in which agents want hooks and servers. The order of fields is that
// in which they are written.

// nested is an entry of Claude Code, Codex and Gemini.
type nested struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []command `json:"hooks"`
}

type command struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// shells is an entry of Copilot, which has a line for each kind of shell.
type shells struct {
	Type       string `json:"type"`
	Bash       string `json:"bash"`
	PowerShell string `json:"powershell"`
	TimeoutSec int    `json:"timeoutSec"`
}

// server is an MCP server that an agent starts.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Tools   []string `json:"tools,omitempty"` // Copilot: the ones that it may use
}

// patience is how long agents wait for a hook, in seconds. Ours answers within
// a fraction of that; it is written since some agents would give the end of a
// session less time, and others ten minutes.
const patience = 10

// codexEnd is what Codex allows at the end of a session at most; it complains
// at every start about more.
const codexEnd = 3

// event is one at which a hook is called; matcher names the tools, where it is
// about some.
type event struct{ name, matcher string }

func (p places) nestedHooks(agent string, perSecond int, events []event, path ...string) []value {
	var list []value
	for _, e := range events {
		c := command{Type: "command", Command: p.program.hook(agent, e.name), Timeout: patience * perSecond}
		switch {
		case agent == "gemini":
			c.Name = "codememory"
		case agent == "codex" && e.name == "SessionEnd":
			c.Timeout = codexEnd
		}
		list = append(list, value{append(append([]string{}, path...), e.name), nested{e.matcher, []command{c}}})
	}
	return list
}

func (p places) mcp(kind string) server {
	return server{Type: kind, Command: p.program.Path, Args: []string{"mcp"}}
}

func at(to any, path ...string) []value { return []value{{path, to}} }
