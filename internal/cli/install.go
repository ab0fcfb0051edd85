package cli

import (
	"os"

	"github.com/spf13/cobra"

	"codememory/internal/install"
)

// integration connects CodeMemory with one agent.
type integration interface {
	Plan() (install.Plan, error)
	Install() (install.Plan, error)
	PlanUninstall() (install.Plan, error)
	Uninstall() (install.Plan, error)
}

func newInstallCommand(p *program) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "install [AGENT…]",
		Short: "Connect your agents, so that they remember from the next session on",
		Long: `Connect agents with CodeMemory. For OpenCode one plugin file is written; no
configuration file is edited. Doing it again changes nothing but what is outdated,
and "codememory uninstall" takes everything back.`,
		Example: `  codememory install --dry-run
  codememory install opencode`,
		Args: wants(0, 9, "agents"),
		RunE: func(_ *cobra.Command, args []string) error {
			return runInstall(p, args, dry, integration.Plan, integration.Install)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be changed")
	return cmd
}

func newUninstallCommand(p *program) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "uninstall [AGENT…]",
		Short: "Disconnect your agents",
		Long:  `Remove what "codememory install" wrote and nothing else. Memories stay.`,
		Example: `  codememory uninstall --dry-run
  codememory uninstall opencode`,
		Args: wants(0, 9, "agents"),
		RunE: func(_ *cobra.Command, args []string) error {
			return runInstall(p, args, dry, integration.PlanUninstall, integration.Uninstall)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be changed")
	return cmd
}

// runInstall plans or carries out an installation or its removal.
func runInstall(p *program, names []string, dry bool, plan, do func(integration) (install.Plan, error)) error {
	if len(names) == 0 {
		names = []string{"opencode"}
	}
	act := do
	if dry {
		act = plan
	}
	var plans []install.Plan
	for _, name := range names {
		i, err := p.integration(name)
		if err != nil {
			return err
		}
		done, err := act(i)
		if err != nil {
			return err
		}
		plans = append(plans, done)
	}
	if p.JSON {
		return p.printJSON(struct {
			DryRun bool           `json:"dry_run"`
			Plans  []install.Plan `json:"plans"`
		}{dry, plans})
	}
	for _, pl := range plans {
		p.printPlan(pl, dry)
	}
	return nil
}

func (p *program) integration(name string) (integration, error) {
	layout, err := p.layout()
	if err != nil {
		return nil, err
	}
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	switch name {
	case "opencode":
		return install.FindOpenCode(os.Getenv, layout, binary, p.version)
	}
	return nil, usagef("%q is not an agent that can be connected yet: opencode is", name)
}

func (p *program) printPlan(pl install.Plan, dry bool) {
	if pl.Empty() {
		p.printf("%s: nothing to do\n", pl.Agent)
		return
	}
	verb := "done"
	if dry {
		verb = "would be done"
	}
	p.printf("%s (%s):\n", pl.Agent, verb)
	for _, c := range pl.Changes {
		p.printf("  %-8s %s\n           %s\n", c.Action, p.tilde(c.Path), c.Why)
	}
}
