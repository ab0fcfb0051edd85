package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
)

func newForgetCommand(p *program) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "forget ID…",
		Short: "Hide memories for good",
		Long: `Hide memories from every search and every model. The text is kept so that
"codememory undo" can bring it back, and so that the same thing is not learned
again. "codememory purge" removes the text too.`,
		Example: `  codememory forget mem_0a1b2c3d
  codememory forget mem_0a1b2c3d mem_4e5f6a7b --reason "was about the old API"`,
		Args: wants(1, anyNumber, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error { return runForget(cmd.Context(), p, reason, args) },
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return cmd
}

func runForget(ctx context.Context, p *program, reason string, ids []string) error {
	return runEach(ctx, p, ids, "Forgot", func(ctx context.Context, svc codememory.Service, ref codememory.Ref) (codememory.Memory, error) {
		return svc.Forget(ctx, ref, reason)
	})
}
