package capture

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// watch reports changes of the transcripts' files. Their folders are watched:
// a database's log comes and goes.
type watch struct {
	*Capturer
	events chan struct{}
	w      *fsnotify.Watcher // nil: none is to be had

	mu     sync.Mutex
	wanted map[string]bool // files, and folders of files
	added  map[string]bool // folders
}

func (c *Capturer) newWatch(ctx context.Context) *watch {
	w := &watch{Capturer: c, events: make(chan struct{}, 1), wanted: map[string]bool{}, added: map[string]bool{}}
	var err error
	if w.w, err = fsnotify.NewWatcher(); err != nil {
		c.opts.Log.Warn("cannot watch transcripts, looking every few seconds", "err", err)
		return w
	}
	go w.follow(ctx)
	return w
}

// refresh watches the folders that appeared since: an agent that is used for
// the first time makes its own, and most make one for each session.
func (w *watch) refresh() {
	if w.w == nil {
		return
	}
	for _, src := range w.opts.Sources {
		for _, file := range src.Watched() {
			dir := filepath.Dir(file)
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				dir = file
			}
			w.mu.Lock()
			w.wanted[file] = true
			known := w.added[dir]
			w.mu.Unlock()
			if !known && w.w.Add(dir) == nil { // else it may not exist yet: polling finds it
				w.mu.Lock()
				w.added[dir] = true
				w.mu.Unlock()
			}
		}
	}
}

// follow passes on what matters of the system's events.
func (w *watch) follow(ctx context.Context) {
	defer w.w.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-w.w.Errors:
			if !ok {
				return
			}
		case e, ok := <-w.w.Events:
			if !ok {
				return
			}
			if w.matters(e) {
				select {
				case w.events <- struct{}{}:
				default:
				}
			}
		}
	}
}

func (w *watch) matters(e fsnotify.Event) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(w.added, e.Name) // the system forgot a folder that is gone
	}
	return w.wanted[e.Name] || w.wanted[filepath.Dir(e.Name)]
}
