package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/memfile"
	"codememory/internal/project"
	"codememory/internal/session"
	"codememory/internal/store"
)

// maxOpen is how many stores stay open: each holds a few file descriptors,
// watches and its index in memory.
const maxOpen = 24

// storeSet opens stores when they are needed and closes those that have not
// been for the longest time.
type storeSet struct {
	open    func(ctx context.Context, p codememory.Project) (*store.Store, error)
	rebuild func(ctx context.Context, p codememory.Project) (*store.Store, error)
	log     *slog.Logger

	mu      sync.Mutex
	handles map[string]*handle // by folder
}

// handle is one store that may be open.
type handle struct {
	mu   sync.RWMutex // for reading while the store is in use, for writing to open, close or replace it
	st   *store.Store // nil: not open
	used time.Time    // guarded by storeSet.mu
}

// acquire returns the store of a project, opened if need be. It stays open
// until release is called. A caller must not acquire the same store twice.
func (ss *storeSet) acquire(ctx context.Context, dir string, p codememory.Project) (st *store.Store, release func(), err error) {
	h := ss.handle(dir)
	for {
		h.mu.RLock()
		if h.st != nil && !h.st.Damaged() {
			return h.st, h.mu.RUnlock, nil
		}
		h.mu.RUnlock()
		h.mu.Lock()
		if h.st == nil {
			h.st, err = ss.open(ctx, p)
		} else if h.st.Damaged() { // found out by the request before this one
			_ = h.st.Close() // what it cannot write is in the text
			h.st, err = ss.rebuild(ctx, p)
		}
		h.mu.Unlock()
		if err != nil {
			return nil, nil, err
		}
	}
}

func (ss *storeSet) handle(dir string) *handle {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.handles == nil {
		ss.handles = map[string]*handle{}
	}
	h := ss.handles[dir]
	if h == nil {
		ss.evict()
		h = &handle{}
		ss.handles[dir] = h
	}
	h.used = time.Now()
	return h
}

// evict closes the store that was not used for longest, if there are too many
// and it is idle. The caller holds mu.
func (ss *storeSet) evict() {
	if len(ss.handles) < maxOpen {
		return
	}
	oldest := ""
	for dir, h := range ss.handles {
		if oldest == "" || h.used.Before(ss.handles[oldest].used) {
			oldest = dir
		}
	}
	h := ss.handles[oldest]
	if !h.mu.TryLock() {
		return
	}
	defer h.mu.Unlock()
	if h.st != nil {
		if err := h.st.Close(); err != nil {
			ss.log.Error("store not closed well", "path", oldest, "err", err)
		}
		h.st = nil
	}
	delete(ss.handles, oldest)
}

// replace closes a store, runs fn on its folder, and opens it again with what
// fn returns, or on the next use when that is nil.
func (ss *storeSet) replace(dir string, fn func() (*store.Store, error)) error {
	h := ss.handle(dir)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.st != nil {
		if err := h.st.Close(); err != nil {
			ss.log.Error("store not closed well", "path", dir, "err", err)
		}
		h.st = nil
	}
	st, err := fn()
	h.st = st
	return err
}

// each calls fn for every open store, one after the other.
func (ss *storeSet) each(fn func(*store.Store) error) error {
	ss.mu.Lock()
	all := make([]*handle, 0, len(ss.handles))
	for _, h := range ss.handles {
		all = append(all, h)
	}
	ss.mu.Unlock()
	var errs []error
	for _, h := range all {
		h.mu.RLock()
		if h.st != nil {
			errs = append(errs, fn(h.st))
		}
		h.mu.RUnlock()
	}
	return errors.Join(errs...)
}

func (ss *storeSet) closeAll() error {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	var errs []error
	for dir, h := range ss.handles {
		h.mu.Lock()
		if h.st != nil {
			if err := h.st.Close(); err != nil {
				errs = append(errs, fmt.Errorf("close %s: %w", dir, err))
			}
			h.st = nil
		}
		h.mu.Unlock()
	}
	return errors.Join(errs...)
}

// storeDir returns where a project's store is.
func (s *Service) storeDir(p codememory.Project) (string, error) {
	switch {
	case isUser(p):
		return s.opts.Layout.UserStore(), nil
	case p.Store != "":
		return p.Store, nil
	}
	return s.opts.Layout.ProjectStore(p.ID)
}

