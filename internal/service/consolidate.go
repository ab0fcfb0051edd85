package service

import (
	"context"
	"slices"
	"time"

	"codememory"
	"codememory/internal/lifecycle"
	"codememory/internal/store"
)

var _ codememory.LifecycleService = (*Service)(nil)

// Consolidate implements codememory.LifecycleService.
func (s *Service) Consolidate(ctx context.Context, r codememory.ConsolidateRequest) ([]codememory.ConsolidateReport, error) {
	ps, err := s.chosen(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	reps := []codememory.ConsolidateReport{}
	for _, p := range ps {
		if !s.hasStore(p) {
			continue
		}
		rep, err := s.consolidateOne(ctx, p, r.DryRun)
		if err != nil {
			return reps, err
		}
		reps = append(reps, rep)
	}
	s.events.send(codememory.Event{Kind: "job.done", Job: "consolidate", Done: len(reps), Total: len(reps)})
	return reps, nil
}

func (s *Service) consolidateOne(ctx context.Context, p codememory.Project, dry bool) (rep codememory.ConsolidateReport, err error) {
	began := time.Now()
	rep = codememory.ConsolidateReport{Project: p.ID, Merged: []codememory.MergeReport{}, Archived: []string{}}
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return rep, err
	}
	defer release()
	old, err := s.age(ctx, st, dry)
	if err != nil {
		return rep, err
	}
	rep.Archived, rep.Condensed = append(rep.Archived, old.archived...), old.condensed
	if err := s.mergeAlike(ctx, p, st, dry, &rep); err != nil {
		return rep, err
	}
	if rep.Stale, err = s.countStale(ctx, p, st); err != nil {
		return rep, err
	}
	if !dry {
		if err := s.writeDocuments(ctx, p, st, &rep); err != nil {
			return rep, err
		}
	}
	rep.Took = time.Since(began).Round(time.Millisecond).String()
	return rep, nil
}

// mergeAlike looks at the memories that changed since the last time, with those
// that are like them, and leaves one of each group that says the same.
func (s *Service) mergeAlike(ctx context.Context, p codememory.Project, st *store.Store, dry bool, rep *codememory.ConsolidateReport) error {
	if s.embedder == nil || st.ReadOnly() != "" {
		return nil
	}
	if err := s.backlog.embedStore(ctx, st); codememory.CodeOf(err) == codememory.Unavailable {
		return nil // the model is not there: next time
	} else if err != nil {
		return err
	}
	ids, mark, err := st.Unconsolidated(ctx)
	if err != nil {
		return err
	}
	rep.Looked = len(ids)
	var edges []lifecycle.Edge
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i%500 == 0 {
			s.events.send(codememory.Event{Kind: "job.progress", Project: p.ID, Job: "consolidate", Done: i, Total: len(ids)})
		}
		near, err := st.Near(ctx, id, s.model().Thresholds.Cluster, lifecycle.MaxCluster)
		if err != nil {
			return err
		}
		for _, n := range near {
			edges = append(edges, lifecycle.Edge{A: id, B: n.ID, Cosine: n.Cosine})
		}
	}
	clusters := lifecycle.Clusters(edges)
	rep.Clusters = len(clusters)
	judge, later := s.judgeFor(p), dry
	for _, c := range clusters {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch err := s.judgeCluster(ctx, st, judge, c, dry, rep); {
		case err == nil:
		case codememory.CodeOf(err) == codememory.Unavailable:
			later, judge = true, lifecycle.Rules{} // the rest is asked about next time
		default:
			return err
		}
	}
	if later {
		return nil
	}
	return st.Consolidated(ctx, mark)
}

// judgeCluster carries out what the judge decides about one group.
func (s *Service) judgeCluster(ctx context.Context, st *store.Store, judge lifecycle.Judge, ids []string, dry bool, rep *codememory.ConsolidateReport) error {
	ms, err := st.GetMany(ctx, ids)
	if err != nil {
		return err
	}
	ms = slices.DeleteFunc(ms, func(m codememory.Memory) bool { return m.State() != codememory.Active })
	if len(ms) < 2 {
		return nil
	}
	hash := lifecycle.Hash(ms)
	if refused, err := st.Refused(ctx, hash); err != nil || refused {
		return err
	}
	v, err := judge.Consolidate(ctx, ms)
	if err != nil {
		return err
	}
	for _, g := range v.Merge {
		rep.Merged = append(rep.Merged, codememory.MergeReport{Kept: g.Keep, Replaced: g.Replace, Reason: g.Reason})
		if dry {
			continue
		}
		if err := s.merge(ctx, st, g); err != nil {
			return err
		}
	}
	if v.Refuse && !dry {
		return st.Refuse(ctx, hash)
	}
	return nil
}

