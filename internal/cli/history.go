package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
)

func newHistoryCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "history ID",
		Short: "Show how a memory came to say what it says",
		Long: `Show the chain of a memory, oldest first: what it replaced, its own wordings and
what replaced it.`,
		Example: "  codememory history mem_0a1b2c3d\n  codememory history 0a1b --json",
		Args:    wants(1, 1, "ID"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runHistory(cmd.Context(), p, args[0]) },
	}
}

func runHistory(ctx context.Context, p *program, id string) error {
	ref, err := p.ref(id)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	entries, err := svc.History(ctx, ref)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(struct {
			Entries []codememory.HistoryEntry `json:"entries"`
		}{list(entries)})
	}
	s := p.style()
	for i, e := range entries {
		if i > 0 {
			p.printf("\n")
		}
		until := "now"
		if !e.Until.IsZero() {
			until = stamp(e.Until)
		}
		p.hanging(s.Cyan(codememory.ShownID(e.ID))+"  ", shownIDColumns, stamp(e.From)+" – "+until+" · "+e.What+because(e.Reason))
		p.paragraph(2, e.Text)
	}
	return nil
}
