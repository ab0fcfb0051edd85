package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/memfile"
	"codememory/internal/store"
)

// Add implements codememory.Service.
func (s *Service) Add(ctx context.Context, r codememory.AddRequest) (codememory.AddResult, error) {
	p, m, redacted, err := s.prepare(ctx, r)
	if err != nil {
		return codememory.AddResult{}, err
	}
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return codememory.AddResult{}, err
	}
	defer release()
	if err := s.resolveTargets(ctx, st, &m); err != nil {
		return codememory.AddResult{}, err
	}
	// The vector is needed to tell whether the fact is known in other words.
	// Without a model the memory is saved all the same and embedded later.
	var embedding []codememory.MemoryEmbedding
	if s.embedder != nil {
		embedding, err = s.embed(ctx, []codememory.Memory{m})
		if err != nil && codememory.CodeOf(err) != codememory.Unavailable {
			return codememory.AddResult{}, err
		}
	}
	res, err := s.addOne(ctx, st, m, embedding, r.Verbatim)
	res.Redacted = redacted
	return res, err
}

// addOne stores m unless the store knows it already.
func (s *Service) addOne(ctx context.Context, st *store.Store, m codememory.Memory, embedding []codememory.MemoryEmbedding, verbatim bool) (codememory.AddResult, error) {
	var none codememory.AddResult
	verdict := verdict{}
	if !verbatim && s.opts.Config.Config.Lifecycle.Dedupe {
		var err error
		if verdict, err = s.compare(ctx, st, m, embedding); err != nil {
			return none, err
		}
	}
	switch verdict.event {
	case codememory.Unchanged:
		old, err := st.Get(ctx, verdict.id)
		if err != nil && verdict.id != "" {
			return none, err
		}
		if verdict.agrees {
			if old, err = s.corroborate(ctx, st, old, m); err != nil {
				return none, err
			}
		}
		return codememory.AddResult{Memory: old, Event: codememory.Unchanged, Reason: verdict.reason}, nil
	case codememory.Updated:
		old, err := s.reword(ctx, st, verdict, m)
		if err != nil {
			return none, err
		}
		if len(embedding) > 0 {
			embedding[0].ID = old.ID
			err = st.SaveEmbeddings(ctx, s.model().ID, embedding)
		}
		return codememory.AddResult{Memory: old, Event: codememory.Updated, Reason: verdict.reason}, err
	default:
	}
	m.Links = append(m.Links, verdict.links...)
	if err := s.saveNew(ctx, st, &m); err != nil {
		return none, err
	}
	if len(embedding) > 0 {
		embedding[0].ID = m.ID
		if err := st.SaveEmbeddings(ctx, s.model().ID, embedding); err != nil {
			return none, err
		}
	}
	if err := s.ageAfter(ctx, st, m.Type); err != nil {
		return none, err
	}
	saved, err := st.Get(ctx, m.ID)
	return codememory.AddResult{Memory: saved, Event: codememory.Added}, err
}

// saveNew gives m an id whose shown form is not taken, and saves it.
func (s *Service) saveNew(ctx context.Context, st *store.Store, m *codememory.Memory) error {
	for m.ID == "" {
		id := codememory.NewID(m.CreatedAt)
		_, err := st.Resolve(ctx, codememory.ShortID(id))
		switch codememory.CodeOf(err) {
		case codememory.NotFound:
			m.ID = id
		case codememory.Conflict:
		default:
			if err != nil {
				return err
			}
		}
	}
	return st.Save(ctx, *m)
}

