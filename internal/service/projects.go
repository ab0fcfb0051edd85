package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"codememory"
	"codememory/internal/git"
	"codememory/internal/project"
	"codememory/internal/store"
)

// Project implements codememory.Service.
func (s *Service) Project(ctx context.Context, ref string) (codememory.Project, error) {
	return s.find(ctx, ref)
}

// Projects implements codememory.Service: the user's own store first, then the
// projects, last seen first. A store that cannot be opened is listed without counts.
func (s *Service) Projects(ctx context.Context) ([]codememory.ProjectStats, error) {
	ps, err := s.registry.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]codememory.ProjectStats, 0, len(ps)+1)
	for _, p := range append([]codememory.Project{project.User()}, ps...) {
		st := codememory.ProjectStats{Project: p, Tag: s.tagOf(ctx, p), TypeCounts: map[codememory.Type]int{}}
		if s.hasStore(p) {
			if stats, err := s.statsOf(ctx, p); err != nil {
				st.Problems = []codememory.Problem{{Path: p.Name, What: err.Error(), Todo: "run codememory doctor"}}
			} else {
				st.Memories, st.TypeCounts, st.LastUpdated = stats.ByState[codememory.Active], stats.ByType, stats.LastUpdated
				st.Unembedded, st.Problems = stats.Unembedded, stats.Problems
			}
		}
		out = append(out, st)
	}
	return out, nil
}

