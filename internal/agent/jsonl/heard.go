package jsonl

import "time"

// ends are what hooks said about a session last. The zero value says nothing.
type ends struct{ turnAt, sessionAt time.Time }

// turn reports whether a turn that last changed at this time is over. What the
// agent writes afterwards belongs to another turn, or it went on with this one.
func (e ends) turn(touched time.Time) bool {
	return !e.turnAt.IsZero() && !e.turnAt.Before(touched) || e.session(touched)
}

// session reports whether nothing more comes to a turn that last changed at
// this time: the agent is gone.
func (e ends) session(touched time.Time) bool {
	return !e.sessionAt.IsZero() && !e.sessionAt.Before(touched)
}

// mostHeard bounds for how many sessions it is kept what hooks said.
const mostHeard = 1000

// TurnEnded implements codememory.TurnListener.
func (r *Reader) TurnEnded(session string, at time.Time) {
	r.hear(session, func(e *ends) { e.turnAt = at })
}

// SessionEnded implements codememory.TurnListener.
func (r *Reader) SessionEnded(session string, at time.Time) {
	r.hear(session, func(e *ends) { e.sessionAt = at })
}

func (r *Reader) hear(session string, note func(*ends)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.heard[session]; !known && len(r.heard) >= mostHeard {
		clear(r.heard) // old ones have settled by now
	}
	e := r.heard[session]
	note(&e)
	r.heard[session] = e
}

func (r *Reader) ends(session string) ends {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heard[session]
}
