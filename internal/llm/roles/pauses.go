package roles

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"codememory"
	"codememory/internal/llm"
)

// How long a provider is left alone after a failure.
const (
	firstRest = 30 * time.Second
	lastRest  = 10 * time.Minute
	authRest  = 10 * time.Minute // a person has to act
)

// pauses remembers which providers are better left alone for now, so that a
// server that is down is not asked by everybody in turn.
type pauses struct {
	now   func() time.Time
	mu    sync.Mutex
	known map[string]rest
}

type rest struct {
	until    time.Time
	failures int
	reason   string
	class    llm.Class
}

// note takes a failure into account. A bad or refused answer says nothing
// about the provider.
func (p *pauses) note(provider string, err error) {
	class := llm.ClassOf(err)
	if class != llm.Infrastructure && class != llm.Auth {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]rest{}
	}
	r := p.known[provider]
	wait := min(firstRest<<min(r.failures, 10), lastRest)
	if class == llm.Auth {
		wait = authRest
	}
	if e, ok := errors.AsType[*llm.Error](err); ok && e.RetryAfter > 0 {
		wait = e.RetryAfter
	}
	p.known[provider] = rest{until: p.now().Add(wait), failures: r.failures + 1, reason: err.Error(), class: class}
}

func (p *pauses) clear(provider string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, provider)
}

func (p *pauses) clearAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.known)
}

// check fails while a provider is left alone.
func (p *pauses) check(provider string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.known[provider]
	if !ok || !p.now().Before(r.until) {
		return nil
	}
	return &llm.Error{Class: llm.Infrastructure, Unreachable: true, RetryAfter: r.until.Sub(p.now()), Message: fmt.Sprintf("not asked until %s: %s", r.until.Format(time.TimeOnly), r.reason)}
}

// Resume lets every provider be asked again at once.
func (c *Caller) Resume() { c.pauses.clearAll() }

// Paused says until when nobody can be asked for a role, and why; the zero time
// means that somebody can.
func (c *Caller) Paused(role llm.Role) (until time.Time, reason string) {
	for _, t := range c.opts.Roles[role].Chain {
		err := c.pauses.check(t.Name)
		if err == nil {
			return time.Time{}, ""
		}
		e, _ := errors.AsType[*llm.Error](err)
		if at := c.opts.Now().Add(e.RetryAfter); until.IsZero() || at.Before(until) {
			until, reason = at, e.Message
		}
	}
	return until, reason
}

// Status says who is asked for what.
func (c *Caller) Status() []codememory.RoleStatus {
	out := []codememory.RoleStatus{}
	for _, role := range llm.Roles {
		if !c.Has(role) {
			continue
		}
		s := codememory.RoleStatus{Role: string(role)}
		for _, t := range c.opts.Roles[role].Chain {
			s.Chain = append(s.Chain, t.label())
		}
		_, s.Paused = c.Paused(role)
		out = append(out, s)
	}
	return out
}

// Targets returns every provider that some role asks, once.
func (c *Caller) Targets() []Target {
	var out []Target
	for _, role := range llm.Roles {
		for _, t := range c.opts.Roles[role].Chain {
			if !slices.ContainsFunc(out, func(o Target) bool { return o.Name == t.Name }) {
				out = append(out, t)
			}
		}
	}
	return out
}
