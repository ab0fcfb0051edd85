package service

import (
	"context"
	"sync"
	"time"

	"codememory"
	"codememory/internal/store"
)

// backlog embeds memories that have no vector yet: those of a batch, of an
// edit from outside, or all of them after the model changed. It also writes
// usage counts now and then.
type backlog struct {
	s      *Service
	signal chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	failing string // why the model could not be used last time
}

const (
	embedBatch  = 64
	retryEmbeds = 30 * time.Second // after the model failed
	flushUsage  = 10 * time.Second
	settleSaves = 100 * time.Millisecond
)

func (b *backlog) start(s *Service) {
	b.s = s
	b.signal = make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	b.done.Go(func() { b.run(ctx) })
}

func (b *backlog) stop() {
	b.cancel()
	b.done.Wait()
}

// wake looks for work soon.
func (b *backlog) wake() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// problem says why memories are waiting for the model, or "".
func (b *backlog) problem() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failing
}

func (b *backlog) run(ctx context.Context) {
	flush := time.NewTicker(flushUsage)
	defer flush.Stop()
	var retry <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-flush.C:
			if err := b.s.stores.each(func(st *store.Store) error { return st.Flush(ctx) }); err != nil && ctx.Err() == nil {
				b.s.opts.Log.Error("usage not counted", "err", err)
			}
			continue
		case <-b.signal:
		case <-retry:
		}
		retry = nil
		select { // whoever saved is perhaps embedding it already
		case <-ctx.Done():
			return
		case <-time.After(settleSaves):
		}
		err := b.embedAll(ctx)
		b.mu.Lock()
		b.failing = ""
		if err != nil && ctx.Err() == nil {
			b.failing = err.Error()
			retry = time.After(retryEmbeds)
		}
		b.mu.Unlock()
	}
}

func (b *backlog) embedAll(ctx context.Context) error {
	if b.s.embedder == nil {
		return nil
	}
	return b.s.stores.each(func(st *store.Store) error { return b.embedStore(ctx, st) })
}

// embedStore works through the memories of one store that lack a vector.
func (b *backlog) embedStore(ctx context.Context, st *store.Store) error {
	if st.ReadOnly() != "" {
		return nil
	}
	model := b.s.model()
	done, total := 0, 0
	for ctx.Err() == nil {
		ms, err := st.Unembedded(ctx, model.ID, embedBatch)
		if err != nil || len(ms) == 0 {
			if total > embedBatch {
				b.s.events.send(codememory.Event{Kind: "job.done", Project: st.Project(), Job: "embed", Done: done, Total: done})
			}
			return err
		}
		if total == 0 {
			stats, err := st.Stats(ctx)
			if err != nil {
				return err
			}
			total = stats.Unembedded
		}
		es, err := b.s.embed(ctx, ms)
		if err != nil {
			return err
		}
		if err := st.SaveEmbeddings(ctx, model.ID, es); err != nil {
			return err
		}
		done += len(ms)
		if total > embedBatch {
			b.s.events.send(codememory.Event{Kind: "job.progress", Project: st.Project(), Job: "embed", Done: done, Total: max(total, done)})
		}
	}
	return ctx.Err()
}

// embed computes the passages of memories.
func (s *Service) embed(ctx context.Context, ms []codememory.Memory) ([]codememory.MemoryEmbedding, error) {
	texts := make([]string, len(ms))
	for i, m := range ms {
		texts[i] = m.Text
	}
	passages, err := s.embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	es := make([]codememory.MemoryEmbedding, len(ms))
	for i, m := range ms {
		es[i] = codememory.MemoryEmbedding{ID: m.ID, TextHash: codememory.TextHash(m.Text), Passages: passages[i]}
	}
	return es, nil
}
