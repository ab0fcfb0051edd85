package service

import (
	"slices"
	"sync"
	"time"

	"codememory"
	"codememory/internal/render"
)

// maxGiven bounds how many sessions are remembered; people work in a few at a
// time, and to be told something twice does no harm.
const maxGiven = 200

// given remembers what sessions were told whose agents keep it in the
// conversation, so that the model is not told the same again.
type given struct {
	mu       sync.Mutex
	sessions map[string]conversation
	order    []string // of sessions, the one that asked last at the end
}

// conversation is what one holds of what it was told.
type conversation struct {
	stable string // what of the stable block lasts, as a hash; empty: it was not asked for
	ids    []string
	since  time.Time // when it began, or was compacted; zero: not known
	again  time.Time // when it was told anew because of a compaction
}

func givenKey(r codememory.ContextRequest) string {
	if !r.Kept || r.Session == "" {
		return ""
	}
	return r.Agent + "\x00" + r.Session
}

// before returns what the session holds when it asks.
func (g *given) before(r codememory.ContextRequest, now time.Time) conversation {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Anew {
		begins := conversation{since: now.Truncate(time.Millisecond)} // as exact as memories are
		if r.Compacted {
			begins.again = begins.since
		}
		return begins
	}
	return g.sessions[givenKey(r)]
}

// note remembers what a session holds after an answer.
func (g *given) note(r codememory.ContextRequest, t conversation) {
	key := givenKey(r)
	if key == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sessions == nil {
		g.sessions = map[string]conversation{}
	}
	g.sessions[key] = t
	g.order = append(slices.DeleteFunc(g.order, func(k string) bool { return k == key }), key)
	if len(g.order) > maxGiven {
		delete(g.sessions, g.order[0])
		g.order = g.order[1:]
	}
}

// heardBefore is how long before the records a hook may tell of a compaction.
const heardBefore = 10 * time.Second

// compacted forgets what a conversation was told before it was compacted, when
// its agent says so only in its records or nobody heard the hook. One that was
// told anew because of this very compaction has what it needs.
func (g *given) compacted(t codememory.Turn) {
	key := givenKey(codememory.ContextRequest{Agent: t.Agent, Session: t.Session, Kept: true})
	g.mu.Lock()
	defer g.mu.Unlock()
	held, ok := g.sessions[key]
	if !ok || !held.since.Before(t.StartedAt) || t.StartedAt.Sub(held.again) < heardBefore {
		return
	}
	g.sessions[key] = conversation{since: t.StartedAt}
}

// withBlock returns what the conversation holds with a stable block that shows
// these memories.
func (t conversation) withBlock(lasting string, ids []string) conversation {
	t.stable = lasting
	return t.with(ids)
}

// withHits is the same with the memories of a HUD.
func (t conversation) withHits(hits []codememory.Hit) conversation {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Memory.ID)
	}
	return t.with(ids)
}

func (t conversation) with(ids []string) conversation {
	t.ids = slices.Concat(t.ids, ids)
	slices.Sort(t.ids)
	t.ids = slices.Compact(t.ids)
	return t
}

// holds reports whether a memory was made of the conversation itself. Memories
// are dated to the millisecond.
func (t conversation) holds(session string, m codememory.Memory) bool {
	return session != "" && m.Source.Session == session && !t.since.IsZero() && !m.CreatedAt.Before(t.since.Truncate(time.Millisecond))
}

// lastingPart is a hash of the stable block without recent sessions and what
// came out of this one: those are no reason to repeat all of it.
func (t conversation) lastingPart(session string, ms []codememory.Memory, budget int) string {
	lasting := slices.DeleteFunc(slices.Clone(ms), func(m codememory.Memory) bool {
		return m.Type == codememory.SessionSummary || t.holds(session, m)
	})
	text, _ := render.Stable(render.StableInput{Memories: lasting, Budget: budget})
	return codememory.TextHash(text)
}
