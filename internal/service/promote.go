package service

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"codememory"
	"codememory/internal/lifecycle"
	"codememory/internal/store"
)

// aboutUser matches what somebody says about himself, or what is written about
// the user; "we prefer" is about a team.
var aboutUser = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^\pL'])(i|i'm|i'd|i've|my|me|mine)([^\pL']|$)|^(the )?users?('s)?\s`)
})

// promotedTo is where an archived memory says what it became.
const promotedTo = "promoted_to"

// Promote implements codememory.LifecycleService. What a project captured stays
// there; it becomes the user's only when it is plainly about the user and more
// than one project heard it, or when the user says so.
func (s *Service) Promote(ctx context.Context, ref codememory.Ref, confirmed bool) (out codememory.Promotion, err error) {
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		m, err := st.Get(ctx, id)
		if err != nil {
			return err
		}
		shown := codememory.ShownID(id)
		switch {
		case st.Scope() == codememory.ScopeUser:
			return codememory.Errorf(codememory.Conflict, "%s is yours already: it holds in every project", shown)
		case m.State() != codememory.Active:
			return codememory.Errorf(codememory.Conflict, "%s is %s: bring it back first", shown, m.State())
		}
		also, err := s.saidElsewhere(ctx, m)
		if err != nil {
			return err
		}
		if !confirmed {
			if err := mayPromote(m, len(also)); err != nil {
				return err
			}
		}
		res, err := s.addToUser(ctx, m, confirmed)
		if err != nil {
			return err
		}
		out = codememory.Promotion{Memory: res.Memory, Event: res.Event, From: id}
		if err := archivePromoted(ctx, st, id, res.Memory.ID); err != nil {
			return err
		}
		for _, e := range also {
			out.Projects = append(out.Projects, e.project.Name)
			if err := s.inStore(ctx, e.project, func(other *store.Store) error { return archivePromoted(ctx, other, e.id, res.Memory.ID) }); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// mayPromote says why a memory may not become the user's by itself.
func mayPromote(m codememory.Memory, elsewhere int) error {
	shown := codememory.ShownID(m.ID)
	switch {
	case m.Type != codememory.Preference:
		return codememory.Errorf(codememory.Conflict, "%s is a %s of this project, not a preference: promote it with --yes if it holds in all your projects", shown, m.Type)
	case !aboutUser().MatchString(m.Text):
		return codememory.Errorf(codememory.Conflict, "%s does not speak of you: promote it with --yes if it holds in all your projects", shown)
	case elsewhere == 0:
		return codememory.Errorf(codememory.Conflict, "%s was said in one project only: promote it with --yes if it holds in all your projects", shown)
	}
	return nil
}

func (s *Service) addToUser(ctx context.Context, m codememory.Memory, confirmed bool) (codememory.AddResult, error) {
	r := codememory.AddRequest{
		Scope: codememory.ScopeUser, Text: m.Text, Type: m.Type, Category: m.Category, Importance: &m.Importance, Pinned: m.Pinned,
		Source: m.Source, Metadata: m.Metadata, CreatedAt: m.CreatedAt,
	}
	if confirmed {
		r.Source.Author = codememory.AuthorUser
	}
	res, err := s.Add(ctx, r)
	if err == nil && res.Memory.State() != codememory.Active {
		err = codememory.Errorf(codememory.Conflict, "not promoted: %s", res.Reason)
	}
	return res, err
}

func archivePromoted(ctx context.Context, st *store.Store, id, to string) error {
	_, err := st.Update(ctx, id, func(m *codememory.Memory) error {
		m.Archived = true
		if m.Metadata == nil {
			m.Metadata = map[string]any{}
		}
		m.Metadata[promotedTo] = to
		return nil
	})
	return err
}

// echo is a memory of another project that says the same.
type echo struct {
	project codememory.Project
	id      string
}

// saidElsewhere finds the active preferences of other projects that say the same as m.
func (s *Service) saidElsewhere(ctx context.Context, m codememory.Memory) ([]echo, error) {
	ps, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	var out []echo
	for _, p := range ps {
		if isUser(p) || p.ID == m.Project || !s.hasStore(p) {
			continue
		}
		err := s.inStore(ctx, p, func(st *store.Store) error {
			ms, err := st.Newest(ctx, codememory.Filter{Types: []codememory.Type{m.Type}}, 200)
			if at := slices.IndexFunc(ms, func(o codememory.Memory) bool { return lifecycle.Same(o.Text, m.Text) }); at >= 0 {
				out = append(out, echo{p, ms[at].ID})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inStore calls fn with the store of a project.
func (s *Service) inStore(ctx context.Context, p codememory.Project, fn func(*store.Store) error) error {
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return err
	}
	defer release()
	return fn(st)
}

func echoes(es []echo) string {
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.project.Name
	}
	return strings.Join(names, ", ")
}
