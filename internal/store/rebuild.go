package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"codememory"
	"codememory/internal/sqlite"
)

// Rebuild makes the database of the store in o.Dir again from its text and
// opens it. The store must not be open. Usage counts and vectors are taken
// over from the old database where it can still be read: they are not in the
// text, and vectors of an unchanged text are unchanged.
func Rebuild(ctx context.Context, o Options) (*Store, codememory.RebuildReport, error) {
	began := time.Now()
	rep := codememory.RebuildReport{Project: o.Project}
	path := filepath.Join(o.Dir, DatabaseName)
	old := path + ".old"
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+suffix, old+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, rep, fmt.Errorf("move the old database away: %w", err)
		}
	}
	s, err := Open(ctx, o)
	if err != nil {
		return nil, rep, err
	}
	if _, err := os.Stat(old); err == nil {
		if err := s.db.TakeOver(ctx, old); err != nil {
			s.opts.Log.Warn("old database not readable, counts and vectors start anew", "project", o.Project, "err", err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(old + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.opts.Log.Warn("old database not removed", "path", old+suffix, "err", err)
		}
	}
	s.ix.forget()
	st, err := s.Stats(ctx)
	if err != nil {
		return nil, rep, errors.Join(err, s.Close())
	}
	for _, n := range st.ByState {
		rep.Memories += n
	}
	rep.Problems, rep.Took = st.Problems, time.Since(began).Round(time.Millisecond).String()
	return s, rep, nil
}

// Verify compares text, database and index and lists what does not agree.
func (s *Store) Verify(ctx context.Context) (codememory.VerifyReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := codememory.VerifyReport{Project: s.opts.Project, Problems: []codememory.Problem{}}
	problem := func(path, what, todo string) {
		rep.Problems = append(rep.Problems, codememory.Problem{Path: path, What: what, Todo: todo})
	}
	found, err := s.db.Check(ctx)
	if corrupt, ok := errors.AsType[*sqlite.CorruptError](err); ok {
		found = append(found, corrupt.Error())
	} else if err != nil {
		return rep, err
	}
	for _, f := range found {
		problem(DatabaseName, f, "run codememory rebuild")
	}
	unreadable, err := s.db.Problems(ctx)
	if err != nil {
		return rep, err
	}
	rep.Problems = append(rep.Problems, unreadable...)
	known, err := s.db.Files(ctx)
	if err != nil {
		return rep, err
	}
	paths := make([]string, 0, len(known))
	for path, k := range known {
		if k.ID != "" {
			paths = append(paths, path)
		}
	}
	rep.Memories = len(paths)
	read, err := s.readAll(ctx, paths)
	if err != nil {
		return rep, err
	}
	for i, path := range paths {
		switch r := read[i]; {
		case r.err != nil:
			rep.Problems = append(rep.Problems, problemOf(path, r.err))
		case r.memory.ID != known[path].ID || r.file.Hash != known[path].Hash:
			problem(path, "differs from the database", "wait a moment for it to be read, or run codememory rebuild")
		}
	}
	return rep, nil
}
