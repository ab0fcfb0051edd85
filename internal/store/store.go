// Package store is the embedded store of one project or of the user: text
// files that are the truth, a SQLite projection of them, and an index in
// memory. Text is written and synced first; whatever is lost after that is
// made again from it.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/memfile"
	"codememory/internal/sqlite"
)

// DatabaseName is the projection's file in the store's folder.
const DatabaseName = "memories.db"

// Options say whose store it is and what it works with.
type Options struct {
	Dir     string // the store's folder; it is created when something is saved
	Scope   codememory.Scope
	Project string // project id; empty for the user's store
	Shared  bool   // personal memories are kept out of the committed folder
	Writer  string // names this installation in tombstone logs
	// Model describes the vectors in use. A model on a server may learn its
	// dimension only with its first answer.
	Model func() codememory.EmbeddingModel
	Log   *slog.Logger
	Now   func() time.Time
	// Changed is told which memories changed, also by edits from outside.
	Changed func(Change)
	// Progress is told how many files of those to be read are read; it may be
	// called from several goroutines at once.
	Progress func(done, total int)
}

// Change is what happened to memories of a store.
type Change struct {
	Saved   []string
	Removed []string
	Outside bool // somebody edited the files: an editor, a merge, a pull
}

// Store implements codememory.Store.
type Store struct {
	opts     Options
	db       *sqlite.DB
	readOnly string // why nothing can be written, or ""

	mu sync.Mutex // one change of text and database at a time
	ix lazyIndex

	touchMu sync.Mutex
	touches map[codememory.UsageKind]map[string]int
	touchAt time.Time

	stopWatch  func()
	life       context.Context // ends with Close
	end        context.CancelFunc
	background sync.WaitGroup
}

var _ codememory.Store = (*Store)(nil)

// Open opens the store in o.Dir and projects whatever changed in its text
// since it was last open. A damaged database is set aside and made again.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Model == nil {
		o.Model = func() codememory.EmbeddingModel { return codememory.EmbeddingModel{} }
	}
	if o.Changed == nil {
		o.Changed = func(Change) {}
	}
	s := &Store{opts: o, touches: map[codememory.UsageKind]map[string]int{}}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.ix.s = s
	err := s.openAndSync(ctx)
	if corrupt, ok := errors.AsType[*sqlite.CorruptError](err); ok { // it shows only when it is read
		if err := s.replaceDatabase(corrupt); err != nil {
			return nil, err
		}
		err = s.openAndSync(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) openAndSync(ctx context.Context) error {
	if err := s.openDatabase(ctx); err != nil {
		return err
	}
	if _, err := s.Sync(ctx); err != nil {
		return errors.Join(fmt.Errorf("read the memories in %s: %w", s.opts.Dir, err), s.db.Close())
	}
	return nil
}

// replaceDatabase sets a damaged database aside; the next open makes a new one.
func (s *Store) replaceDatabase(why *sqlite.CorruptError) error {
	aside, err := setAside(filepath.Join(s.opts.Dir, DatabaseName), s.opts.Now())
	if err != nil {
		return errors.Join(why, err)
	}
	s.opts.Log.Warn("damaged database set aside, making it again from text", "project", s.opts.Project, "aside", aside, "err", why.Err)
	return nil
}

func (s *Store) openDatabase(ctx context.Context) error {
	path := filepath.Join(s.opts.Dir, DatabaseName)
	if err := os.MkdirAll(s.opts.Dir, 0o700); err != nil {
		return s.openInMemory(ctx, atomicfile.Coded("create", s.opts.Dir, err))
	}
	db, err := sqlite.Open(ctx, path)
	if err == nil {
		if err = checkAfterCrash(ctx, db, path); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	if codememory.CodeOf(err) == codememory.ReadOnly {
		return s.openInMemory(ctx, err)
	}
	if err != nil {
		return err
	}
	s.db = db
	return db.SetMeta(ctx, "clean", "0")
}

// openInMemory serves a store that cannot be written: it can still be read.
func (s *Store) openInMemory(ctx context.Context, why error) error {
	db, err := sqlite.Open(ctx, "")
	if err != nil {
		return err
	}
	s.db, s.readOnly = db, why.Error()
	return nil
}

// checkAfterCrash runs SQLite's checks when the last user of the database did
// not close it. They read the whole file, so a clean one is spared.
func checkAfterCrash(ctx context.Context, db *sqlite.DB, path string) error {
	clean, err := db.Meta(ctx, "clean")
	if err != nil || clean != "0" {
		return err
	}
	found, err := db.Check(ctx)
	if err == nil && len(found) > 0 {
		err = &sqlite.CorruptError{Path: path, Err: errors.New(found[0])}
	}
	return err
}

// setAside moves a database with its log out of the way and returns where to.
func setAside(path string, now time.Time) (string, error) {
	to := fmt.Sprintf("%s.damaged-%s", path, now.UTC().Format("20060102T150405"))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+suffix, to+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("set the damaged database aside: %w", err)
		}
	}
	return to, nil
}

// Dir is the store's folder.
func (s *Store) Dir() string { return s.opts.Dir }

// Damaged reports whether the database was found damaged while in use; see Rebuild.
func (s *Store) Damaged() bool { return s.db.Damaged() }

// Project is the id of the project whose store it is, or codememory.UserProject.
func (s *Store) Project() string {
	if s.opts.Scope == codememory.ScopeUser {
		return codememory.UserProject
	}
	return s.opts.Project
}