func isUser(p codememory.Project) bool { return p.ID == codememory.UserProject }

// storeOptions says how to open the store of a project.
func (s *Service) storeOptions(p codememory.Project) (store.Options, error) {
	dir, err := s.storeDir(p)
	if err != nil {
		return store.Options{}, err
	}
	if p.Store != "" {
		// Opening would make the folder again in a project that was deleted.
		if _, err := os.Stat(filepath.Dir(p.Store)); err != nil {
			return store.Options{}, codememory.Errorf(codememory.Unavailable, "the store of %s was in %s, which is gone: restore a backup, or run codememory projects forget %s", p.Name, p.Store, p.ID)
		}
	}
	o := store.Options{
		Dir: dir, Scope: codememory.ScopeProject, Project: p.ID, Shared: p.Shared, Writer: s.writer, Model: s.model,
		Log: s.opts.Log, Now: s.opts.Now, Changed: func(c store.Change) { s.changed(p, c) },
	}
	if isUser(p) {
		o.Scope, o.Project = codememory.ScopeUser, ""
	}
	return o, nil
}

func (s *Service) openStore(ctx context.Context, p codememory.Project) (*store.Store, error) {
	o, err := s.storeOptions(p)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	s.watch(st)
	s.backlog.wake()
	return st, nil
}

func (s *Service) watch(st *store.Store) {
	if !s.opts.Watch {
		return
	}
	if err := st.Watch(); err != nil {
		s.opts.Log.Warn("cannot watch for edits from outside; codememory rebuild reads them", "path", st.Dir(), "err", err)
	}
}

// storeOf returns the store of a project.
func (s *Service) storeOf(ctx context.Context, p codememory.Project) (*store.Store, func(), error) {
	dir, err := s.storeDir(p)
	if err != nil {
		return nil, nil, err
	}
	return s.stores.acquire(ctx, dir, p)
}

// find returns the project that a reference names. The empty reference is the user.
func (s *Service) find(ctx context.Context, ref string) (codememory.Project, error) {
	if ref == "" || ref == codememory.UserProject {
		return project.User(), nil
	}
	if !filepath.IsAbs(ref) {
		if tag, ok := strings.CutPrefix(ref, codememory.TagPrefix); ok {
			return s.registry.ResolveTag(ctx, tag)
		}
		return s.registry.Lookup(ref)
	}
	p, err := s.registry.Resolve(ctx, ref)
	if err != nil {
		return p, err
	}
	return s.adopt(ctx, p)
}

// adopt uses the store that came with a clone: its text is there before
// anybody ran init on this machine.
func (s *Service) adopt(ctx context.Context, p codememory.Project) (codememory.Project, error) {
	if isUser(p) || p.Root == "" {
		return p, nil
	}
	if p.Store != "" {
		if _, err := os.Stat(p.Store); err == nil {
			return p, nil
		}
	}
	dir := filepath.Join(p.Root, project.StoreDir)
	if info, err := os.Stat(filepath.Join(dir, "memories")); err != nil || !info.IsDir() {
		return p, nil
	}
	return s.registry.SetStore(ctx, p.ID, dir, isShared(dir))
}

// isShared reports whether the text of a store is meant to be committed: its
// own .gitignore does not ignore everything.
func isShared(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	return err == nil && !slices.Contains(strings.Fields(string(b)), "*")
}

// all returns every project with a store, the user's included.
func (s *Service) all(ctx context.Context) ([]codememory.Project, error) {
	ps, err := s.registry.List(ctx)
	if err != nil {
		return nil, err
	}
	out := []codememory.Project{project.User()}
	for _, p := range ps {
		dir, err := s.storeDir(p)
		if err != nil {
			continue
		}
		if holdsSomething(dir) {
			out = append(out, p)
		}
	}
	return out, nil
}

// holdsSomething reports whether a folder is a store. Its text alone makes it
// one, since the database can be deleted at any time.
func holdsSomething(dir string) bool {
	for _, part := range []string{store.DatabaseName, memfile.Folder, session.Folder} {
		if _, err := os.Stat(filepath.Join(dir, part)); err == nil {
			return true
		}
	}
	return false
}
