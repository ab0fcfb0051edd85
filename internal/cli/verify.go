package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

func newVerifyCommand(p *program) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check text and database against each other",
		Long: `Check that every memory file can be read, that the database is sound and that both say
the same. What is wrong is named with file and line; the exit code is 1 then.`,
		Example: `  codememory verify
  codememory verify --all-projects --json`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runVerify(cmd.Context(), p, all) },
	}
	cmd.Flags().BoolVar(&all, "all-projects", false, "every store on this machine")
	return cmd
}

func runVerify(ctx context.Context, p *program, all bool) error {
	ref, err := p.oneOrAll(all)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	stop := p.watch(ctx, svc, "verify")
	reports, err := svc.Verify(ctx, ref)
	stop()
	if err != nil {
		return err
	}
	problems := 0
	for i := range reports {
		reports[i].Problems = list(reports[i].Problems)
		problems += len(reports[i].Problems)
	}
	if p.JSON {
		if err := p.printJSON(struct {
			Reports []codememory.VerifyReport `json:"reports"`
		}{list(reports)}); err != nil {
			return err
		}
	} else {
		names, err := p.projectNames(ctx, svc, true)
		if err != nil {
			return err
		}
		for _, r := range reports {
			if !p.Quiet || len(r.Problems) > 0 {
				p.printf("%s: %s, %s\n", nameOf(r.Project, names), plural(r.Memories, "memory", "memories"), plural(len(r.Problems), "problem", "problems"))
			}
			p.printProblems(r.Problems)
		}
	}
	if problems > 0 {
		return findings{}
	}
	return nil
}

// printProblems names each problem by its place and what to do about it.
func (p *program) printProblems(problems []codememory.Problem) {
	for _, problem := range problems {
		p.printf("  %s\n", problemLine(problem))
		if problem.Todo != "" {
			p.printf("    → %s\n", term.OneLine(problem.Todo))
		}
	}
}

func problemLine(problem codememory.Problem) string {
	place := problem.Path
	if problem.Line > 0 {
		place += ":" + strconv.Itoa(problem.Line)
	}
	if place != "" {
		place += ": "
	}
	return term.OneLine(place + problem.What)
}