// merge leaves one memory of a group: it takes over the sources, links and marks
// of the others, which it supersedes. One file is written, so it happens whole
// or not at all, and undo of any of the others brings that one back.
func (s *Service) merge(ctx context.Context, st *store.Store, g lifecycle.Group) error {
	others, err := st.GetMany(ctx, g.Replace)
	if err != nil {
		return err
	}
	for i := range others {
		if others[i].Links, err = st.Links(ctx, others[i].ID); err != nil {
			return err
		}
	}
	said := s.redactor.String(g.Text)
	_, err = st.Update(ctx, g.Keep, func(m *codememory.Memory) error {
		for _, o := range others {
			absorb(m, o, g)
		}
		if said != "" && said != m.Text {
			now := s.opts.Now()
			m.Revisions = append(m.Revisions, codememory.Revision{Text: m.Text, Until: now, Reason: g.Reason})
			m.Text, m.Entities, m.UpdatedAt = said, nil, now
		}
		return nil
	})
	return err
}

// absorb carries over to m what o has besides its text.
func absorb(m *codememory.Memory, o codememory.Memory, g lifecycle.Group) {
	m.Supersedes = mergeSupersessions(m.Supersedes, []codememory.Supersession{{ID: o.ID, Reason: g.Reason}})
	m.Corroborate(o.Source)
	for _, seen := range o.Seen {
		m.Corroborate(seen)
	}
	m.Pinned = m.Pinned || o.Pinned
	m.Importance = max(m.Importance, o.Importance)
	for _, l := range o.Links {
		own := l.To == m.ID || slices.Contains(g.Replace, l.To) || l.Type == codememory.SupersedesLink
		known := slices.ContainsFunc(m.Links, func(x codememory.Link) bool { return x.To == l.To && x.Type == l.Type })
		if !own && !known {
			m.Links = append(m.Links, codememory.Link{To: l.To, Type: l.Type, Reason: l.Reason})
		}
	}
	for _, e := range o.Entities {
		if !slices.ContainsFunc(m.Entities, func(x codememory.Entity) bool { return x.Name == e.Name }) {
			m.Entities = append(m.Entities, e)
		}
	}
	for _, f := range o.Files {
		if !slices.ContainsFunc(m.Files, func(x codememory.CitedFile) bool { return x.Path == f.Path }) {
			m.Files = append(m.Files, f)
		}
	}
}

// countStale counts the memories that cite a file which changed or vanished.
func (s *Service) countStale(ctx context.Context, p codememory.Project, st *store.Store) (int, error) {
	ids, err := st.Citing(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for part := range slices.Chunk(ids, 500) {
		ms, err := st.GetMany(ctx, part)
		if err != nil {
			return n, err
		}
		for _, m := range ms {
			if s.markFiles(p.Root, &m); m.Stale() != "" {
				n++
			}
		}
	}
	return n, nil
}

// maintainedKey is where a store keeps when it was last looked after.
const maintainedKey = "maintained"

// Maintain does the upkeep of every store whose last one is a day old, as long
// as idle says that nobody is waiting for something else.
func (s *Service) Maintain(ctx context.Context, idle func() bool) error {
	if !s.opts.Config.Config.Lifecycle.Daily {
		return nil
	}
	ps, err := s.all(ctx)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if ctx.Err() != nil || !idle() {
			return nil
		}
		if err := s.maintainOne(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) maintainOne(ctx context.Context, p codememory.Project) error {
	if !s.hasStore(p) {
		return nil
	}
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return err
	}
	defer release()
	last, err := st.Meta(ctx, maintainedKey)
	if err != nil || st.ReadOnly() != "" {
		return err
	}
	now := s.opts.Now()
	if at, err := time.Parse(time.RFC3339, last); err == nil && now.Sub(at) < 24*time.Hour && !at.After(now) {
		return nil
	}
	rep, err := s.consolidateOne(ctx, p, false)
	if err != nil {
		return err
	}
	s.opts.Log.Info("memories looked after", "project", p.ID, "looked", rep.Looked, "merged", len(rep.Merged), "archived", len(rep.Archived), "stale", rep.Stale, "took", rep.Took)
	return st.SetMeta(ctx, maintainedKey, now.UTC().Format(time.RFC3339))
}
