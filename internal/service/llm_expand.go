package service

import (
	"context"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/task"
)

// lateExpansion is how long a model may take to say what to look for. Whoever
// asked does not wait for it, but the next call of the same message uses it.
const lateExpansion = 5 * time.Second

// maxExpansions bounds how many messages are remembered.
const maxExpansions = 200

// expansions remembers what to look for, message by message.
type expansions struct {
	mu    sync.Mutex
	known map[string]*expansion
}

type expansion struct {
	ready chan struct{} // closed when result is there
	value task.Expansion
	ok    bool
}

// get returns the expansion of a message, and whether the caller has to make it.
func (e *expansions) get(key string) (x *expansion, isNew bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if x, ok := e.known[key]; ok {
		return x, false
	}
	if e.known == nil || len(e.known) >= maxExpansions {
		e.known = map[string]*expansion{}
	}
	x = &expansion{ready: make(chan struct{})}
	e.known[key] = x
	return x, true
}

// expand asks a model what to look for at this moment: once for each message of
// the user, and without waiting longer than configured. Without an answer the
// rules decide alone.
func (s *Service) expand(ctx context.Context, p codememory.Project, r codememory.ContextRequest, visible []codememory.Hit) (task.Expansion, bool) {
	m := &s.models
	goal := strings.TrimSpace(r.Goal)
	if m.worker == nil || !m.tasks.Has(llm.Expand) || goal == "" || !s.configFor(p).LLM.Enabled {
		return task.Expansion{}, false
	}
	if r.Preview { // people look at every letter they type: that is nothing to pay for
		return task.Expansion{}, false
	}
	x, isNew := m.expansions.get(codememory.TextHash(p.ID + "\x00" + r.Session + "\x00" + goal))
	if isNew {
		moment := task.Moment{Goal: goal, Actions: lastActions(r.Actions)}
		for _, h := range visible {
			moment.Visible = append(moment.Visible, h.Memory)
		}
		m.background.Go(func() {
			defer close(x.ready)
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateExpansion)
			defer cancel()
			if arc, err := m.queue.Arc(late, r.Agent, r.Session); err == nil {
				moment.Arc = shortened(arc.Text, 2000)
			}
			value, err := m.tasks.Expand(late, task.About{Project: p.ID, Session: r.Session}, moment)
			x.value, x.ok = value, err == nil
		})
	}
	timer := time.NewTimer(m.expandWait)
	defer timer.Stop()
	select {
	case <-x.ready:
		return x.value, x.ok
	case <-timer.C:
	case <-ctx.Done():
	}
	return task.Expansion{}, false
}

func lastActions(actions []codememory.Action) []codememory.Action {
	const most = 5
	return actions[max(0, len(actions)-most):]
}

// keepsPinned leaves out pinned memories that no longer matter. Nothing said
// means that all do.
func keepsPinned(pinned []codememory.Hit, keep []string) []codememory.Hit {
	if len(keep) == 0 {
		return pinned
	}
	var out []codememory.Hit
	for _, h := range pinned {
		for _, id := range keep {
			if prefix, ok := codememory.NormalizeIDPrefix(id); ok && (strings.HasPrefix(codememory.ShortID(h.Memory.ID), prefix) || strings.HasPrefix(h.Memory.ID, prefix)) {
				out = append(out, h)
				break
			}
		}
	}
	if len(out) == 0 {
		return pinned // it named none that is there
	}
	return out
}