// reword gives an existing memory a new text and keeps the old one as a revision.
func (s *Service) reword(ctx context.Context, st *store.Store, v verdict, m codememory.Memory) (codememory.Memory, error) {
	return st.Update(ctx, v.id, func(old *codememory.Memory) error {
		now := s.opts.Now()
		if m.Text != old.Text {
			old.Revisions = append(old.Revisions, codememory.Revision{Text: old.Text, Until: now, Reason: v.reason})
			old.Text, old.Entities = m.Text, m.Entities
		}
		before := old.Source
		old.UpdatedAt, old.Source, old.Files = now, m.Source, m.Files
		switch {
		case !v.agrees:
			old.Seen = nil // they said something else
		default:
			old.Corroborate(before)
		}
		old.Forgotten, old.Archived, old.Quarantine = nil, false, ""
		old.Pinned = old.Pinned || m.Pinned
		old.Importance = max(old.Importance, m.Importance)
		old.Supersedes = mergeSupersessions(old.Supersedes, m.Supersedes)
		for k, v := range m.Metadata {
			if old.Metadata == nil {
				old.Metadata = map[string]any{}
			}
			old.Metadata[k] = v
		}
		return nil
	})
}

// prepare turns a request into a clean record and says where it belongs.
func (s *Service) prepare(ctx context.Context, r codememory.AddRequest) (codememory.Project, codememory.Memory, []string, error) {
	var none codememory.Memory
	p, err := s.target(ctx, r.Project, r.Scope)
	if err != nil {
		return p, none, nil, err
	}
	if s.redactor.FullyPrivate(r.Text) && strings.TrimSpace(r.Text) != "" {
		return p, none, nil, codememory.Errorf(codememory.Invalid, "nothing is left of the text without what is private or secret in it: it was not stored")
	}
	found := findings{}
	now := s.opts.Now()
	m := codememory.Memory{
		Text: memfile.CleanText(found.redact(s, r.Text)), Type: r.Type, Category: r.Category, Pinned: r.Pinned, Source: r.Source,
		Supersedes: r.Supersedes, Entities: r.Entities, Links: r.Links, CreatedAt: now, UpdatedAt: now, Scope: codememory.ScopeProject,
	}
	if isUser(p) {
		m.Scope = codememory.ScopeUser
	}
	if !r.CreatedAt.IsZero() {
		m.CreatedAt = r.CreatedAt
		m.UpdatedAt = r.CreatedAt
	}
	m.Source.Excerpt = found.redact(s, m.Source.Excerpt)
	m.Quarantine = oneLine(found.redact(s, r.Quarantine))
	if m.Source.Author == "" {
		m.Source.Author = codememory.AuthorUser
	}
	if m.Metadata, err = cleanMetadata(s, r.Metadata); err != nil {
		return p, none, nil, err
	}
	if m.Type == "" {
		m.Type = codememory.TypeOf(m.Category)
	}
	m.Importance = codememory.DefaultImportance(m.Type, m.Category)
	if r.Importance != nil {
		m.Importance = *r.Importance
	}
	for i := range m.Entities {
		m.Entities[i].Name = strings.ToLower(strings.TrimSpace(m.Entities[i].Name))
	}
	for i := range m.Supersedes {
		m.Supersedes[i].Reason = found.redact(s, m.Supersedes[i].Reason)
	}
	for i := range m.Links {
		if !m.Links[i].Type.Valid() {
			return p, none, nil, codememory.Errorf(codememory.Invalid, "unknown link type %q", m.Links[i].Type)
		}
		m.Links[i].Reason = found.redact(s, m.Links[i].Reason)
	}
	if !isUser(p) {
		m.Files = s.cite(p.Root, m.Text)
	}
	return p, m, found.rules, m.Validate()
}

// target decides in which store a new memory goes.
func (s *Service) target(ctx context.Context, ref string, scope codememory.Scope) (codememory.Project, error) {
	if scope == codememory.ScopeUser {
		ref = codememory.UserProject
	}
	p, err := s.find(ctx, ref)
	if err != nil {
		return p, err
	}
	if scope == codememory.ScopeProject && isUser(p) {
		return p, codememory.Errorf(codememory.Invalid, "%s is not a project: go to its folder, or remember it for yourself with scope user", orHere(ref))
	}
	return p, nil
}

// oneLine keeps a reason on the one line that it has in a file's head.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func orHere(ref string) string {
	if ref == "" {
		return "this place"
	}
	return ref
}

