package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/client"
	"codememory/internal/hook"
)

func newHookCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT [EVENT…]",
		Short: "Answer a hook of an agent",
		Long: `Read what an agent tells its hook on standard input, hand it to the daemon and print
what that agent accepts as an answer. It takes 300 ms at the very most, or a second
at the end of a turn or a session, when no model waits; it prints nothing when there
is nothing to say, and exits with 0: an agent is never held up by its memory, unless
hooks.checkpoint_gate asks for that. "codememory install" writes the configuration
that calls it.`,
		Example: `  codememory hook claude-code
  codememory hook copilot sessionStart`,
		Args:               wants(0, 20, "an agent and its event"),
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if code := runHook(cmd.Context(), p, args); code != 0 {
				return withExit{findings{}, code}
			}
			return nil
		},
	}
}

// runHook never fails: whatever goes wrong is silence. Its exit code is that of
// the hook.
func runHook(ctx context.Context, p *program, args []string) int {
	layout, err := p.layout()
	if err != nil {
		return 0
	}
	agent := ""
	if len(args) > 0 {
		agent, args = args[0], args[1:]
	}
	return hook.Run(ctx, hook.Options{
		Agent: agent, Args: args, Stdin: p.in, Stdout: p.out, Stderr: p.err, Env: os.Getenv,
		Claim: hook.Claims{Dir: filepath.Join(layout.State, "hooks")}.Take,
		Connect: func(ctx context.Context) (codememory.Service, codememory.AgentService, func(), error) {
			c, err := client.Find(ctx, layout)
			if err != nil {
				if loaded, _, bad := p.settings(); bad == nil && loaded.Config.Daemon.Autostart && !loaded.Config.Disable {
					// The next prompt finds a daemon; this one does not wait.
					_, _ = client.Ensure(ctx, client.EnsureOptions{Layout: layout, Version: p.version, KeepOlder: true, Wait: time.Millisecond})
				}
				return nil, nil, nil, err
			}
			return c, c, func() { _ = c.Close() }, nil
		},
	})
}
