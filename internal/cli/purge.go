package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

func newPurgeCommand(p *program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "purge ID…",
		Short: "Remove every trace of memories",
		Long: `Remove memories with their text, index and vectors. This cannot be undone. What is
out of reach, such as the git history of a shared project, is named.`,
		Example: `  codememory purge mem_0a1b2c3d
  codememory purge --yes mem_0a1b2c3d mem_4e5f6a7b`,
		Args: wants(1, anyNumber, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPurge(cmd.Context(), p, yes, args) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func runPurge(ctx context.Context, p *program, yes bool, ids []string) error {
	refs, err := p.refs(ids)
	if err != nil {
		return err
	}
	if !yes && !term.IsTerminal(p.in) {
		return usagef("purge cannot be undone: repeat it with --yes, or use forget")
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	if !yes {
		for _, ref := range refs {
			m, err := svc.Get(ctx, ref)
			if err != nil {
				return err
			}
			p.printf("%s  %s\n", codememory.ShownID(m.ID), term.Truncate(term.OneLine(m.Text), p.columns()-16))
		}
		if agreed, err := p.ask("Purge " + plural(len(refs), "memory", "memories") + "? This cannot be undone."); err != nil || !agreed {
			return err
		}
	}
	var reports []codememory.PurgeReport
	for _, ref := range refs {
		report, err := svc.Purge(ctx, ref)
		if err != nil {
			return err
		}
		report.Purged, report.Files = list(report.Purged), list(report.Files)
		reports = append(reports, report)
		if p.JSON {
			continue
		}
		for _, w := range report.Warnings {
			p.warn("%s", w)
		}
		if !p.Quiet {
			p.printf("Purged %s (%s rewritten or removed)\n", shownIDs(report.Purged), plural(len(report.Files), "file", "files"))
		}
	}
	if p.JSON {
		return p.printJSON(struct {
			Reports []codememory.PurgeReport `json:"reports"`
		}{list(reports)})
	}
	return nil
}

func shownIDs(ids []string) string {
	shown := make([]string, len(ids))
	for i, id := range ids {
		shown[i] = codememory.ShownID(id)
	}
	return strings.Join(shown, ", ")
}
