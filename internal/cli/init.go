package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
	"codememory/internal/install"
)

type initOptions struct {
	Shared  bool
	Private bool
	Rules   bool
	NoRules bool
}

func newInitCommand(p *program) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Keep the memories of a project in the project",
		Long: `Make a .codememory folder in the project and move what is remembered about it there.
In private mode git ignores the folder. In shared mode its text is meant to be
committed, so that the agents of the next contributor know it at first clone;
personal preferences are never put there. A first description of the project is made
from its own files.

With --rules a marked block in AGENTS.md or CLAUDE.md tells agents without hooks when
to search and when to save; --no-rules takes it out again.

Without init the memories of a project are kept in the data directory.`,
		Example: `  codememory init
  codememory init --shared --rules
  codememory init --project ~/src/shop --private`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), p, o) },
	}
	cmd.Flags().BoolVar(&o.Shared, "shared", false, "the text is meant to be committed")
	cmd.Flags().BoolVar(&o.Private, "private", false, "git ignores the folder (default)")
	cmd.Flags().BoolVar(&o.Rules, "rules", false, "tell agents about the memory in AGENTS.md or CLAUDE.md")
	cmd.Flags().BoolVar(&o.NoRules, "no-rules", false, "take the rules out again")
	return cmd
}

func runInit(ctx context.Context, p *program, o initOptions) error {
	if o.Shared && o.Private {
		return usagef("--shared and --private exclude each other")
	}
	if o.Rules && o.NoRules {
		return usagef("--rules and --no-rules exclude each other")
	}
	dir, err := p.projectRef()
	if err != nil {
		return err
	}
	if !o.Shared && !o.Private && !p.JSON && term.IsTerminal(p.in) {
		if o.Shared, err = p.ask("Commit the memories with the project, for everybody who clones it?"); err != nil {
			return err
		}
	}
	if !o.Rules && !o.NoRules && !p.JSON && term.IsTerminal(p.in) {
		if o.Rules, err = p.ask("Tell agents in AGENTS.md or CLAUDE.md when to search and to save?"); err != nil {
			return err
		}
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	report, err := svc.InitProject(ctx, codememory.InitRequest{Dir: dir, Shared: o.Shared})
	if err != nil {
		return err
	}
	report.Created, report.Skipped = list(report.Created), list(report.Skipped)
	rules, err := p.initRules(o, report.Project.Root)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(struct {
			codememory.InitReport
			Rules *install.Plan `json:"rules,omitempty"`
		}{report, rules})
	}
	for _, s := range report.Skipped {
		p.warn("not shared: %s", s)
	}
	if !p.Quiet {
		p.printInit(report, rules)
	}
	return nil
}

// initRules puts the rules into the project's files or takes them out; nil
// means that neither was asked for.
func (p *program) initRules(o initOptions, root string) (*install.Plan, error) {
	if !o.Rules && !o.NoRules {
		return nil, nil
	}
	m, err := p.machine()
	if err != nil {
		return nil, err
	}
	act := install.Integration.Install
	if o.NoRules {
		act = install.Integration.Uninstall
	}
	plan, err := act(install.Rules(m, root))
	return &plan, err
}

func (p *program) printInit(report codememory.InitReport, rules *install.Plan) {
	mode := "private: git ignores it"
	if report.Project.Shared {
		mode = "shared: commit it"
	}
	p.printf("Project %s keeps its memories in %s (%s)\n", term.OneLine(report.Project.Name), report.Project.Store, mode)
	if report.Moved > 0 {
		p.printf("Moved %s there\n", plural(report.Moved, "memory", "memories"))
	}
	for _, path := range report.Created {
		p.printf("  created %s\n", path)
	}
	if report.Brief > 0 {
		p.printf("It is described by %s, made from its files: codememory list --type project-brief\n", plural(report.Brief, "memory", "memories"))
	}
	if rules != nil {
		p.printPlan(*rules, planDone, false)
	}
}
