package service

import (
	"sync"
	"time"

	"codememory"
)

const (
	// succession is how soon after the end of a session the one that takes its
	// place begins.
	succession    = 10 * time.Second
	maxSuccessors = 500
)

// successors knows which session took the place of another in the same window.
// The MCP server of an agent whose conversation was cleared goes on with the
// session in its environment, which is over.
type successors struct {
	mu    sync.Mutex
	ended map[string]ending // the last one, by agent and folder
	next  map[string]string // by agent and session
}

type ending struct {
	session string
	at      time.Time
}

// heard takes in what a hook says. A new window has a server of its own, so it
// does no harm that it is taken for a successor too.
func (x *successors) heard(p codememory.Poke, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.next == nil || len(x.next) > maxSuccessors || len(x.ended) > maxSuccessors {
		x.ended, x.next = map[string]ending{}, map[string]string{}
	}
	place := p.Agent + "\x00" + p.Dir
	switch p.Event {
	case "ended":
		x.ended[place] = ending{p.Session, now}
	case "created":
		delete(x.next, p.Agent+"\x00"+p.Session) // it goes on itself
		if e, ok := x.ended[place]; ok && e.session != p.Session && now.Sub(e.at) < succession {
			x.next[p.Agent+"\x00"+e.session] = p.Session
		}
	}
}

// of returns the session that goes on in place of this one.
func (x *successors) of(agent, session string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	for range len(x.next) {
		next, ok := x.next[agent+"\x00"+session]
		if !ok {
			break
		}
		session = next
	}
	return session
}
