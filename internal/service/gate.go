package service

import (
	"fmt"
	"sync"
)

// gates counts what a session changed since its last checkpoint and remembers
// what it was told, as long as the daemon runs.
type gates struct {
	mu       sync.Mutex
	sessions map[string]*gate
}

type gate struct {
	changes int
	told    map[string]bool
}

// keptGates bounds how many sessions are remembered; all are dropped then, so
// that at worst a line is said twice.
const keptGates = 500

func (g *gates) of(session string) *gate {
	if g.sessions == nil || len(g.sessions) > keptGates {
		g.sessions = map[string]*gate{}
	}
	if g.sessions[session] == nil {
		g.sessions[session] = &gate{told: map[string]bool{}}
	}
	return g.sessions[session]
}

// step counts a change and says what the gate has to say about it. mode is
// off, remind or deny, after is how many changes call for a checkpoint.
func (g *gates) step(session, mode string, after int) (remind, refuse string) {
	if mode == "off" || mode == "" || after <= 0 {
		return "", ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of(session)
	s.changes++
	switch {
	case mode == "deny" && s.changes > refusesAtTimes*after:
		s.changes-- // what is refused changes nothing
		return "", due(s.changes) + " Until then nothing more is changed; reading is free. The user asked for this (hooks.checkpoint_gate)."
	case s.changes%after == 0:
		return due(s.changes), ""
	}
	return "", ""
}

func due(changes int) string {
	return fmt.Sprintf("%d changes since the last checkpoint of this session: save one with memory_checkpoint (goal, work done, work pending, decisions).", changes)
}

// pass lets the session go on after a checkpoint.
func (g *gates) pass(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of(session).changes = 0
}

func (g *gates) mention(session, id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of(session).told[id] = true
}

func (g *gates) mentioned(session, id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.of(session).told[id]
}
