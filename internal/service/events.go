package service

import (
	"context"
	"slices"
	"sync"
	"time"

	"codememory"
	"codememory/internal/store"
)

// buffered is how many events a slow reader may be behind before it misses some.
const buffered = 256

// hub hands events to whoever listens. It never waits for a reader: one that
// is too slow loses its channel and must come back.
type hub struct {
	now func() time.Time

	mu     sync.Mutex
	seq    uint64
	subs   map[chan codememory.Event]struct{}
	closed bool
	recent []codememory.Event // oldest first
}

// recentEvents is how many events are kept for those who come later.
const recentEvents = 100

func (h *hub) send(e codememory.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	e.Seq, e.At = h.seq, h.now().UTC()
	if e.Kind != "job.progress" { // the end of a job says it all
		if h.recent = append(h.recent, e); len(h.recent) > 2*recentEvents {
			h.recent = slices.Clone(h.recent[recentEvents:])
		}
	}
	for ch := range h.subs {
		select {
		case ch <- e:
		default:
			delete(h.subs, ch)
			close(ch)
		}
	}
}

func (h *hub) subscribe(ctx context.Context) <-chan codememory.Event {
	ch := make(chan codememory.Event, buffered)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(ch)
		return ch
	}
	if h.subs == nil {
		h.subs = map[chan codememory.Event]struct{}{}
	}
	h.subs[ch] = struct{}{}
	context.AfterFunc(ctx, func() { h.drop(ch) })
	return ch
}

func (h *hub) drop(ch chan codememory.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.subs[ch]; ok {
		delete(h.subs, ch)
		close(ch)
	}
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for ch := range h.subs {
		close(ch)
	}
	h.subs = nil
}

// Events implements codememory.Service.
func (s *Service) Events(ctx context.Context) (<-chan codememory.Event, error) {
	return s.events.subscribe(ctx), nil
}

// RecentEvents implements codememory.ViewService.
func (s *Service) RecentEvents(context.Context) ([]codememory.Event, error) {
	h := &s.events
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.Clone(h.recent[max(0, len(h.recent)-recentEvents):])
	slices.Reverse(out)
	return out, nil
}

// manyChanges is from when on a change is told as one event instead of one for each memory.
const manyChanges = 50

// changed tells about changes of a store and wakes the work they cause.
func (s *Service) changed(p codememory.Project, c store.Change) {
	s.backlog.wake()
	if c.Outside || len(c.Saved)+len(c.Removed) > manyChanges {
		s.events.send(codememory.Event{Kind: "store.changed", Project: p.ID, Done: len(c.Saved), Total: len(c.Saved) + len(c.Removed)})
		return
	}
	for _, id := range c.Saved {
		s.events.send(codememory.Event{Kind: "memory.saved", Project: p.ID, ID: id})
	}
	for _, id := range c.Removed {
		s.events.send(codememory.Event{Kind: "memory.purged", Project: p.ID, ID: id})
	}
}
