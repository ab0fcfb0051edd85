package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"codememory"
	"codememory/internal/capture"
	"codememory/internal/extract"
	"codememory/internal/session"
	"codememory/internal/store"
)

// keepFound stores what the rules find in a captured turn. It may be told the
// same turn twice.
func (s *Service) keepFound(ctx context.Context, c capture.Captured) error {
	at := c.Turn.EndedAt
	if at.IsZero() {
		at = c.Turn.StartedAt
	}
	k := keeper{s: s, project: c.Place.Project, at: at}
	var errs []error
	for _, candidate := range extract.Turn(c.Earlier, c.Turn) {
		r := candidate.Request()
		r.Project, r.CreatedAt = c.Place.Project.ID, at
		r.Source.Agent, r.Source.Session = c.Turn.Agent, c.Turn.Session
		if err := k.keep(ctx, candidate, r); err != nil && codememory.CodeOf(err) != codememory.Invalid {
			errs = append(errs, fmt.Errorf("rule %s: %w", candidate.Rule, err))
		}
	}
	return errors.Join(errs...)
}

// keepDecisions makes memories of the decisions in a checkpoint. The record of
// the session holds them in any case.
func (s *Service) keepDecisions(ctx context.Context, p codememory.Project, c session.Checkpoint) {
	for _, found := range extract.Decided(c.Decisions) {
		r := found.Request()
		r.Project, r.CreatedAt = p.ID, c.At
		r.Source.Agent, r.Source.Session = c.Agent, c.Session
		if _, err := s.Add(ctx, r); err != nil {
			s.opts.Log.Warn("decision of a checkpoint not kept", "project", p.ID, "session", c.Session, "err", err)
		}
	}
}

// keeper stores candidates in one store.
type keeper struct {
	s       *Service
	project codememory.Project
	at      time.Time // when it was said or done
}

// in lets fn work with the store. It must not ask the service, which would
// open the store a second time.
func (k keeper) in(ctx context.Context, fn func(*store.Store) error) error {
	st, release, err := k.s.storeOf(ctx, k.project)
	if err != nil {
		return err
	}
	defer release()
	return fn(st)
}

func (k keeper) keep(ctx context.Context, c extract.Candidate, r codememory.AddRequest) error {
	switch {
	case c.Quarantine != "":
	case c.Rule == extract.RuleCommand:
		return k.keepCommand(ctx, c, r)
	case c.Key != "":
		return k.keepOnce(ctx, c, r)
	case c.Subject != "":
		return k.keepDecided(ctx, c, r)
	case c.Corrects != nil:
		return k.keepCorrected(ctx, c, r)
	}
	_, err := k.s.Add(ctx, r)
	return err
}

// keepDecided stores what answers a question that has one answer at a time: it
// replaces the answers before it, and is left alone by those after it.
func (k keeper) keepDecided(ctx context.Context, c extract.Candidate, r codememory.AddRequest) error {
	same, err := k.made(ctx, func(old extract.Candidate) bool { return old.Subject == c.Subject })
	if err != nil {
		return err
	}
	for _, old := range same {
		switch other := extract.CandidateOf(old); {
		case old.Source.Session == r.Source.Session && slices.Equal(old.Source.Turns, r.Source.Turns) && old.Text == r.Text:
			return nil // told twice
		case old.State() != codememory.Active:
		case !c.Replaces(other):
			return nil // known
		case old.CreatedAt.After(k.at):
			return nil // somebody said otherwise since
		default:
			r.Supersedes = append(r.Supersedes, codememory.Supersession{ID: old.ID, Reason: "the user decided otherwise: " + c.Subject})
		}
	}
	if known, err := k.worded(ctx, r.Text); err != nil || known {
		return err
	}
	// Compared by its subject; by its words "function names" would pass for
	// "function argument names".
	r.Verbatim = true
	_, err = k.s.Add(ctx, r)
	return err
}

// worded reports whether a text must not be stored because it is known, or
// because somebody forgot or purged it: it stays so until the user himself
// writes it.
func (k keeper) worded(ctx context.Context, text string) (known bool, err error) {
	err = k.in(ctx, func(st *store.Store) error {
		id, purged, err := st.FindText(ctx, text)
		if err != nil || id == "" {
			known = purged
			return err
		}
		old, err := st.Get(ctx, id)
		known = old.State() != codememory.Superseded // true again
		return err
	})
	return known, err
}

// keepOnce stores what a project needs to know once, by its key.
func (k keeper) keepOnce(ctx context.Context, c extract.Candidate, r codememory.AddRequest) error {
	same, err := k.made(ctx, func(old extract.Candidate) bool { return old.Key == c.Key })
	if err != nil || len(same) > 0 {
		return err // whatever became of it
	}
	_, err = k.s.Add(ctx, r)
	return err
}

// made returns the memories in any state that rules made and for which fits
// reports true, last updated first.
func (k keeper) made(ctx context.Context, fits func(extract.Candidate) bool) ([]codememory.Memory, error) {
	var found []codememory.Memory
	filter := codememory.Filter{States: codememory.AnyState, Types: []codememory.Type{
		codememory.LearnedPattern, codememory.Preference, codememory.Architecture, codememory.ErrorSolution,
	}}
	err := k.in(ctx, func(st *store.Store) error {
		return eachListed(ctx, st, filter, func(m codememory.Memory) {
			if m.Source.Rule != "" && fits(extract.CandidateOf(m)) {
				found = append(found, m)
			}
		})
	})
	return found, err
}
