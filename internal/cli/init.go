package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

type initOptions struct {
	Shared  bool
	Private bool
}

func newInitCommand(p *program) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Keep the memories of a project in the project",
		Long: `Make a .codememory folder in the project and move what is remembered about it there.
In private mode git ignores the folder. In shared mode its text is meant to be
committed, so that the agents of the next contributor know it at first clone;
personal preferences are never put there.

Without init the memories of a project are kept in the data directory.`,
		Example: `  codememory init
  codememory init --shared
  codememory init --project ~/src/shop --private`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), p, o) },
	}
	cmd.Flags().BoolVar(&o.Shared, "shared", false, "the text is meant to be committed")
	cmd.Flags().BoolVar(&o.Private, "private", false, "git ignores the folder (default)")
	return cmd
}

func runInit(ctx context.Context, p *program, o initOptions) error {
	if o.Shared && o.Private {
		return usagef("--shared and --private exclude each other")
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
	if p.JSON {
		return p.printJSON(report)
	}
	for _, s := range report.Skipped {
		p.warn("not shared: %s", s)
	}
	if p.Quiet {
		return nil
	}
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
	return nil
}
