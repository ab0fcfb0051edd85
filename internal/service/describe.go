package service

import (
	"context"

	"codememory"
	"codememory/internal/capture"
	"codememory/internal/extract"
	"codememory/internal/memfile"
)

// describe makes memories of what a project's own files say of it, in time for
// the first call of a model, and brings them up to date. It looks once in the
// life of the process, and again when a turn changed such a file.
func (s *Service) describe(ctx context.Context, p codememory.Project) {
	if isUser(p) || p.Root == "" {
		return
	}
	if _, done := s.described.LoadOrStore(p.ID, true); done {
		return
	}
	if err := s.describeNow(ctx, p); err != nil {
		s.opts.Log.Warn("project not described", "project", p.ID, "err", err)
	}
}

// redescribe looks again when a turn changed a file that describes the project.
func (s *Service) redescribe(ctx context.Context, c capture.Captured) {
	if extract.ChangesManifest(c.Turn) {
		s.described.Delete(c.Place.Project.ID)
		s.describe(ctx, c.Place.Project)
	}
}

func (s *Service) describeNow(ctx context.Context, p codememory.Project) error {
	found := extract.Project(p.Root)
	if len(found) == 0 {
		return nil
	}
	page, err := s.listIn(ctx, p, codememory.Filter{
		States: codememory.AnyState, Types: []codememory.Type{codememory.ProjectBrief, codememory.TechContext, codememory.ProjectConfig},
	}, codememory.PageRequest{Limit: 500})
	if err != nil {
		return err
	}
	byKey := map[string]codememory.Memory{}
	others := map[codememory.Type]bool{} // somebody else described it
	for _, m := range page.Memories {
		if key := extract.CandidateOf(m).Key; key != "" {
			byKey[key] = m
		} else {
			others[m.Type] = true
		}
	}
	k := keeper{s: s, project: p, at: s.opts.Now()}
	var fresh []codememory.AddRequest
	for _, c := range found {
		c.Text = memfile.CleanText(s.redactor.String(c.Text))
		c.Value = codememory.TextHash(c.Text)
		old, known := byKey[c.Key]
		switch {
		case known:
			if err := k.refresh(ctx, old, c); err != nil {
				return err
			}
		case !others[c.Type]:
			r := c.Request()
			r.Project = p.ID
			fresh = append(fresh, r)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	_, err = s.AddMany(ctx, fresh)
	return err
}

// refresh rewords a memory whose file says something else by now. What a
// person worded, forgot or has yet to let in stays as it is.
func (k keeper) refresh(ctx context.Context, old codememory.Memory, c extract.Candidate) error {
	made := extract.CandidateOf(old).Value
	if old.State() != codememory.Active || made == c.Value || made != codememory.TextHash(old.Text) {
		return nil
	}
	return k.update(ctx, old.ID, func(m *codememory.Memory) error {
		if made != codememory.TextHash(m.Text) {
			return nil
		}
		r := c.Request()
		m.Revisions = append(m.Revisions, codememory.Revision{Text: m.Text, Until: k.at, Reason: c.Excerpt + " changed"})
		m.Text, m.UpdatedAt, m.Source, m.Metadata, m.Quarantine = r.Text, k.at, r.Source, r.Metadata, r.Quarantine
		return nil
	})
}
