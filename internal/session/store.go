package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
)

// Folder is the part of a store that holds the sessions.
const Folder = "sessions"

// Store is the sessions folder of one store. Everything is read from its files,
// which may change at any time by hand or by git; what has not changed since it
// was read is not read again. It is safe for concurrent use.
type Store struct {
	dir string
	loc *time.Location

	mu       sync.Mutex
	known    map[string]*entry // by file name
	problems []codememory.Problem
}

// Open returns the sessions in dir, which need not exist yet. File names and
// new files give times in loc, nil meaning the machine's.
func Open(dir string, loc *time.Location) *Store {
	if loc == nil {
		loc = time.Local
	}
	return &Store{dir: dir, loc: loc, known: map[string]*entry{}}
}

// Saved is a record with the file that holds it.
type Saved struct {
	Record
	Path string `json:"markdown_path"` // absolute when the store was opened so
}

// Filter narrows a listing. Zero fields do not.
type Filter struct {
	Agent string
	Limit int
}

// Save writes the whole record, atomically, to the one file of its session. It
// fails with Invalid when the record has no id, with TooLarge, and as
// atomicfile does.
func (s *Store) Save(r Record) (Saved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.save(r)
}

// Update changes the record of a session, or a new one that has only the id,
// and saves it. When fn fails nothing is written. Updates of one Store follow
// each other, so none is lost.
func (s *Store) Update(id string, fn func(*Record) error) (Saved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return Saved{}, err
	}
	r := Record{ID: oneLine(id)}
	if e := s.byID(r.ID); e != nil {
		r = e.record.clone()
	}
	if err := fn(&r); err != nil {
		return Saved{}, err
	}
	return s.save(r)
}

func (s *Store) save(r Record) (Saved, error) {
	if r = clean(r); r.ID == "" {
		return Saved{}, codememory.Errorf(codememory.Invalid, "a session record needs an id: pass the id of the conversation")
	}
	if r.StartedAt.IsZero() {
		r.StartedAt = time.Now()
	}
	if r.Agent == "" {
		r.Agent = "unknown"
	}
	r.StartedAt = r.StartedAt.In(s.loc)
	r = clean(r)
	data := Render(r)
	if len(data) > MaxFileBytes {
		return Saved{}, codememory.Errorf(codememory.TooLarge,
			"the record of session %s would be %d bytes, at most %d are kept: shorten its lists", r.ID, len(data), MaxFileBytes)
	}
	if err := s.refresh(); err != nil {
		return Saved{}, err
	}
	if err := s.checkFolder(); err != nil {
		return Saved{}, err
	}
	if err := atomicfile.MkdirAll(s.dir, 0o755); err != nil {
		return Saved{}, err
	}
	name, err := s.place(r)
	if err != nil {
		return Saved{}, err
	}
	path := filepath.Join(s.dir, name)
	if err := atomicfile.Write(path, []byte(data), 0); err != nil {
		return Saved{}, err
	}
	delete(s.known, name) // read again before it is next shown
	return Saved{r, path}, nil
}

// place returns the name of the file for r and gives the present file that
// name: a slug renames it, once. A name that a person chose stays.
func (s *Store) place(r Record) (string, error) {
	current := s.byID(r.ID)
	if current != nil && (r.Slug == "" || !isUnnamed(current.name, r)) {
		return current.name, nil
	}
	name, err := s.freeName(r)
	if err != nil || current == nil {
		return name, err
	}
	// First the new name for the old content, then the new content: a crash
	// between the two leaves one file, not two of the same session.
	if err := os.Rename(filepath.Join(s.dir, current.name), filepath.Join(s.dir, name)); err != nil {
		return "", atomicfile.Coded("rename", filepath.Join(s.dir, current.name), err)
	}
	delete(s.known, current.name)
	return name, nil
}

