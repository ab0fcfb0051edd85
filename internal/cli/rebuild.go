package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
)

// everyProject is how the service is asked for all stores.
const everyProject = ""

func newRebuildCommand(p *program) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Make the database anew from the text",
		Long: `Make the database of a project anew from its text, which is the truth: nothing is lost
by it. The same searches give the same answers afterwards.`,
		Example: `  codememory rebuild
  codememory rebuild --all-projects`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runRebuild(cmd.Context(), p, all) },
	}
	cmd.Flags().BoolVar(&all, "all-projects", false, "every store on this machine")
	return cmd
}

func runRebuild(ctx context.Context, p *program, all bool) error {
	ref, err := p.oneOrAll(all)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	stop := p.watch(ctx, svc, "rebuild")
	reports, err := svc.Rebuild(ctx, ref)
	stop()
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(struct {
			Reports []codememory.RebuildReport `json:"reports"`
		}{list(reports)})
	}
	names, err := p.projectNames(ctx, svc, true)
	if err != nil {
		return err
	}
	for _, r := range reports {
		if !p.Quiet {
			p.printf("%s: %s in %s\n", nameOf(r.Project, names), plural(r.Memories, "memory", "memories"), r.Took)
		}
		p.printProblems(r.Problems)
	}
	return nil
}

func (p *program) oneOrAll(all bool) (string, error) {
	if all {
		return everyProject, nil
	}
	return p.projectRef()
}
