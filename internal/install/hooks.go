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

// event is one at which a hook is called; matcher names the tools, where it is
// about some.
type event struct{ name, matcher string }

// nestedForm is how an agent wants its nested hooks.
type nestedForm struct {
	agent  string
	second int            // in the agent's unit of time; 0 means 1
	name   string         // of each hook, for agents that list them
	most   map[string]int // seconds that an event is allowed, where that is less than ours
}

func (p places) nestedHooks(f nestedForm, events []event, path ...string) []value {
	var list []value
	for _, e := range events {
		seconds := patience
		if most, ok := f.most[e.name]; ok {
			seconds = most
		}
		c := command{Name: f.name, Type: "command", Command: p.program.hook(f.agent, e.name), Timeout: seconds * max(1, f.second)}
		list = append(list, value{append(append([]string{}, path...), e.name), nested{e.matcher, []command{c}}})
	}
	return list
}

func (p places) mcp(kind string) server {
	return server{Type: kind, Command: p.program.Path, Args: []string{"mcp"}}
}

func at(to any, path ...string) []value { return []value{{path, to}} }
