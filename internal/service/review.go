package service

import (
	"context"
	"slices"

	"codememory"
	"codememory/internal/lifecycle"
	"codememory/internal/store"
)

// duplicateSeeds is how many of the newest memories are looked at for duplicates.
const duplicateSeeds = 300

// Review implements codememory.LifecycleService.
func (s *Service) Review(ctx context.Context, r codememory.ReviewRequest) ([]codememory.ReviewItem, error) {
	p, err := s.find(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	kinds := r.Kinds
	if len(kinds) == 0 {
		kinds = codememory.ReviewKinds
	}
	limit := orDefault(r.Limit, 50)
	items := []codememory.ReviewItem{}
	for _, k := range kinds {
		var found []codememory.ReviewItem
		err := s.inBoth(ctx, p, func(st *store.Store) error {
			more, err := s.reviewKind(ctx, st, k, limit-len(found))
			found = append(found, more...)
			return err
		})
		if err != nil {
			return nil, err
		}
		items = append(items, found...)
	}
	for i := range items {
		for j := range items[i].Memories {
			if m := &items[i].Memories[j]; m.Project == p.ID {
				s.markFiles(p.Root, m)
			}
		}
	}
	return items, nil
}

func (s *Service) reviewKind(ctx context.Context, st *store.Store, k codememory.ReviewKind, limit int) ([]codememory.ReviewItem, error) {
	if limit <= 0 {
		return nil, nil
	}
	switch k {
	case codememory.ReviewQuarantine:
		return single(ctx, st, codememory.Filter{States: []codememory.State{codememory.Quarantined}}, k, limit)
	case codememory.ReviewUnsure:
		return single(ctx, st, codememory.Filter{Unsure: true}, k, limit)
	case codememory.ReviewConflict:
		return s.conflicts(ctx, st, limit)
	case codememory.ReviewDuplicate:
		return s.duplicates(ctx, st, limit)
	case codememory.ReviewPromotion:
		return s.promotions(ctx, st, limit)
	}
	return nil, codememory.Errorf(codememory.Invalid, "unknown kind of review %q: use quarantine, conflict, unsure, duplicate or promotion", k)
}

// single lists memories that are decided about one by one.
func single(ctx context.Context, st *store.Store, f codememory.Filter, k codememory.ReviewKind, limit int) ([]codememory.ReviewItem, error) {
	ms, err := st.Newest(ctx, f, limit)
	var out []codememory.ReviewItem
	for _, m := range ms {
		reason := m.Quarantine
		if k == codememory.ReviewUnsure {
			reason = "extracted with little confidence"
		}
		out = append(out, codememory.ReviewItem{Kind: k, Reason: reason, Memories: []codememory.Memory{m}})
	}
	return out, err
}

func (s *Service) conflicts(ctx context.Context, st *store.Store, limit int) ([]codememory.ReviewItem, error) {
	pairs, err := st.Conflicting(ctx, limit)
	if err != nil {
		return nil, err
	}
	var out []codememory.ReviewItem
	var seen [][]string
	for _, p := range pairs {
		ids := []string{min(p[0], p[1]), max(p[0], p[1])}
		if slices.ContainsFunc(seen, func(x []string) bool { return slices.Equal(x, ids) }) {
			continue // each names the other
		}
		seen = append(seen, ids)
		item, ok, err := together(ctx, st, codememory.ReviewConflict, "they contradict each other", ids)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, item)
		}
	}
	return out, nil
}

