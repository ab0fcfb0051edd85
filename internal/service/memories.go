package service

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"codememory"
	"codememory/internal/memfile"
	"codememory/internal/store"
)

// with finds the store that holds a memory and calls fn with its full id.
func (s *Service) with(ctx context.Context, ref codememory.Ref, fn func(st *store.Store, id string) error) error {
	if _, ok := codememory.NormalizeIDPrefix(ref.ID); !ok {
		return codememory.Errorf(codememory.Invalid, "%q is not an id of a memory: ids look like mem_3f9a01bc", ref.ID)
	}
	ps, err := s.places(ctx, ref.Project)
	if err != nil {
		return err
	}
	for _, p := range ps {
		found, err := s.tryIn(ctx, p, ref.ID, fn)
		if err != nil || found {
			return err
		}
	}
	return codememory.Errorf(codememory.NotFound, "no memory %s in %s: codememory list shows those that are here", ref.ID, placesSearched(ps))
}

// places lists where to look for a memory: in the named project and the
// user's store, or everywhere.
func (s *Service) places(ctx context.Context, ref string) ([]codememory.Project, error) {
	everywhere, err := s.all(ctx)
	if err != nil || ref == "" {
		return everywhere, err
	}
	p, err := s.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	if isUser(p) {
		return everywhere[:1], nil
	}
	return []codememory.Project{p, everywhere[0]}, nil
}

func placesSearched(ps []codememory.Project) string {
	if len(ps) == 1 {
		return "your own store"
	}
	if len(ps) == 2 && isUser(ps[1]) {
		return ps[0].Name + " and your own store"
	}
	return fmt.Sprintf("any of %d stores", len(ps))
}

func (s *Service) tryIn(ctx context.Context, p codememory.Project, prefix string, fn func(*store.Store, string) error) (found bool, err error) {
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return false, err
	}
	defer release()
	id, err := st.Resolve(ctx, prefix)
	if codememory.CodeOf(err) == codememory.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, fn(st, id)
}

// Get implements codememory.Service.
func (s *Service) Get(ctx context.Context, ref codememory.Ref) (m codememory.Memory, err error) {
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		if m, err = st.Get(ctx, id); err != nil {
			return err
		}
		if m.Links, err = st.Links(ctx, id); err != nil {
			return err
		}
		s.markFiles(s.rootOf(ctx, st), &m)
		return st.Touch(ctx, codememory.UsageUsed, s.opts.Now(), id)
	})
	return m, err
}

// List implements codememory.Service.
func (s *Service) List(ctx context.Context, r codememory.ListRequest) (codememory.MemoryPage, error) {
	ps, err := s.reach(ctx, r.Project, r.Reach, codememory.ReachProject)
	if err != nil {
		return codememory.MemoryPage{}, err
	}
	if len(ps) == 1 {
		return s.listIn(ctx, ps[0], r.Filter, r.PageRequest)
	}
	return s.listAcross(ctx, ps, r)
}

func (s *Service) listIn(ctx context.Context, p codememory.Project, f codememory.Filter, page codememory.PageRequest) (codememory.MemoryPage, error) {
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return codememory.MemoryPage{}, err
	}
	defer release()
	return st.List(ctx, f, page)
}

// listAcross merges the listings of several stores by time. Its cursor is the
// time and id of the last memory shown.
func (s *Service) listAcross(ctx context.Context, ps []codememory.Project, r codememory.ListRequest) (codememory.MemoryPage, error) {
	limit := r.Limit
	if limit <= 0 {
		limit = 50
	}
	if r.Offset > 0 && r.Cursor == "" {
		return s.listFrom(ctx, ps, r, limit)
	}
	f := r.Filter
	var after mark
	if r.Cursor != "" {
		var err error
		if after, err = parseMark(r.Cursor); err != nil {
			return codememory.MemoryPage{}, err
		}
		if until := after.at.Add(time.Millisecond); f.Until.IsZero() || until.Before(f.Until) {
			f.Until = until
		}
	}
	var page codememory.MemoryPage
	for _, p := range ps {
		// Memories of the cursor's own millisecond were perhaps shown already.
		part, err := s.listIn(ctx, p, f, codememory.PageRequest{Limit: limit + 200})
		if err != nil {
			return page, err
		}
		total, err := s.listIn(ctx, p, r.Filter, codememory.PageRequest{Limit: 1})
		if err != nil {
			return page, err
		}
		page.Total += total.Total
		for _, m := range part.Memories {
			if r.Cursor == "" || after.before(m) {
				page.Memories = append(page.Memories, m)
			}
		}
	}
	sort.SliceStable(page.Memories, func(i, j int) bool { return markOf(page.Memories[i]).before(page.Memories[j]) })
	if len(page.Memories) > limit {
		page.Memories = page.Memories[:limit]
		page.Next = markOf(page.Memories[limit-1]).String()
	}
	return page, nil
}

// mark is a place in a listing of several stores.
type mark struct {
	at time.Time
	id string
}

func markOf(m codememory.Memory) mark { return mark{m.UpdatedAt, m.ID} }

