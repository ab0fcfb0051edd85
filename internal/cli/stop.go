package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/client"
	"codememory/internal/daemon/rendezvous"
)

// stopWait is how long the daemon may take to finish what it is doing.
const stopWait = 10 * time.Second

type stopReport struct {
	Stopped bool `json:"stopped"` // false: it was not running
	PID     int  `json:"pid,omitempty"`
}

func newStopCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "stop",
		Short:   "End the daemon",
		Long:    `End the daemon after it has finished what it is doing. The next command starts it again.`,
		Example: "  codememory stop\n  codememory stop --json",
		Args:    wants(0, 0, "nothing"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runStop(cmd.Context(), p) },
	}
}

func runStop(ctx context.Context, p *program) error {
	layout, err := p.layout()
	if err != nil {
		return err
	}
	c, err := client.Find(ctx, layout)
	if start, ok := errors.AsType[*client.StartError](err); ok && start.Reason == client.NotRunning {
		return p.done(stopReport{}, "The daemon is not running.")
	}
	if err != nil {
		return err
	}
	defer c.Close()
	report := stopReport{Stopped: true}
	if info, err := rendezvous.ReadInfo(layout); err == nil {
		report.PID = info.PID
	}
	if err := c.Shutdown(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	for {
		if lock, err := rendezvous.LockDaemon(layout); err == nil {
			if err := lock.Unlock(); err != nil {
				return err
			}
			return p.done(report, "The daemon ended.")
		}
		select {
		case <-ctx.Done():
			return codememory.Errorf(codememory.Unavailable, "the daemon (process %d) is still working after %v: wait, or end that process", report.PID, stopWait)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