// hasStore reports whether anything was ever stored for a project, so that
// listing does not make stores.
func (s *Service) hasStore(p codememory.Project) bool {
	dir, err := s.storeDir(p)
	if err != nil {
		return false
	}
	for _, name := range []string{store.DatabaseName, "memories"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

func (s *Service) statsOf(ctx context.Context, p codememory.Project) (codememory.StoreStats, error) {
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return codememory.StoreStats{}, err
	}
	defer release()
	return st.Stats(ctx)
}

// tagOf returns the container tag by which clients of older systems know a project.
func (s *Service) tagOf(ctx context.Context, p codememory.Project) string {
	c := s.opts.Config.Config.ContainerTags
	if isUser(p) {
		return s.userTag(ctx)
	}
	for _, a := range p.Aliases {
		if p.Root == "" && project.ValidTag(a) { // known to clients of older systems only
			return a
		}
	}
	return project.Tag(c.Prefix, p.Root)
}

// userTag is the container tag of the user; finding it out may take a process.
func (s *Service) userTag(ctx context.Context) string {
	s.userTagOnce.Do(func() {
		c := s.opts.Config.Config.ContainerTags
		if s.userTagValue = c.User; s.userTagValue == "" {
			s.userTagValue = project.UserTag(c.Prefix, userName(context.WithoutCancel(ctx)))
		}
	})
	return s.userTagValue
}

// userName is what the user's container tag is made of.
func userName(ctx context.Context) string {
	if home, err := os.UserHomeDir(); err == nil {
		if email, err := git.UserEmail(ctx, home); err == nil && email != "" {
			return email
		}
	}
	for _, name := range []string{"USER", "USERNAME"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return "anonymous"
}

// RenameProject implements codememory.Service.
func (s *Service) RenameProject(ctx context.Context, ref, name string) (codememory.Project, error) {
	p, err := s.find(ctx, ref)
	if err != nil {
		return p, err
	}
	return s.registry.Rename(ctx, p.ID, name)
}

// MergeProjects implements codememory.Service: the memories of one project move
// to the other, then its names and paths do.
func (s *Service) MergeProjects(ctx context.Context, fromRef, intoRef string) (codememory.Project, error) {
	from, err := s.find(ctx, fromRef)
	if err != nil {
		return from, err
	}
	into, err := s.find(ctx, intoRef)
	if err != nil {
		return into, err
	}
	if isUser(from) || isUser(into) || from.ID == into.ID {
		return into, codememory.Errorf(codememory.Invalid, "name two different projects to merge")
	}
	if s.hasStore(from) {
		ms, err := s.everything(ctx, from)
		if err != nil {
			return into, err
		}
		if _, err := s.Import(ctx, into.ID, ms); err != nil {
			return into, err
		}
	}
	merged, err := s.registry.Merge(ctx, from.ID, into.ID)
	if err != nil {
		return into, err
	}
	if from.Store == "" { // a store inside a repository is not ours to remove
		return merged, s.removeStore(from)
	}
	return merged, nil
}

// everything reads all memories of a project, whatever their state.
func (s *Service) everything(ctx context.Context, p codememory.Project) ([]codememory.Memory, error) {
	var all []codememory.Memory
	page := codememory.PageRequest{Limit: 500}
	for {
		got, err := s.listIn(ctx, p, codememory.Filter{States: codememory.AnyState}, page)
		if err != nil {
			return nil, err
		}
		all = append(all, got.Memories...)
		if got.Next == "" {
			return all, nil
		}
		page.Cursor = got.Next
	}
}

// removeStore deletes a store's folder.
func (s *Service) removeStore(p codememory.Project) error {
	dir, err := s.storeDir(p)
	if err != nil {
		return err
	}
	return s.stores.replace(dir, func() (*store.Store, error) {
		return nil, os.RemoveAll(dir)
	})
}

// ForgetProject implements codememory.Service.
func (s *Service) ForgetProject(ctx context.Context, ref string, purge bool) error {
	p, err := s.find(ctx, ref)
	if err != nil {
		return err
	}
	if isUser(p) {
		return codememory.Errorf(codememory.Invalid, "your own store is not a project: purge its memories one by one")
	}
	if purge {
		if err := s.removeStore(p); err != nil {
			return err
		}
	}
	return s.registry.Forget(ctx, p.ID)
}

// Names implements codememory.Service.
func (s *Service) Names(ctx context.Context) (map[string]string, error) {
	return s.registry.Names(ctx, s.opts.Config.Config.ContainerTags.Prefix)
}

// SetName implements codememory.Service.
func (s *Service) SetName(ctx context.Context, tag, name string) error {
	return s.registry.SetName(ctx, tag, name)
}

// InitProject implements codememory.Service.
func (s *Service) InitProject(ctx context.Context, r codememory.InitRequest) (codememory.InitReport, error) {
	var rep codememory.InitReport
	if _, err := project.CheckDir(r.Dir); err != nil {
		return rep, err
	}
	p, err := s.registry.Resolve(ctx, r.Dir)
	if err != nil {
		return rep, err
	}
	if isUser(p) {
		return rep, codememory.Errorf(codememory.Invalid, "%s is not a project folder: go to a repository or a folder of its own", r.Dir)
	}
	old, hadOld := p, s.hasStore(p) && p.Store == ""
	dir := filepath.Join(p.Root, project.StoreDir)
	if err := refuseLink(dir); err != nil {
		return rep, err
	}
	var ms []codememory.Memory
	if hadOld {
		if ms, err = s.everything(ctx, old); err != nil {
			return rep, err
		}
	}
	if rep.Created, err = layOut(dir, r.Shared); err != nil {
		return rep, err
	}
	if rep.Project, err = s.registry.SetStore(ctx, p.ID, dir, r.Shared); err != nil {
		return rep, err
	}
	// Opened anew: shared or not decides where personal memories go.
	if err := s.stores.replace(dir, func() (*store.Store, error) { return nil, nil }); err != nil {
		return rep, err
	}
	if hadOld {
		if _, err := s.Import(ctx, rep.Project.ID, ms); err != nil {
			return rep, fmt.Errorf("move the memories to %s (they are still in the data directory): %w", dir, err)
		}
		rep.Moved = len(ms)
		if err := s.removeStore(old); err != nil {
			return rep, err
		}
	}
	if err := s.separatePersonal(ctx, &rep); err != nil {
		return rep, err
	}
	s.describe(ctx, rep.Project)
	rep.Brief, err = s.briefs(ctx, rep.Project)
	return rep, err
}

// separatePersonal moves personal memories of a store that became shared out
// of the committed folder, and names them.
func (s *Service) separatePersonal(ctx context.Context, rep *codememory.InitReport) error {
	st, release, err := s.storeOf(ctx, rep.Project)
	if err != nil {
		return err
	}
	defer release()
	if !rep.Project.Shared {
		return nil
	}
	page, err := st.List(ctx, codememory.Filter{States: codememory.AnyState, Types: []codememory.Type{codememory.Preference}}, codememory.PageRequest{Limit: 10000})
	if err != nil {
		return err
	}
	for _, m := range page.Memories {
		rep.Skipped = append(rep.Skipped, codememory.ShownID(m.ID)+" is a preference and stays on this machine")
	}
	return st.Save(ctx, page.Memories...)
}

// refuseLink keeps a store from being made outside of the project.
func refuseLink(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&os.ModeSymlink != 0 || !info.IsDir():
		return codememory.Errorf(codememory.Conflict, "%s exists and is not a folder: move it away", dir)
	}
	return nil
}
