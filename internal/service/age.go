package service

import (
	"context"
	"slices"

	"codememory"
	"codememory/internal/lifecycle"
	"codememory/internal/store"
)

const (
	maxSummaries   = 3    // session summaries that stay as they are; older ones become one
	condensedBytes = 2000 // of what is left of them
	condensedMark  = "condensed"
)

// aged is what ageing did, or would do.
type aged struct {
	archived  []string
	condensed string
}

// newestOnly are the types of which only the latest word is true.
var newestOnly = []codememory.Type{codememory.Progress, codememory.ActiveContext}

// ageAfter puts aside what a new memory of a type made old.
func (s *Service) ageAfter(ctx context.Context, st *store.Store, t codememory.Type) error {
	if !slices.Contains(newestOnly, t) {
		return nil
	}
	_, err := s.keepNewest(ctx, st, t, false)
	return err
}

// age puts aside what is old by its nature. Originals are archived, never deleted.
func (s *Service) age(ctx context.Context, st *store.Store, dry bool) (aged, error) {
	var out aged
	for _, t := range newestOnly {
		ids, err := s.keepNewest(ctx, st, t, dry)
		if err != nil {
			return out, err
		}
		out.archived = append(out.archived, ids...)
	}
	return out, s.condense(ctx, st, dry, &out)
}

// keepNewest archives all memories of a type but the newest and the pinned ones.
func (s *Service) keepNewest(ctx context.Context, st *store.Store, t codememory.Type, dry bool) ([]string, error) {
	ms, err := st.Newest(ctx, codememory.Filter{Types: []codememory.Type{t}}, 1000)
	if err != nil || len(ms) < 2 {
		return nil, err
	}
	return s.archive(ctx, st, ms[1:], dry)
}

func (s *Service) archive(ctx context.Context, st *store.Store, ms []codememory.Memory, dry bool) ([]string, error) {
	var ids []string
	for _, m := range ms {
		if m.Pinned {
			continue
		}
		ids = append(ids, m.ID)
		if dry {
			continue
		}
		if _, err := st.Update(ctx, m.ID, func(m *codememory.Memory) error { m.Archived = true; return nil }); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// condense turns all but the newest session summaries into one short one, which
// takes in what was condensed before.
func (s *Service) condense(ctx context.Context, st *store.Store, dry bool, out *aged) error {
	all, err := st.Newest(ctx, codememory.Filter{Types: []codememory.Type{codememory.SessionSummary}}, 1000)
	if err != nil {
		return err
	}
	var before, summaries []codememory.Memory
	for _, m := range all {
		switch {
		case m.Metadata[condensedMark] != nil:
			before = append(before, m)
		case !m.Pinned:
			summaries = append(summaries, m)
		}
	}
	if len(summaries) <= maxSummaries {
		return nil
	}
	old := summaries[maxSummaries:] // newest first
	texts := make([]string, 0, len(old)+len(before))
	for _, m := range slices.Concat(old, before) {
		texts = append(texts, m.Text)
	}
	slices.Reverse(texts)
	if !dry {
		said, err := s.condenser(ctx, st).Condense(ctx, texts, condensedBytes)
		if err != nil {
			return err
		}
		if out.condensed, err = s.saveCondensed(ctx, st, s.redactor.String(said), old, before); err != nil {
			return err
		}
	}
	ids, err := s.archive(ctx, st, old, dry)
	out.archived = append(out.archived, ids...)
	return err
}

// condenser is who shortens the old summaries of a store.
func (s *Service) condenser(ctx context.Context, st *store.Store) lifecycle.Judge {
	p, err := s.find(ctx, st.Project())
	if err != nil {
		return lifecycle.Rules{}
	}
	return s.judgeFor(p)
}

func (s *Service) saveCondensed(ctx context.Context, st *store.Store, said string, old, before []codememory.Memory) (string, error) {
	if said == "" {
		return "", nil
	}
	at := old[0].CreatedAt
	m := codememory.Memory{
		Text: said, Type: codememory.SessionSummary, Scope: st.Scope(), CreatedAt: at, UpdatedAt: at,
		Importance: codememory.DefaultImportance(codememory.SessionSummary, ""),
		Source:     codememory.Source{Agent: old[0].Source.Agent, Author: codememory.AuthorExtractor},
		Metadata:   map[string]any{condensedMark: float64(len(old) + len(before))},
	}
	for _, o := range old {
		m.Corroborate(o.Source)
	}
	for _, b := range before {
		m.Supersedes = append(m.Supersedes, codememory.Supersession{ID: b.ID, Reason: "condensed again with newer summaries"})
	}
	if err := s.saveNew(ctx, st, &m); err != nil {
		return "", err
	}
	return m.ID, nil
}
