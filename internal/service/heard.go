package service

import (
	"context"
	"strings"
	"time"

	"codememory"
)

// lastEvent is under which the last event of an agent is noted, so that a
// person can see whether its hooks work.
const lastEvent = "event:"

// noteEvent remembers that an agent's hook or plugin was heard of.
func (s *Service) noteEvent(ctx context.Context, p codememory.Poke) error {
	if p.Agent == "" {
		return nil
	}
	return s.agents.history.SetMeta(ctx, lastEvent+p.Agent, s.opts.Now().UTC().Format(time.RFC3339)+" "+p.Event)
}

// heard returns when an agent was last heard of, and what it said.
func (s *Service) heard(ctx context.Context, agent string) (at time.Time, event string, err error) {
	noted, err := s.agents.history.Meta(ctx, lastEvent+agent)
	if err != nil || noted == "" {
		return at, "", err
	}
	when, event, _ := strings.Cut(noted, " ")
	at, err = time.Parse(time.RFC3339, when)
	return at, event, err
}
