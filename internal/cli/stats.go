package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

func newStatsCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "stats",
		Short:   "Count what is remembered on this machine",
		Example: "  codememory stats\n  codememory stats --json",
		Args:    wants(0, 0, "nothing"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runStats(cmd.Context(), p) },
	}
}

func runStats(ctx context.Context, p *program) error {
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	stats, err := svc.Stats(ctx)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(stats)
	}
	p.printf("%s in %s, %d of them of the user\n\n",
		plural(stats.Total, "memory", "memories"), plural(stats.Projects, "project", "projects"), stats.ByScope[codememory.ScopeUser])
	table := term.NewTable("TYPE", "MEMORIES")
	for _, t := range codememory.Types {
		if n := stats.ByType[t]; n > 0 {
			table.Row(string(t), strconv.Itoa(n))
		}
	}
	if table.Len() == 0 {
		return nil
	}
	return table.Write(p.out, p.columns(), p.style())
}
