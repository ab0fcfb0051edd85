//go:build unix

package mcpserver

import (
	"context"
	"os"
	"time"
)

// parentPoll is how often the parent is looked for.
const parentPoll = time.Second

// watchParent calls gone when the process that started this one has ended: it
// is then the child of another one.
func watchParent(ctx context.Context, gone func()) {
	parent := os.Getppid()
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				gone()
				return
			}
		}
	}
}
