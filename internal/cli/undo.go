package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
)

func newUndoCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "undo ID",
		Short: "Take back the last change of a memory",
		Long: `Take back the last change of a memory: a forget, an archive, a replacement by
another memory, or an edit of its text. A purge cannot be undone.`,
		Example: `  codememory forget mem_0a1b2c3d
  codememory undo mem_0a1b2c3d`,
		Args: wants(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error { return runUndo(cmd.Context(), p, args[0]) },
	}
}

func runUndo(ctx context.Context, p *program, id string) error {
	ref, err := p.ref(id)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	m, undone, err := svc.Undo(ctx, ref)
	if err != nil {
		return err
	}
	return p.done(struct {
		Memory codememory.Memory `json:"memory"`
		Undone string            `json:"undone"`
	}{m, undone}, "Undone for %s: %s", p.style().Cyan(codememory.ShownID(m.ID)), undone)
}
