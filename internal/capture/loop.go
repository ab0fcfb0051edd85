package capture

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
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
	events := c.watch(ctx)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if _, err := c.Pass(ctx); err != nil && ctx.Err() == nil {
			c.opts.Log.Warn("transcripts not read", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			continue
		case <-events:
		case <-c.wake:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settle):
		}
	}
}

// watch reports changes of the transcripts' files. Their folders are watched:
// a database's log comes and goes.
func (c *Capturer) watch(ctx context.Context) <-chan struct{} {
	out := make(chan struct{}, 1)
	w, err := fsnotify.NewWatcher()
	if err != nil {
		c.opts.Log.Warn("cannot watch transcripts, looking every few seconds", "err", err)
		return out
	}
	wanted := map[string]bool{}
	for _, src := range c.opts.Sources {
		for _, file := range src.Watched() {
			wanted[file] = true
			dir := filepath.Dir(file)
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				dir = file
			}
			_ = w.Add(dir) // it may not exist yet: polling finds it
		}
	}
	go func() {
		defer w.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case _, ok := <-w.Errors:
				if !ok {
					return
				}
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if wanted[e.Name] || wanted[filepath.Dir(e.Name)] {
					select {
					case out <- struct{}{}:
					default:
					}
				}
			}
		}
	}()
	return out
}
