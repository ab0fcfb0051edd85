package service

import (
	"fmt"
	"sync"
)

// gates counts what a session changed since its last checkpoint, as long as the
// daemon runs.
type gates struct {
	mu      sync.Mutex
	changes map[string]int // by session
}

// keptGates bounds how many sessions are counted; all begin anew then.
const keptGates = 500

// step counts a change and says what the gate has to say about it. mode is
// off, remind or deny, after is how many changes call for a checkpoint.
func (g *gates) step(session, mode string, after int) (remind, refuse string) {
	if mode == "off" || mode == "" || after <= 0 {
		return "", ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changes == nil || len(g.changes) > keptGates {
		g.changes = map[string]int{}
	}
	n := g.changes[session]
	if mode == "deny" && n >= refusesAtTimes*after {
		return "", due(n) + " Until then nothing more is changed; reading is free. The user asked for this (hooks.checkpoint_gate)."
	}
	n++
	g.changes[session] = n
	if n%after == 0 {
		return due(n), ""
	}
	return "", ""
}

func due(changes int) string {
	return fmt.Sprintf("Changes since the last checkpoint of this session: %d. Save one with memory_checkpoint (goal, work done, work pending, decisions).", changes)
}

// pass lets the session go on after a checkpoint.
func (g *gates) pass(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.changes, session)
}