// findings gathers which rules removed a secret from the texts of one request.
type findings struct{ rules []string }

func (f *findings) redact(s *Service, text string) string {
	out, found := s.redactor.Text(text)
	for _, x := range found {
		if !slices.Contains(f.rules, x.Rule) {
			f.rules = append(f.rules, x.Rule)
		}
	}
	return out
}

// cleanMetadata redacts metadata and gives its numbers the type that they have
// after a round trip through JSON.
func cleanMetadata(s *Service, meta map[string]any) (map[string]any, error) {
	if len(meta) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(meta)
	if err != nil {
		return nil, codememory.Errorf(codememory.Invalid, "metadata cannot be stored: %w", err)
	}
	if len(b) > codememory.MaxTextBytes {
		return nil, codememory.Errorf(codememory.TooLarge, "metadata is %d bytes, at most %d are kept", len(b), codememory.MaxTextBytes)
	}
	var plain map[string]any
	if err := json.Unmarshal(b, &plain); err != nil {
		return nil, err
	}
	clean, ok := s.redactor.Value(plain).(map[string]any)
	if !ok {
		return nil, errors.New("redacted metadata is no object")
	}
	return clean, nil
}

// resolveTargets completes the ids of what m supersedes and links to.
func (s *Service) resolveTargets(ctx context.Context, st *store.Store, m *codememory.Memory) error {
	for i := range m.Supersedes {
		id, err := st.Resolve(ctx, m.Supersedes[i].ID)
		if err != nil {
			return fmt.Errorf("supersede it: %w: codememory list shows those that are", err)
		}
		m.Supersedes[i].ID = id
	}
	for i := range m.Links {
		id, err := st.Resolve(ctx, m.Links[i].To)
		if err != nil {
			return fmt.Errorf("link: %w", err)
		}
		m.Links[i].To = id
	}
	return nil
}

func mergeSupersessions(old, more []codememory.Supersession) []codememory.Supersession {
	for _, x := range more {
		if !slices.ContainsFunc(old, func(o codememory.Supersession) bool { return o.ID == x.ID }) {
			old = append(old, x)
		}
	}
	return old
}

// AddMany implements codememory.Service. Vectors follow in the background.
func (s *Service) AddMany(ctx context.Context, rs []codememory.AddRequest) ([]codememory.AddResult, error) {
	if len(rs) == 1 {
		res, err := s.Add(ctx, rs[0])
		return []codememory.AddResult{res}, err
	}
	type group struct {
		p  codememory.Project
		at []int // positions in rs
	}
	ms := make([]codememory.Memory, len(rs))
	out := make([]codememory.AddResult, len(rs))
	var groups []*group
	byID := map[string]*group{}
	for i, r := range rs {
		p, m, redacted, err := s.prepare(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("memory %d: %w", i+1, err)
		}
		ms[i], out[i].Redacted = m, redacted
		g := byID[p.ID]
		if g == nil {
			g = &group{p: p}
			byID[p.ID] = g
			groups = append(groups, g)
		}
		g.at = append(g.at, i)
	}
	for _, g := range groups {
		err := func() error {
			st, release, err := s.storeOf(ctx, g.p)
			if err != nil {
				return err
			}
			defer release()
			return s.addBatch(ctx, st, rs, ms, out, g.at)
		}()
		if err != nil {
			return nil, err
		}
	}
	s.backlog.wake()
	return out, nil
}

