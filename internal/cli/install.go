package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/term"
	"codememory/internal/install"
)

type installOptions struct {
	DryRun  bool
	Yes     bool
	Project string // a folder, "." when only the flag was given
}

func (o *installOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.DryRun, "dry-run", false, "only show what would be changed")
	f.BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	f.StringVarP(&o.Project, "project", "C", "", "the files of a project (default the current folder) instead of yours")
	f.Lookup("project").NoOptDefVal = "."
}

// errand is what install and uninstall differ in.
type errand struct {
	plan, do func(install.Connector) (install.Plan, error)
	removal  bool
}

func newInstallCommand(p *program) *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "install [AGENT…]",
		Short: "Connect your agents, so that they remember from the next session on",
		Long: `Connect agents with CodeMemory: the ones named, or all that are found here. For
OpenCode one plugin file is written. The others get hooks and an MCP server in their
own configuration files, where comments, order and everything else stay as they are.
It shows what it would write and asks; scripts name the agents or give --yes.

With --project the files of a project are written instead of yours, for everybody who
works in it. Doing it again changes nothing but what is outdated, and "codememory
uninstall" takes everything back, byte for byte if nobody else changed it.`,
		Example: `  codememory install --dry-run
  codememory install
  codememory install claude codex
  codememory install claude --project`,
		RunE: func(_ *cobra.Command, args []string) error {
			return runInstall(p, o, args, errand{install.Connector.Plan, install.Connector.Install, false})
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func newUninstallCommand(p *program) *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "uninstall [AGENT…]",
		Short: "Disconnect your agents",
		Long: `Take back what "codememory install" wrote and nothing else: a file that nobody changed
since is as it was before, from others only our part is taken out. Memories stay.`,
		Example: `  codememory uninstall --dry-run
  codememory uninstall opencode
  codememory uninstall --project`,
		RunE: func(_ *cobra.Command, args []string) error {
			return runInstall(p, o, args, errand{install.Connector.PlanUninstall, install.Connector.Uninstall, true})
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

// runInstall plans or carries out an installation or its removal.
func runInstall(p *program, o installOptions, names []string, e errand) error {
	m, err := p.machine()
	if err != nil {
		return err
	}
	dir, names, err := p.installFolder(o.Project, names)
	if err != nil {
		return err
	}
	chosen, err := chooseAgents(m, dir, names, e)
	if err != nil {
		return err
	}
	plans, err := runPlans(chosen, e.plan)
	if err != nil {
		return err
	}
	if !o.DryRun {
		if len(names) == 0 && !e.removal && !o.Yes && !term.IsTerminal(p.in) {
			if err := nobodyToAsk(plans); err != nil {
				return err
			}
		}
		if goOn, err := p.confirmPlans(o, plans, e); err != nil || !goOn {
			p.say("Nothing was changed")
			return err
		}
		if plans, err = runPlans(chosen, e.do); err != nil {
			return err
		}
	}
	if p.JSON {
		return p.printJSON(struct {
			DryRun bool           `json:"dry_run"`
			Plans  []install.Plan `json:"plans"`
		}{o.DryRun, list(plans)})
	}
	verb := planDone
	if o.DryRun {
		verb = planWould
	}
	for _, pl := range plans {
		if !p.Quiet || o.DryRun {
			p.printPlan(pl, verb, o.DryRun)
		}
	}
	if len(plans) == 0 && e.removal {
		p.say("Nothing is installed here")
	} else if len(plans) == 0 {
		p.say("No agent was found here: name one, such as codememory install claude")
	}
	for i, c := range chosen {
		if !e.removal && !plans[i].Empty() {
			p.sayNotes(c.agent, m, dir)
		}
	}
	return nil
}

// nobodyToAsk refuses to choose the agents where nobody sees the choice.
func nobodyToAsk(plans []install.Plan) error {
	var names []string
	for _, pl := range plans {
		if !pl.Empty() {
			names = append(names, pl.Agent)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return usagef("nobody can be asked here: name the agents (found and not connected: %s), or give --yes", strings.Join(names, ", "))
}

// sayNotes says what is left to do and good to know after an installation.
func (p *program) sayNotes(a install.Agent, m install.Machine, dir string) {
	if text := a.After(); text != "" {
		p.say("%s", text)
	}
	for _, text := range a.Notes(m, dir) {
		p.say("%s", text)
	}
}

// chosen is an agent that a command is about.
type chosen struct {
	agent     install.Agent
	connector install.Connector
}

// chooseAgents takes the agents named, or all that are here.
func chooseAgents(m install.Machine, dir string, names []string, e errand) ([]chosen, error) {
	var list []chosen
	for _, name := range names {
		a, err := install.FindAgent(name)
		if err != nil {
			return nil, err
		}
		c, err := a.Connect(m, dir)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(c chosen) bool { return c.agent.Name == a.Name }) {
			list = append(list, chosen{a, c})
		}
	}
	if len(names) > 0 {
		return list, nil
	}
	for _, a := range install.Agents() {
		c, err := a.Connect(m, dir)
		if err != nil {
			if dir != "" && codememory.CodeOf(err) == codememory.Invalid {
				continue // it has no files in projects
			}
			return nil, err
		}
		if e.removal {
			if plan, err := c.PlanUninstall(); err == nil && len(plan.Changes) == 0 {
				continue
			}
		} else if a.Found(m) == "" {
			continue
		}
		list = append(list, chosen{a, c})
	}
	return list, nil
}

func runPlans(list []chosen, act func(install.Connector) (install.Plan, error)) ([]install.Plan, error) {
	var plans []install.Plan
	for _, c := range list {
		plan, err := act(c.connector)
		if err != nil {
			return plans, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// confirmPlans shows the plans and asks, where somebody can answer.
func (p *program) confirmPlans(o installOptions, plans []install.Plan, e errand) (bool, error) {
	if o.Yes || p.JSON || !term.IsTerminal(p.in) || !slices.ContainsFunc(plans, func(pl install.Plan) bool { return !pl.Empty() }) {
		return true, nil
	}
	for _, pl := range plans {
		p.printPlan(pl, planWould, false)
	}
	if e.removal {
		return p.ask("Take this back? (--dry-run shows every line)")
	}
	return p.ask("Write this? (--dry-run shows every line)")
}

// installFolder is the folder of the project when one is meant. A folder may
// follow --project as a word of its own, as it does in other commands.
func (p *program) installFolder(flag string, names []string) (string, []string, error) {
	if flag == "" {
		return "", names, nil
	}
	if flag == "." {
		if i := slices.IndexFunc(names, looksLikePath); i >= 0 {
			flag = names[i]
			names = slices.Delete(slices.Clone(names), i, i+1)
		}
	}
	if rest, ok := strings.CutPrefix(flag, "~/"); ok {
		flag = filepath.Join(p.getenv("HOME"), rest)
	}
	if !filepath.IsAbs(flag) {
		dir, err := p.workdir()
		if err != nil {
			return "", nil, err
		}
		flag = filepath.Join(dir, flag)
	}
	if info, err := os.Stat(flag); err != nil || !info.IsDir() {
		return "", nil, codememory.Errorf(codememory.NotFound, "%s is no folder: give that of a project", flag)
	}
	// The same folder by another name must find what was installed.
	flag, err := filepath.EvalSymlinks(flag)
	return flag, names, err
}

// machine describes this machine to the installer.
func (p *program) machine() (install.Machine, error) {
	layout, err := p.layout()
	if err != nil {
		return install.Machine{}, err
	}
	binary, err := os.Executable()
	if err != nil {
		return install.Machine{}, err
	}
	return install.Machine{Getenv: p.getenv, LookPath: exec.LookPath, GOOS: runtime.GOOS, Layout: layout, Binary: binary, Version: p.version}, nil
}