// before reports whether m comes after the mark: older, or as old with a smaller id.
func (k mark) before(m codememory.Memory) bool {
	if !k.at.Equal(m.UpdatedAt) {
		return m.UpdatedAt.Before(k.at)
	}
	return m.ID < k.id
}

func (k mark) String() string { return fmt.Sprintf("%d-%s", k.at.UnixMilli(), k.id) }

func parseMark(s string) (mark, error) {
	var ms int64
	var id string
	if _, err := fmt.Sscanf(s, "%d-%s", &ms, &id); err != nil {
		return mark{}, codememory.Errorf(codememory.Invalid, "cursor %q is not one of ours: begin again without it", s)
	}
	return mark{time.UnixMilli(ms).UTC(), id}, nil
}

// reach lists the projects that a request is about.
func (s *Service) reach(ctx context.Context, ref string, reach, otherwise codememory.Reach) ([]codememory.Project, error) {
	if reach == "" {
		reach = otherwise
	}
	if reach == codememory.ReachAll {
		return s.all(ctx)
	}
	user, err := s.find(ctx, codememory.UserProject)
	if err != nil || reach == codememory.ReachUser {
		return []codememory.Project{user}, err
	}
	p, err := s.find(ctx, ref)
	switch {
	case err != nil:
		return nil, err
	case isUser(p):
		return []codememory.Project{user}, nil
	case reach == codememory.ReachProject:
		return []codememory.Project{p}, nil
	case reach == codememory.ReachBoth:
		return []codememory.Project{p, user}, nil
	}
	return nil, codememory.Errorf(codememory.Invalid, "unknown reach %q: use both, project, user or all", reach)
}

// Edit implements codememory.Service.
func (s *Service) Edit(ctx context.Context, ref codememory.Ref, e codememory.Edit) (m codememory.Memory, err error) {
	defer s.blocks.clear()
	var found findings
	if e.Text != nil {
		if s.redactor.FullyPrivate(*e.Text) && *e.Text != "" {
			return m, codememory.Errorf(codememory.Invalid, "nothing is left of the text without what is private or secret in it: nothing was changed")
		}
		clean := memfile.CleanText(found.redact(s, *e.Text))
		e.Text = &clean
	}
	e.Reason = found.redact(s, e.Reason)
	if e.Quarantine != nil {
		why := found.redact(s, *e.Quarantine)
		e.Quarantine = &why
	}
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		more := codememory.Memory{Supersedes: slices.Clone(e.Supersede), Links: slices.Clone(e.Link)}
		if err := s.resolveTargets(ctx, st, &more); err != nil {
			return err
		}
		if e.Text != nil {
			more.Files = s.cite(s.rootOf(ctx, st), *e.Text)
		}
		m, err = st.Update(ctx, id, func(m *codememory.Memory) error { return s.applyEdit(m, e, more) })
		if err == nil && (e.Text != nil || e.Quarantine != nil) {
			s.backlog.wake()
		}
		return err
	})
	return m, err
}

func (s *Service) applyEdit(m *codememory.Memory, e codememory.Edit, more codememory.Memory) error {
	now := s.opts.Now()
	rev := codememory.Revision{Text: m.Text, Until: now, Reason: e.Reason}
	changed := false
	if e.Type != nil && *e.Type != m.Type {
		if m.Importance == codememory.DefaultImportance(m.Type, m.Category) {
			m.Importance = codememory.DefaultImportance(*e.Type, m.Category)
		}
		rev.Type, m.Type, changed = m.Type, *e.Type, true
	}
	if e.Text != nil && *e.Text != m.Text {
		m.Text, m.Entities, m.Files, m.Seen, changed = *e.Text, nil, more.Files, nil, true
	}
	if changed {
		m.Revisions = append(m.Revisions, rev)
		m.UpdatedAt = now
	}
	if e.Category != nil && *e.Category != m.Category {
		m.Category, m.UpdatedAt = *e.Category, now
	}
	if e.Importance != nil {
		m.Importance = *e.Importance
	}
	if e.Pinned != nil {
		m.Pinned = *e.Pinned
	}
	if e.Archived != nil {
		m.Archived = *e.Archived
	}
	if e.Quarantine != nil {
		m.Quarantine = oneLine(*e.Quarantine)
	}
	if e.Confidence != nil {
		m.Source.Confidence = *e.Confidence
	}
	for _, x := range more.Supersedes {
		if x.ID == m.ID {
			return codememory.Errorf(codememory.Invalid, "a memory cannot supersede itself")
		}
	}
	m.Supersedes = mergeSupersessions(m.Supersedes, more.Supersedes)
	for _, l := range more.Links {
		if !l.Type.Valid() {
			return codememory.Errorf(codememory.Invalid, "unknown link type %q", l.Type)
		}
		if !slices.ContainsFunc(m.Links, func(o codememory.Link) bool { return o.To == l.To && o.Type == l.Type }) {
			m.Links = append(m.Links, l)
		}
	}
	return nil
}