// addBatch stores the memories at the given positions in one go, leaving out
// those whose wording is known.
func (s *Service) addBatch(ctx context.Context, st *store.Store, rs []codememory.AddRequest, ms []codememory.Memory, out []codememory.AddResult, at []int) error {
	var fresh []codememory.Memory
	var freshAt []int
	shorts, texts := map[string]bool{}, map[string]int{}
	for _, i := range at {
		m := &ms[i]
		if err := s.resolveTargets(ctx, st, m); err != nil {
			return fmt.Errorf("memory %d: %w", i+1, err)
		}
		if !rs[i].Verbatim && s.opts.Config.Config.Lifecycle.Dedupe {
			v, err := s.compareWording(ctx, st, *m)
			if err != nil {
				return err
			}
			key := normalized(m.Text)
			if first, twice := texts[key]; twice {
				out[i] = codememory.AddResult{Memory: ms[first], Event: codememory.Unchanged, Reason: "it is in the batch twice", Redacted: out[i].Redacted}
				continue
			}
			if v.event == codememory.Unchanged {
				old, err := st.Get(ctx, v.id)
				if err != nil && v.id != "" {
					return err
				}
				if v.agrees {
					if old, err = s.corroborate(ctx, st, old, *m); err != nil {
						return err
					}
				}
				out[i] = codememory.AddResult{Memory: old, Event: v.event, Reason: v.reason, Redacted: out[i].Redacted}
				continue
			}
			texts[key] = i
		}
		for m.ID == "" || shorts[codememory.ShortID(m.ID)] {
			m.ID = codememory.NewID(m.CreatedAt)
		}
		shorts[codememory.ShortID(m.ID)] = true
		fresh, freshAt = append(fresh, *m), append(freshAt, i)
	}
	const batch = 1000
	for len(fresh) > 0 {
		n := min(batch, len(fresh))
		if err := st.Save(ctx, fresh[:n]...); err != nil {
			return err
		}
		for k, i := range freshAt[:n] {
			ms[i] = fresh[k]
			out[i] = codememory.AddResult{Memory: fresh[k], Event: codememory.Added, Redacted: out[i].Redacted}
		}
		fresh, freshAt = fresh[n:], freshAt[n:]
	}
	return nil
}

// Import implements codememory.Service.
func (s *Service) Import(ctx context.Context, ref string, ms []codememory.Memory) ([]codememory.AddResult, error) {
	p, err := s.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return nil, err
	}
	defer release()
	ids := make([]string, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	known, err := st.GetMany(ctx, ids)
	if err != nil {
		return nil, err
	}
	have := map[string]codememory.Memory{}
	for _, m := range known {
		have[m.ID] = m
	}
	out := make([]codememory.AddResult, len(ms))
	var fresh []codememory.Memory
	for i, m := range ms {
		if old, ok := have[m.ID]; ok {
			out[i] = codememory.AddResult{Memory: old, Event: codememory.Unchanged, Reason: "its id is known"}
			continue
		}
		clean, redacted, err := s.cleanImport(m)
		if err != nil {
			return nil, fmt.Errorf("memory %d: %w", i+1, err)
		}
		clean.Scope = codememory.ScopeProject
		if isUser(p) {
			clean.Scope = codememory.ScopeUser
		}
		have[clean.ID] = clean
		fresh = append(fresh, clean)
		out[i] = codememory.AddResult{Memory: clean, Event: codememory.Added, Redacted: redacted}
	}
	return out, st.Save(ctx, fresh...)
}

// cleanImport redacts a whole record and fills in what an outside source may lack.
func (s *Service) cleanImport(m codememory.Memory) (codememory.Memory, []string, error) {
	var found findings
	m.Text = found.redact(s, m.Text)
	m.Source.Excerpt = found.redact(s, m.Source.Excerpt)
	m.Quarantine = oneLine(found.redact(s, m.Quarantine))
	m.Revisions = slices.Clone(m.Revisions)
	for i := range m.Revisions {
		m.Revisions[i].Text = found.redact(s, m.Revisions[i].Text)
	}
	meta, err := cleanMetadata(s, m.Metadata)
	if err != nil {
		return m, nil, err
	}
	m.Metadata = meta
	if m.Source.Author == "" {
		m.Source.Author = codememory.AuthorImport
	}
	if m.Type == "" {
		m.Type = codememory.TypeOf(m.Category)
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = s.opts.Now()
	}
	if m.UpdatedAt.Before(m.CreatedAt) {
		m.UpdatedAt = m.CreatedAt
	}
	if m.ID == "" {
		m.ID = codememory.NewID(m.CreatedAt)
	}
	return m, found.rules, nil
}
