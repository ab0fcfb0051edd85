package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"codememory"
	"codememory/internal/store"
)

// Health implements codememory.Service. It opens nothing.
func (s *Service) Health(ctx context.Context) (codememory.Health, error) {
	h := codememory.Health{Status: "ok", Ready: true, Version: s.opts.Version, PID: os.Getpid(), EmbeddingModel: s.model().ID}
	if s.embedder == nil {
		h.EmbeddingModel = "none"
		h.Reasons = append(h.Reasons, "no embedding model is configured: search finds words only")
	}
	if p := s.backlog.problem(); p != "" {
		h.Status = "degraded"
		h.Reasons = append(h.Reasons, "memories are waiting for the embedding model: "+p)
	}
	s.llmHealth(ctx, &h)
	return h, nil
}

// Stats implements codememory.Service.
func (s *Service) Stats(ctx context.Context) (codememory.Stats, error) {
	out := codememory.Stats{ByType: map[codememory.Type]int{}, ByScope: map[codememory.Scope]int{codememory.ScopeProject: 0, codememory.ScopeUser: 0}}
	ps, err := s.Projects(ctx)
	if err != nil {
		return out, err
	}
	for _, p := range ps {
		if p.Memories == 0 {
			continue
		}
		out.Total += p.Memories
		for t, n := range p.TypeCounts {
			out.ByType[t] += n
		}
		if isUser(p.Project) {
			out.ByScope[codememory.ScopeUser] += p.Memories
			out.Users++
		} else {
			out.ByScope[codememory.ScopeProject] += p.Memories
			out.Projects++
		}
	}
	return out, nil
}

// EmbeddingQueue counts the memories of open stores that wait for a vector.
func (s *Service) EmbeddingQueue(ctx context.Context) (int, error) {
	n := 0
	err := s.stores.each(func(st *store.Store) error {
		stats, err := st.Stats(ctx)
		n += stats.Unembedded
		return err
	})
	return n, err
}

// chosen lists the one named project, or all that have a store.
func (s *Service) chosen(ctx context.Context, ref string) ([]codememory.Project, error) {
	if ref == "" {
		return s.all(ctx)
	}
	p, err := s.find(ctx, ref)
	return []codememory.Project{p}, err
}

// Rebuild implements codememory.Service.
func (s *Service) Rebuild(ctx context.Context, ref string) ([]codememory.RebuildReport, error) {
	ps, err := s.chosen(ctx, ref)
	if err != nil {
		return nil, err
	}
	var reps []codememory.RebuildReport
	for _, p := range ps {
		dir, err := s.storeDir(p)
		if err != nil {
			return reps, err
		}
		var rep codememory.RebuildReport
		err = s.stores.replace(dir, func() (st *store.Store, err error) {
			st, rep, err = s.rebuildStore(ctx, p)
			return st, err
		})
		if err != nil {
			return reps, fmt.Errorf("rebuild %s: %w", p.Name, err)
		}
		reps = append(reps, rep)
	}
	s.events.send(codememory.Event{Kind: "job.done", Job: "rebuild", Done: len(ps), Total: len(ps)})
	s.backlog.wake()
	return reps, nil
}

// rebuildStore makes the database of a project again. Its store is not open.
func (s *Service) rebuildStore(ctx context.Context, p codememory.Project) (*store.Store, codememory.RebuildReport, error) {
	o, err := s.storeOptions(p)
	if err != nil {
		return nil, codememory.RebuildReport{}, err
	}
	var last atomic.Int64 // a percent is told once: a slow reader of events would be cut off
	o.Progress = func(done, total int) {
		if percent := int64(done * 100 / total); last.Swap(percent) != percent {
			s.events.send(codememory.Event{Kind: "job.progress", Project: p.ID, Job: "rebuild", Done: done, Total: total})
		}
	}
	st, rep, err := store.Rebuild(ctx, o)
	if err == nil {
		s.watch(st)
		s.backlog.wake()
	}
	return st, rep, err
}

// Verify implements codememory.Service.
func (s *Service) Verify(ctx context.Context, ref string) ([]codememory.VerifyReport, error) {
	ps, err := s.chosen(ctx, ref)
	if err != nil {
		return nil, err
	}
	var reps []codememory.VerifyReport
	for _, p := range ps {
		rep, err := s.verifyOne(ctx, p)
		if err != nil {
			rep.Problems = append(rep.Problems, codememory.Problem{Path: p.Name, What: err.Error(), Todo: "run codememory rebuild"})
		}
		rep.Project = p.ID
		reps = append(reps, rep)
	}
	return reps, nil
}

func (s *Service) verifyOne(ctx context.Context, p codememory.Project) (codememory.VerifyReport, error) {
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return codememory.VerifyReport{}, err
	}
	defer release()
	return st.Verify(ctx)
}

// Backup implements codememory.Service. Without a file name one is chosen in
// the data directory.
func (s *Service) Backup(ctx context.Context, ref, file string) (codememory.BackupReport, error) {
	p, err := s.find(ctx, ref)
	if err != nil {
		return codememory.BackupReport{}, err
	}
	if file == "" {
		dir := filepath.Join(s.opts.Layout.Data, "backups")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return codememory.BackupReport{}, err
		}
		file = filepath.Join(dir, fmt.Sprintf("%s-%s.tar.gz", p.ID, s.stamp()))
	}
	if !filepath.IsAbs(file) {
		return codememory.BackupReport{}, codememory.Errorf(codememory.Invalid, "%q is not an absolute path", file)
	}
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return codememory.BackupReport{}, err
	}
	defer release()
	return st.Backup(ctx, file)
}

func (s *Service) stamp() string { return s.opts.Now().UTC().Format("20060102-150405") }

// Restore implements codememory.Service.
func (s *Service) Restore(ctx context.Context, ref, file string) (codememory.BackupReport, error) {
	p, err := s.find(ctx, ref)
	if err != nil {
		return codememory.BackupReport{}, err
	}
	o, err := s.storeOptions(p)
	if err != nil {
		return codememory.BackupReport{}, err
	}
	aside := filepath.Join(s.opts.Layout.Data, "replaced", fmt.Sprintf("%s-%s", p.ID, s.stamp()))
	if _, err := os.Stat(aside); !errors.Is(err, os.ErrNotExist) {
		return codememory.BackupReport{}, codememory.Errorf(codememory.Conflict, "a store was restored this very second: try again")
	}
	var rep codememory.BackupReport
	err = s.stores.replace(o.Dir, func() (st *store.Store, err error) {
		rep, err = store.Restore(ctx, o, file, aside)
		return nil, err
	})
	if err != nil {
		return rep, err
	}
	stats, err := s.statsOf(ctx, p)
	for _, n := range stats.ByState {
		rep.Memories += n
	}
	return rep, err
}
