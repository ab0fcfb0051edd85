package daemon

import (
	"context"
	"time"
)

// whenIdle returns a channel that is closed when nobody has asked for as long
// as configured; never, when that is zero.
func (d *daemon) whenIdle(ctx context.Context) <-chan struct{} {
	idle := make(chan struct{})
	if limit := d.Config.Config.Daemon.IdleExit.Duration; limit > 0 {
		go func() {
			if awaitIdle(ctx, d.unusedFor(ctx, limit), limit) {
				close(idle)
			}
		}()
	}
	return idle
}

// unusedFor returns for how long nobody has asked. While language models have
// work to do soon, the daemon is in use: nobody else would do it.
func (d *daemon) unusedFor(ctx context.Context, soon time.Duration) func() time.Duration {
	return func() time.Duration {
		if d.service.Working(ctx, max(soon, d.Config.Config.LLM.Idle.Duration)) {
			return 0
		}
		return d.api.IdleFor()
	}
}

// awaitIdle sleeps until the limit can be reached at the earliest, and again
// if somebody asked meanwhile. It reports false when ctx ended first.
func awaitIdle(ctx context.Context, idleFor func() time.Duration, limit time.Duration) bool {
	for {
		left := limit - idleFor()
		if left <= 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(left):
		}
	}
}
