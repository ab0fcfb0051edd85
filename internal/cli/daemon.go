package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory/internal/config"
	"codememory/internal/daemon"
	"codememory/internal/daemon/rendezvous"
)

type daemonOptions struct {
	Foreground bool
	Detached   bool
	Autostart  bool
	IdleExit   time.Duration
	HasIdle    bool // --idle-exit was given
}

func (o *daemonOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.Foreground, "foreground", true, "stay in the foreground and log to the terminal")
	f.BoolVar(&o.Detached, "detached", false, "log to the file only; commands that start the daemon use this")
	f.BoolVar(&o.Autostart, "autostart", false, "do nothing if daemon.autostart is off; for plugins, which do not read settings")
	f.DurationVar(&o.IdleExit, "idle-exit", 0, "end after this long without a request; 0 is never (default as configured)")
}

func newDaemonCommand(p *program) *cobra.Command {
	var o daemonOptions
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the daemon",
		Long: `Run the daemon in the foreground until it is interrupted or "codememory stop" ends it.
This is rarely needed: every command starts it in the background when it is not
running. There is one per user, and it listens on this machine only.

Besides the usual exit codes there are 75, another daemon is running, and 76, its
port is used by another program.`,
		Example: `  codememory daemon
  codememory daemon --idle-exit 0`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.HasIdle = cmd.Flags().Changed("idle-exit")
			return runDaemon(cmd.Context(), p, o)
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func runDaemon(ctx context.Context, p *program, o daemonOptions) error {
	if !o.Foreground && !o.Detached {
		return usagef("the daemon stays in the foreground: any other command starts it in the background")
	}
	flags := map[string]string{}
	if o.HasIdle {
		flags["daemon.idle_exit"] = o.IdleExit.String()
	}
	layout, err := p.layout()
	if err != nil {
		return err
	}
	// Not the settings of a project: the daemon serves them all.
	loaded, err := config.Load(p.sources(layout, "", flags))
	if err != nil {
		return err
	}
	if o.Autostart && !loaded.Config.Daemon.Autostart {
		return nil
	}
	options := daemon.Options{Layout: layout, Config: loaded, Version: p.version}
	if !o.Detached {
		options.Console = p.err
		options.Ready = func(info rendezvous.Info) {
			p.say("codememory: listening on http://%s, process %d; Ctrl-C ends it", info.Address(), info.PID)
		}
	}
	if err := daemon.Run(ctx, options); err != nil {
		return withExit{err, daemon.ExitCode(err)}
	}
	return nil
}

// withExit is a failure with an exit code of its own.
type withExit struct {
	error
	code int
}

func (e withExit) Unwrap() error { return e.error }

// ownExit returns the exit code that a failure brought along.
func ownExit(err error) (int, bool) {
	e, ok := errors.AsType[withExit](err)
	return e.code, ok && e.code != exitFailure
}
