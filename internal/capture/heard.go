package capture

import (
	"maps"
	"slices"
	"time"

	"codememory"
)

// heardFor is how long what a hook said is kept in mind when the records do not
// come to agree with it.
const heardFor = 10 * time.Minute

// word is what a hook said about a session that was not dealt with yet.
type word struct {
	at   time.Time
	over bool // the agent left the session
}

// Heard takes in what a hook says of a session. Its records are looked at soon,
// even if they do not change: that a turn is over may be all the news.
func (c *Capturer) Heard(p codememory.Poke) {
	now := c.opts.Now()
	if p.Event == "idle" || p.Event == "ended" {
		for _, src := range c.opts.Sources {
			listener, ok := src.(codememory.TurnListener)
			switch {
			case !ok || src.Agent() != p.Agent:
			case p.Event == "idle":
				listener.TurnEnded(p.Session, now)
			default:
				listener.SessionEnded(p.Session, now)
			}
		}
		c.mu.Lock()
		key := sessionKey{p.Agent, p.Session}
		c.heard[key] = word{at: now, over: p.Event == "ended"}
		c.mu.Unlock()
	}
	c.Wake()
}

// sessionKey names a session among those of all agents.
type sessionKey struct{ agent, session string }

// told adds the sessions of an agent that a hook spoke of to others.
func (c *Capturer) told(agent string, ids []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.heard, func(_ sessionKey, w word) bool { return c.opts.Now().Sub(w.at) > heardFor })
	for key := range c.heard {
		if key.agent == agent && !slices.Contains(ids, key.session) {
			ids = append(ids, key.session)
		}
	}
	return ids
}

// word returns what a hook said last of a session.
func (c *Capturer) word(agent, session string) word {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard[sessionKey{agent, session}]
}

// settled is called when no turn of a session is open, with what was heard
// before its records were read. What was said since is for the next pass.
func (c *Capturer) settled(agent, session string, w word) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := sessionKey{agent, session}
	if c.heard[key] == w {
		delete(c.heard, key)
	}
}
