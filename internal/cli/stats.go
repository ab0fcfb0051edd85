package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

// barColumns is as long as the bar of a type that every memory has.
const barColumns = 30

func newStatsCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Count what is remembered on this machine",
		Long: `Count the memories of all projects of this machine by their type, those that hold in
every project included. "codememory status" says what is new today.`,
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
	if stats.Total == 0 {
		p.say("Nothing is remembered on this machine. \"codememory remember TEXT\" adds something, \"codememory install\" lets agents do it.")
		return nil
	}
	users := stats.ByScope[codememory.ScopeUser]
	p.hanging("", 0, fmt.Sprintf("%s on this machine: %d in %s, %d yours in all of them", plural(stats.Total, "memory", "memories"),
		stats.Total-users, plural(stats.Projects, "project", "projects"), users))
	p.printf("\n")
	table := term.NewTable("TYPE", "MEMORIES", "")
	table.Right(1)
	for _, t := range codememory.Types {
		if n := stats.ByType[t]; n > 0 {
			table.Row(string(t), strconv.Itoa(n), strings.Repeat("▇", max(1, n*barColumns/stats.Total)))
		}
	}
	return table.Write(p.out, p.columns(), p.style())
}