// ReadOnly says why the store cannot be written, or "".
func (s *Store) ReadOnly() string { return s.readOnly }

// Close stops watching, writes what is pending and closes the database.
func (s *Store) Close() error {
	if s.stopWatch != nil {
		s.stopWatch()
	}
	s.end()
	s.background.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.flushTouches(ctx)
	if s.readOnly == "" {
		err = errors.Join(err, s.db.SetMeta(ctx, "clean", "1"))
	}
	return errors.Join(err, s.db.Close())
}

// Get implements codememory.Store.
func (s *Store) Get(ctx context.Context, id string) (codememory.Memory, error) {
	ms, err := s.GetMany(ctx, []string{id})
	if err != nil {
		return codememory.Memory{}, err
	}
	if len(ms) == 0 {
		return codememory.Memory{}, codememory.Errorf(codememory.NotFound, "no memory %s here", codememory.ShownID(id))
	}
	return ms[0], nil
}

// GetMany implements codememory.Store.
func (s *Store) GetMany(ctx context.Context, ids []string) ([]codememory.Memory, error) {
	ms, err := s.db.GetMany(ctx, ids)
	return s.own(ms), err
}

// Texts returns the texts of memories by id.
func (s *Store) Texts(ctx context.Context, ids []string) (map[string]string, error) {
	return s.db.Texts(ctx, ids)
}

// own fills in what the store knows and the database need not keep.
func (s *Store) own(ms []codememory.Memory) []codememory.Memory {
	for i := range ms {
		ms[i].Scope, ms[i].Project = s.opts.Scope, s.opts.Project
	}
	return ms
}

// Resolve implements codememory.Store.
func (s *Store) Resolve(ctx context.Context, prefix string) (string, error) {
	return s.db.Resolve(ctx, prefix)
}

// List implements codememory.Store.
func (s *Store) List(ctx context.Context, f codememory.Filter, p codememory.PageRequest) (codememory.MemoryPage, error) {
	page, err := s.db.List(ctx, f, p)
	page.Memories = s.own(page.Memories)
	return page, err
}

// Times returns when the memories that pass the filter were updated, in unix
// milliseconds, the newest first.
func (s *Store) Times(ctx context.Context, f codememory.Filter, limit int) ([]int64, error) {
	return s.db.Times(ctx, f, limit)
}

// Newest returns the memories that pass the filter, last updated first.
func (s *Store) Newest(ctx context.Context, f codememory.Filter, limit int) ([]codememory.Memory, error) {
	ms, err := s.db.Newest(ctx, f, limit)
	return s.own(ms), err
}

// Stats implements codememory.Store.
func (s *Store) Stats(ctx context.Context) (codememory.StoreStats, error) {
	st, err := s.db.Stats(ctx, s.opts.Model().ID)
	if s.readOnly != "" {
		st.Problems = append(st.Problems, codememory.Problem{Path: s.opts.Dir, What: "cannot be written: " + s.readOnly, Todo: "check its owner and mode; reading works"})
	}
	return st, err
}

// Links implements codememory.Store.
func (s *Store) Links(ctx context.Context, id string) ([]codememory.Link, error) {
	return s.db.Links(ctx, id)
}

// FindText implements codememory.Store.
func (s *Store) FindText(ctx context.Context, text string) (string, bool, error) {
	return s.db.FindNorm(ctx, normHash(text))
}

// Unembedded implements codememory.Store.
func (s *Store) Unembedded(ctx context.Context, model string, limit int) ([]codememory.Memory, error) {
	ms, err := s.db.Unembedded(ctx, model, limit)
	return s.own(ms), err
}

// TokenStates implements codememory.Store.
func (s *Store) TokenStates(ctx context.Context, model string, ids []string) (map[string][]codememory.TokenStates, error) {
	return s.db.TokenStates(ctx, model, ids)
}

// Touch implements codememory.Store: counts are gathered and written with the
// next change or a few seconds later.
func (s *Store) Touch(_ context.Context, kind codememory.UsageKind, at time.Time, ids ...string) error {
	if s.readOnly != "" || len(ids) == 0 {
		return nil
	}
	s.touchMu.Lock()
	defer s.touchMu.Unlock()
	if s.touches[kind] == nil {
		s.touches[kind] = map[string]int{}
	}
	for _, id := range ids {
		s.touches[kind][id]++
	}
	s.touchAt = at
	return nil
}

// Flush writes the gathered usage counts.
func (s *Store) Flush(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flushTouches(ctx)
}

func (s *Store) flushTouches(ctx context.Context) error {
	s.touchMu.Lock()
	pending, at := s.touches, s.touchAt
	s.touches = map[codememory.UsageKind]map[string]int{}
	s.touchMu.Unlock()
	for kind, counts := range pending {
		if err := s.db.Touch(ctx, kind, at, counts); err != nil {
			return fmt.Errorf("count usage: %w", err)
		}
	}
	return nil
}

func (s *Store) full(path string) string {
	return filepath.Join(s.opts.Dir, filepath.FromSlash(path))
}

// private reports whether m must stay out of the committed folder.
func (s *Store) private(m *codememory.Memory) bool {
	return s.opts.Shared && m.Type == codememory.Preference
}

func (s *Store) pathFor(m *codememory.Memory) string { return memfile.PathFor(m.ID, s.private(m)) }

// Scope says whether the store is a project's or the user's.
func (s *Store) Scope() codememory.Scope { return s.opts.Scope }
