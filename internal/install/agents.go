package install

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/paths"
)

// Machine is what the places of configurations depend on.
type Machine struct {
	Getenv   func(string) string          // os.Getenv outside of tests
	LookPath func(string) (string, error) // exec.LookPath outside of tests
	GOOS     string
	Layout   paths.Layout
	Binary   string // this program
	Version  string
}

// Connector plans and carries out the connection of one agent.
type Connector interface {
	Plan() (Plan, error)
	Install() (Plan, error)
	PlanUninstall() (Plan, error)
	Uninstall() (Plan, error)
}

// Agent is one that can be connected.
type Agent struct {
	Name  string // as the rest of CodeMemory calls it
	Label string // as people do

	aliases         []string
	programs        []string              // on the PATH when it is installed
	home            func(p places) string // its configuration folder
	user            func(p places) []part // what to write for all projects
	project         func(p places) []part // what to write into one project; nil: it has no such files
	after           string                // what the user has to do himself
	hooked          bool                  // it has hooks that we use
	runsClaudeHooks bool                  // it runs the hooks of Claude Code too
	untrusted       func(p places) bool   // whether it waits for the consent of its user; nil: it never does
}

// agents are all, in the order in which they are listed.
var agents = []Agent{
	{Name: "opencode", Label: "OpenCode", hooked: true, programs: []string{"opencode"}, home: opencodeHome},
	claudeCode, codex, gemini, copilot, cursor, vscode, antigravity, windsurf, zed,
}

// Agents lists the agents that can be connected.
func Agents() []Agent { return slices.Clone(agents) }

// FindAgent knows an agent by one of its names.
func FindAgent(name string) (Agent, error) {
	for _, a := range agents {
		if a.Name == name || slices.Contains(a.aliases, name) {
			return a, nil
		}
	}
	var names []string
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return Agent{}, codememory.Errorf(codememory.Invalid, "%q is no agent that can be connected: these are: %s", name, strings.Join(names, ", "))
}

// Found says where the agent was found on this machine, or "".
func (a Agent) Found(m Machine) string {
	p, err := m.places("")
	if err != nil {
		return ""
	}
	if dir := a.home(p); dir != "" && exists(dir) {
		return dir
	}
	for _, name := range a.programs {
		if path, err := m.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// After says what the user has to do after an installation, or "".
func (a Agent) After() string { return a.after }

// Connect makes the connector of an agent; project is "" or the folder of the
// one project that it is for.
func (a Agent) Connect(m Machine, project string) (Connector, error) {
	p, err := m.places(project)
	if err != nil {
		return nil, err
	}
	if a.Name == "opencode" {
		if project != "" {
			return nil, codememory.Errorf(codememory.Invalid, "OpenCode is connected for all projects at once: leave out --project")
		}
		return FindOpenCode(m.Getenv, m.Layout, m.Binary, m.Version)
	}
	if !isProgram(p.program.Path) {
		return nil, codememory.Errorf(codememory.Invalid, "this program is called %s, and what it writes is known again by the name codememory: call it that, or by a link of that name", filepath.Base(p.program.Path))
	}
	parts, root := a.user, a.home(p)
	if project != "" {
		parts, root = a.project, project
	}
	if parts == nil {
		return nil, codememory.Errorf(codememory.Invalid, "%s has no configuration of its own in a project: leave out --project", a.Label)
	}
	wanted := func(manifest) ([]part, error) { return parts(p), nil }
	return Integration{Agent: a.Name, Project: project, data: m.Layout.Data, roots: []string{root}, wanted: wanted}, nil
}

// places are the folders of a user and the program to be called.
type places struct {
	Machine
	home    string
	dir     string // of the project, or ""
	program Program
}

func (m Machine) places(project string) (places, error) {
	if m.LookPath == nil {
		m.LookPath = exec.LookPath
	}
	p := places{Machine: m, home: cmp.Or(m.Getenv("HOME"), m.Getenv("USERPROFILE")), dir: project}
	if m.GOOS == "windows" {
		p.home = cmp.Or(m.Getenv("USERPROFILE"), p.home)
	}
	if !filepath.IsAbs(p.home) {
		return p, codememory.Errorf(codememory.Unavailable, "the configurations of agents cannot be found: HOME is %q, set it to an absolute path", p.home)
	}
	p.program = StableProgram(m.Binary, m.GOOS, m.LookPath)
	if project != "" {
		// Others get these files too, so they cannot name a folder of this machine.
		p.program.Path = "codememory"
	}
	return p, nil
}

// folder is the value of a variable, or else a folder in the home.
func (p places) folder(variable string, names ...string) string {
	if dir := p.Getenv(variable); variable != "" && filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(append([]string{p.home}, names...)...)
}

// in is a file of the project.
func (p places) in(names ...string) string {
	return filepath.Join(append([]string{p.dir}, names...)...)
}

func opencodeHome(p places) string {
	o, err := FindOpenCode(p.Getenv, p.Layout, p.Binary, p.Version)
	if err != nil {
		return ""
	}
	return o.ConfigDir
}
