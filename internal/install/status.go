package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// State says how far an agent is connected.
type State string

// The states.
const (
	Connected State = "connected"
	Outdated  State = "outdated" // connected once, and not as this version would do it
	Missing   State = "missing"
)

// Status is what there is to say about the connection of an agent.
type Status struct {
	Found string // where the agent was found; "": nowhere
	State State
	// Untrusted is set when the agent does not run our hooks until its user has
	// accepted them.
	Untrusted bool
	Warnings  []string // what keeps it from working
	Notes     []string // what is good to know
}

// Status looks at the connection of an agent for this user.
func (a Agent) Status(m Machine) (Status, error) {
	s := Status{Found: a.Found(m), State: Missing}
	c, err := a.Connect(m, "")
	if err != nil {
		return s, err
	}
	plan, err := c.Plan()
	if err != nil {
		return s, err
	}
	known := exists(manifestFile(m.Layout.Data, a.Name, ""))
	switch {
	case plan.Empty():
		s.State = Connected
	case known:
		s.State = Outdated
	}
	for _, change := range plan.Changes {
		if change.Warning != "" {
			s.Warnings = append(s.Warnings, change.Path+": "+change.Warning)
		}
	}
	if s.State == Connected {
		if a.untrusted != nil {
			p, err := m.places("")
			s.Untrusted = err == nil && a.untrusted(p)
		}
		s.Notes = a.Notes(m, "")
	}
	return s, nil
}

// Notes says what is good to know about an agent that is connected.
func (a Agent) Notes(m Machine, project string) []string {
	var notes []string
	claude := exists(manifestFile(m.Layout.Data, claudeCode.Name, "")) || project != "" && exists(manifestFile(m.Layout.Data, claudeCode.Name, project))
	if a.runsClaudeHooks && claude {
		notes = append(notes, fmt.Sprintf("%s can run the hooks of Claude Code besides its own; CodeMemory answers each event once", a.Label))
	}
	if project != "" && m.LookPath != nil {
		if _, err := m.LookPath("codememory"); err != nil {
			notes = append(notes, "the files of a project call codememory by its name, which is not on your PATH: put it there")
		}
	}
	return notes
}

// capital is where a word begins within a name such as PostToolUse.
var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// codexUntrusted reports whether a hook of ours lacks the user's consent, which
// Codex keeps by file, event and place.
func codexUntrusted(p places) bool {
	dir := codexHome(p)
	file := filepath.Join(dir, "hooks.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var config struct {
		Hooks struct {
			State map[string]struct {
				Hash string `toml:"trusted_hash"`
			} `toml:"state"`
		} `toml:"hooks"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "config.toml"))
	if err != nil || toml.Unmarshal(text, &config) != nil {
		return true
	}
	for _, key := range ourHookKeys(data) {
		if config.Hooks.State[file+":"+key].Hash == "" {
			return true
		}
	}
	return false
}

// ourHookKeys names our hooks in a file of Codex as Codex does:
// post_tool_use:0:0.
func ourHookKeys(data []byte) []string {
	var all struct {
		Hooks map[string][]any `json:"hooks"`
	}
	if readJSON(data, &all) != nil {
		return nil
	}
	var keys []string
	for name, entries := range all.Hooks {
		for i, e := range entries {
			inner, _ := handlers(e)
			for j, h := range inner {
				if isCall(h) {
					keys = append(keys, fmt.Sprintf("%s:%d:%d", strings.ToLower(capital.ReplaceAllString(name, "${1}_${2}")), i, j))
				}
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// HasHooks reports whether the agent calls us at its events; others only have
// our tools and rules.
func (a Agent) HasHooks() bool { return a.hooked }
