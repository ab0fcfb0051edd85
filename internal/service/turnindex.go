package service

import (
	"context"
	"sync"
	"time"

	"codememory"
	"codememory/internal/history"
)

// turnIndex searches the turns of all agents. What was captured is in the
// index anyway; the first search has the rest of the agents' history indexed,
// in the background.
type turnIndex struct {
	s       *Service
	once    sync.Once
	ready   chan struct{}
	stop    context.CancelFunc
	working sync.WaitGroup
}

const (
	indexedAll = "indexed_all"
	// indexWait is how long a search waits for the index: a small history is
	// done by then.
	indexWait = 3 * time.Second
)

// Search implements tool.TurnIndex.
func (t *turnIndex) Search(ctx context.Context, q history.Query) ([]history.Hit, error) {
	h := t.s.agents.history
	done, err := h.Meta(ctx, indexedAll)
	if err != nil {
		return nil, err
	}
	if done == "" && len(t.s.agents.sources) > 0 {
		t.once.Do(t.build)
		select {
		case <-t.ready:
		case <-time.After(indexWait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return h.Search(ctx, q)
}

// build indexes everything; interrupted, the next process goes on.
func (t *turnIndex) build() {
	ctx, cancel := context.WithCancel(context.Background())
	t.ready, t.stop = make(chan struct{}), cancel
	t.working.Go(func() {
		defer close(t.ready)
		s := t.s
		rep, err := s.agents.capturer.Index(ctx, func(done, total int) {
			s.events.send(codememory.Event{Kind: "job.progress", Job: "history", Done: done, Total: total})
		})
		s.events.send(codememory.Event{Kind: "job.done", Job: "history", Done: rep.Sessions, Total: rep.Sessions})
		if err == nil {
			err = s.agents.history.SetMeta(ctx, indexedAll, s.opts.Now().UTC().Format(time.RFC3339))
		}
		if err != nil && ctx.Err() == nil {
			s.opts.Log.Warn("history not indexed", "err", err)
		}
	})
}

func (t *turnIndex) close() {
	if t.stop != nil {
		t.stop()
	}
	t.working.Wait()
}
