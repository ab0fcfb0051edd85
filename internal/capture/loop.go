package capture

import (
	"context"
	"time"
)

const (
	poll   = 10 * time.Second       // when no event comes: they get lost on some disks
	settle = 250 * time.Millisecond // a turn's last rows come in a burst
)

// Wake makes the loop look soon.
func (c *Capturer) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Run captures until ctx ends: soon after a transcript's file changed or Wake
// was called, and every few seconds in any case.
func (c *Capturer) Run(ctx context.Context) {
	w := c.newWatch(ctx)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if _, err := c.Pass(ctx); err != nil && ctx.Err() == nil {
			c.opts.Log.Warn("transcripts not read", "err", err)
		}
		w.refresh()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			continue
		case <-w.events:
		case <-c.wake:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settle):
		}
	}
}