// freeName returns the first fitting name that no other session's file has,
// nor one that cannot be read.
func (s *Store) freeName(r Record) (string, error) {
	for _, name := range fileNames(r) {
		info, err := os.Lstat(filepath.Join(s.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", atomicfile.Coded("look at", filepath.Join(s.dir, name), err)
		}
		// Another process may have made our file a moment ago.
		if info.Mode().IsRegular() {
			if e := s.read(name, info); e.err == nil && e.record.ID == r.ID {
				return name, nil
			}
		}
	}
	return "", codememory.Errorf(codememory.Conflict, "%s holds too many files named like %s: remove some", s.dir, fileNames(r)[0])
}

// Get finds a session by its id, its file's name with or without .md, its
// slug, or the beginning of an id or name that only it has. It fails with
// NotFound, or with Conflict when several sessions fit.
func (s *Store) Get(key string) (Saved, error) {
	key = strings.TrimSpace(key)
	if key == "" {
		return Saved{}, codememory.Errorf(codememory.Invalid, "say which session: its id, or the name of its file")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return Saved{}, err
	}
	stem := strings.TrimSuffix(filepath.Base(filepath.ToSlash(key)), ".md")
	for _, fits := range []func(*entry) bool{
		func(e *entry) bool { return e.record.ID == key },
		func(e *entry) bool { return e.stem() == stem },
		func(e *entry) bool { return e.record.Slug != "" && e.record.Slug == key },
		func(e *entry) bool { return strings.HasPrefix(e.record.ID, key) || strings.HasPrefix(e.stem(), stem) },
	} {
		found := s.sorted(fits)
		switch {
		case len(found) == 1:
			return s.saved(found[0]), nil
		case len(found) > 1:
			return Saved{}, ambiguous(key, found)
		}
	}
	return Saved{}, codememory.Errorf(codememory.NotFound, "no session %q in %s: codememory sessions lists them", key, s.dir)
}

func ambiguous(key string, found []*entry) error {
	var names []string
	for _, e := range found[:min(len(found), 5)] {
		names = append(names, e.stem())
	}
	return codememory.Errorf(codememory.Conflict, "%d sessions fit %q, such as %s: give more of the id or name", len(found), key, strings.Join(names, ", "))
}

// List returns the sessions, newest first.
func (s *Store) List(f Filter) ([]Saved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	found := s.sorted(func(e *entry) bool { return f.Agent == "" || sameAgent(e.record.Agent, f.Agent) })
	if f.Limit > 0 {
		found = found[:min(len(found), f.Limit)]
	}
	out := make([]Saved, len(found))
	for i, e := range found {
		out[i] = s.saved(e)
	}
	return out, nil
}

// Files returns what a session did to files: created, modified, deleted, each
// by path. The key is one of Get.
func (s *Store) Files(key string) ([]codememory.FileChange, error) {
	r, err := s.Get(key)
	if err != nil {
		return nil, err
	}
	return sortedFiles(r.Record.Files), nil
}

// Remove deletes the file of the session with exactly this id. One that is not
// there is no error.
func (s *Store) Remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	e := s.byID(id)
	if e == nil {
		return nil
	}
	delete(s.known, e.name)
	return atomicfile.Remove(filepath.Join(s.dir, e.name))
}

// Problems lists the files that could not be read, with paths relative to the
// store that the folder is part of.
func (s *Store) Problems() ([]codememory.Problem, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.refresh()
	return slices.Clone(s.problems), err
}

func (s *Store) saved(e *entry) Saved {
	return Saved{e.record.clone(), filepath.Join(s.dir, e.name)}
}

// byID returns the file of a session, or nil. When a merge left two, the one
// with the latest activity counts.
func (s *Store) byID(id string) *entry {
	var best *entry
	for _, e := range s.known {
		if e.err == nil && !e.shadowed && e.record.ID == id {
			best = e
		}
	}
	return best
}

// sorted returns the readable files that fit, newest first.
func (s *Store) sorted(fits func(*entry) bool) []*entry {
	var out []*entry
	for _, e := range s.known {
		if e.err == nil && !e.shadowed && fits(e) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *entry) int {
		return cmp.Or(b.record.StartedAt.Compare(a.record.StartedAt), cmp.Compare(b.name, a.name))
	})
	return out
}

// checkFolder refuses a folder that leads elsewhere.
func (s *Store) checkFolder() error {
	info, err := os.Lstat(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", s.dir, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return codememory.Errorf(codememory.Forbidden, "%s is a symbolic link and is not followed: put the folder itself there", s.dir)
	case !info.IsDir():
		return codememory.Errorf(codememory.Conflict, "%s is not a folder: move the file away", s.dir)
	}
	return nil
}