// together makes an item of several active memories, newest first, unless
// somebody decided to keep them apart.
func together(ctx context.Context, st *store.Store, k codememory.ReviewKind, reason string, ids []string) (codememory.ReviewItem, bool, error) {
	ms, err := st.GetMany(ctx, ids)
	if err != nil {
		return codememory.ReviewItem{}, false, err
	}
	ms = slices.DeleteFunc(ms, func(m codememory.Memory) bool { return m.State() != codememory.Active })
	if len(ms) < 2 {
		return codememory.ReviewItem{}, false, nil
	}
	refused, err := st.Refused(ctx, lifecycle.Hash(ms))
	slices.SortFunc(ms, func(a, b codememory.Memory) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return codememory.ReviewItem{Kind: k, Reason: reason, Memories: ms}, !refused, err
}

// duplicates finds groups that are very close and that no rule could merge.
func (s *Service) duplicates(ctx context.Context, st *store.Store, limit int) ([]codememory.ReviewItem, error) {
	least := s.model().Thresholds.Duplicate
	if least == 0 {
		return nil, nil
	}
	ms, err := st.Newest(ctx, codememory.Filter{}, duplicateSeeds)
	if err != nil {
		return nil, err
	}
	var edges []lifecycle.Edge
	for _, m := range ms {
		near, err := st.Near(ctx, m.ID, least, lifecycle.MaxCluster)
		if err != nil {
			return nil, err
		}
		for _, n := range near {
			edges = append(edges, lifecycle.Edge{A: m.ID, B: n.ID, Cosine: n.Cosine})
		}
	}
	var out []codememory.ReviewItem
	for _, ids := range lifecycle.Clusters(edges) {
		item, ok, err := together(ctx, st, codememory.ReviewDuplicate, "they seem to say the same", ids)
		if err != nil {
			return nil, err
		}
		if ok && len(out) < limit {
			out = append(out, item)
		}
	}
	return out, nil
}

// promotions finds preferences that may become the user's.
func (s *Service) promotions(ctx context.Context, st *store.Store, limit int) ([]codememory.ReviewItem, error) {
	if st.Scope() == codememory.ScopeUser {
		return nil, nil
	}
	ms, err := st.Newest(ctx, codememory.Filter{Types: []codememory.Type{codememory.Preference}}, 50)
	if err != nil {
		return nil, err
	}
	var out []codememory.ReviewItem
	for _, m := range ms {
		if len(out) >= limit || mayPromote(m, 1) != nil {
			continue
		}
		also, err := s.saidElsewhere(ctx, m)
		if err != nil {
			return nil, err
		}
		if len(also) > 0 {
			out = append(out, codememory.ReviewItem{Kind: codememory.ReviewPromotion, Reason: "you said it in " + echoes(also) + " too", Memories: []codememory.Memory{m}})
		}
	}
	return out, nil
}

// Decide implements codememory.LifecycleService.
func (s *Service) Decide(ctx context.Context, ref codememory.Ref, d codememory.Decision) (codememory.Memory, error) {
	switch d.Action {
	case codememory.Accept:
		m, err := s.Get(ctx, ref)
		if err != nil {
			return m, err
		}
		released := ""
		e := codememory.Edit{Text: d.Text, Quarantine: &released, Reason: d.Reason}
		if m.Source.Confidence > 0 {
			sure := 1.0
			e.Confidence = &sure
		}
		return s.Edit(ctx, ref, e)
	case codememory.Reject:
		return s.Forget(ctx, ref, d.Reason)
	case codememory.Keep:
		if len(d.Others) == 0 {
			return codememory.Memory{}, codememory.Errorf(codememory.Invalid, "others is missing: name the memories that do not hold")
		}
		var replaced []codememory.Supersession
		for _, id := range d.Others {
			replaced = append(replaced, codememory.Supersession{ID: id, Reason: d.Reason})
		}
		return s.Edit(ctx, ref, codememory.Edit{Supersede: replaced})
	case codememory.Separate:
		return s.separate(ctx, ref, d.Others)
	}
	return codememory.Memory{}, codememory.Errorf(codememory.Invalid, "unknown action %q: use accept, reject, keep or separate", d.Action)
}

// separate remembers that memories belong side by side, and takes back that
// they contradict each other.
func (s *Service) separate(ctx context.Context, ref codememory.Ref, others []string) (m codememory.Memory, err error) {
	if len(others) == 0 {
		return m, codememory.Errorf(codememory.Invalid, "others is missing: name the memories to keep apart")
	}
	err = s.with(ctx, ref, func(st *store.Store, id string) error {
		ids := []string{id}
		for _, o := range others {
			other, err := st.Resolve(ctx, o)
			if err != nil {
				return err
			}
			ids = append(ids, other)
		}
		for _, x := range ids {
			if _, err := st.Update(ctx, x, func(m *codememory.Memory) error {
				m.Links = slices.DeleteFunc(m.Links, func(l codememory.Link) bool { return l.Type == codememory.Conflicts && slices.Contains(ids, l.To) })
				return nil
			}); err != nil {
				return err
			}
		}
		ms, err := st.GetMany(ctx, ids)
		if err != nil {
			return err
		}
		m = ms[0]
		return st.Refuse(ctx, lifecycle.Hash(ms))
	})
	return m, err
}