// Forget implements codememory.Service.
func (s *Service) Forget(ctx context.Context, ref codememory.Ref, reason string) (m codememory.Memory, err error) {
	defer s.blocks.clear()
	var found findings
	reason = found.redact(s, reason)
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		m, err = st.Update(ctx, id, func(m *codememory.Memory) error {
			if m.Forgotten != nil {
				return nil
			}
			now := s.opts.Now()
			m.Forgotten = &now
			if reason != "" {
				if m.Metadata == nil {
					m.Metadata = map[string]any{}
				}
				m.Metadata[forgetReason] = reason
			}
			return nil
		})
		return err
	})
	return m, err
}

const forgetReason = "forget_reason"

// Undo implements codememory.Service.
func (s *Service) Undo(ctx context.Context, ref codememory.Ref) (m codememory.Memory, what string, err error) {
	defer s.blocks.clear()
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		old, err := st.Get(ctx, id)
		if err != nil {
			return err
		}
		if old.State() == codememory.Superseded {
			what = "it is no longer superseded by " + codememory.ShownID(old.SupersededBy)
			if _, err := st.Update(ctx, old.SupersededBy, func(by *codememory.Memory) error {
				by.Supersedes = slices.DeleteFunc(by.Supersedes, func(x codememory.Supersession) bool { return x.ID == id })
				return nil
			}); err != nil {
				return err
			}
			m, err = st.Get(ctx, id)
			return err
		}
		m, err = st.Update(ctx, id, func(m *codememory.Memory) error {
			what, err = s.takeBack(m)
			return err
		})
		s.backlog.wake()
		return err
	})
	return m, what, err
}

// takeBack reverts the last change of m and says what it was.
func (s *Service) takeBack(m *codememory.Memory) (string, error) {
	switch n := len(m.Revisions); {
	case m.Forgotten != nil:
		m.Forgotten = nil
		delete(m.Metadata, forgetReason)
		return "it is no longer forgotten", nil
	case m.Archived:
		m.Archived = false
		return "it is no longer archived", nil
	case n > 0:
		last := m.Revisions[n-1]
		m.Revisions = m.Revisions[:n-1]
		m.Text, m.Entities, m.Files, m.UpdatedAt = last.Text, nil, nil, s.opts.Now()
		if last.Type != "" {
			m.Type = last.Type
		}
		return "it has its earlier wording again", nil
	}
	return "", codememory.Errorf(codememory.Conflict, "%s has not been changed: there is nothing to undo", codememory.ShownID(m.ID))
}

// Purge implements codememory.Service.
func (s *Service) Purge(ctx context.Context, ref codememory.Ref) (rep codememory.PurgeReport, err error) {
	defer s.blocks.clear()
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		rep, err = s.purgeKeepingDocuments(ctx, st, id)
		return err
	})
	return rep, err
}

// History implements codememory.Service.
func (s *Service) History(ctx context.Context, ref codememory.Ref) (chain []codememory.HistoryEntry, err error) {
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		ids, err := s.chain(ctx, st, id)
		if err != nil {
			return err
		}
		ms, err := st.GetMany(ctx, ids)
		if err != nil {
			return err
		}
		sort.Slice(ms, func(i, j int) bool { return ms[i].CreatedAt.Before(ms[j].CreatedAt) })
		byID := map[string]codememory.Memory{}
		for _, m := range ms {
			byID[m.ID] = m
		}
		for _, m := range ms {
			chain = append(chain, wordings(m, byID)...)
		}
		return nil
	})
	return chain, err
}

// chain finds all memories that a memory superseded or was superseded by.
func (s *Service) chain(ctx context.Context, st *store.Store, id string) ([]string, error) {
	seen := map[string]bool{id: true}
	todo := []string{id}
	for i := 0; i < len(todo); i++ {
		links, err := st.Links(ctx, todo[i])
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			if l.Type == codememory.SupersedesLink && !seen[l.To] {
				seen[l.To] = true
				todo = append(todo, l.To)
			}
		}
	}
	return todo, nil
}

// wordings lists what a memory has said over time.
func wordings(m codememory.Memory, others map[string]codememory.Memory) []codememory.HistoryEntry {
	var out []codememory.HistoryEntry
	from := m.CreatedAt
	for _, r := range m.Revisions {
		out = append(out, codememory.HistoryEntry{ID: m.ID, Text: r.Text, From: from, Until: r.Until, What: "edited", Reason: r.Reason})
		from = r.Until
	}
	last := codememory.HistoryEntry{ID: m.ID, Text: m.Text, From: from, What: "current"}
	switch m.State() {
	case codememory.Forgotten:
		last.Until, last.What = *m.Forgotten, "forgotten"
		last.Reason, _ = m.Metadata[forgetReason].(string)
	case codememory.Superseded:
		last.What = "superseded"
		if by, ok := others[m.SupersededBy]; ok {
			last.Until = by.CreatedAt
			for _, x := range by.Supersedes {
				if x.ID == m.ID {
					last.Reason = x.Reason
				}
			}
		}
	case codememory.Archived:
		last.What = "archived"
	case codememory.Quarantined:
		last.What, last.Reason = "quarantined", m.Quarantine
	case codememory.Active:
	}
	return append(out, last)
}
