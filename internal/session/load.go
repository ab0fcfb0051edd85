package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
)

// fresh is how close to its reading a change of a file may be for the next one
// to bear the same time.
const fresh = 50 * time.Millisecond

// entry is a file as it was when it was read.
type entry struct {
	name     string
	size     int64
	modified time.Time
	readAt   time.Time
	record   Record
	err      error
	shadowed bool // another file of the same session is newer

	doc *document // made when it is first searched
}

func (e *entry) stem() string { return strings.TrimSuffix(e.name, ".md") }

// refresh brings what is known in line with the folder.
func (s *Store) refresh() error {
	s.problems = nil
	if err := s.checkFolder(); err != nil {
		s.known = map[string]*entry{}
		s.complain("", 0, err.Error(), "")
		return nil
	}
	list, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look through %s: %w", s.dir, err)
	}
	present := make(map[string]bool, len(list))
	for _, d := range list {
		name := d.Name()
		if !isRecordFile(name) || d.IsDir() {
			continue
		}
		if !d.Type().IsRegular() {
			s.complain(name, 0, "is not a regular file and was not followed", "put the file itself here")
			continue
		}
		info, err := d.Info()
		if err != nil {
			continue // it went away meanwhile
		}
		present[name] = true
		e := s.known[name]
		if e == nil || e.size != info.Size() || !e.modified.Equal(info.ModTime()) || e.readAt.Sub(e.modified) < fresh {
			e = s.read(name, info)
			s.known[name] = e
		}
		if e.err != nil {
			s.complainOf(e)
		}
	}
	for name := range s.known {
		if !present[name] {
			delete(s.known, name)
		}
	}
	s.shadow()
	return nil
}

// isRecordFile keeps out what editors and our own writes leave for a moment.
func isRecordFile(name string) bool {
	return strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "#") && !atomicfile.IsTemp(name)
}

func (s *Store) read(name string, info fs.FileInfo) *entry {
	e := &entry{name: name, size: info.Size(), modified: info.ModTime(), readAt: time.Now()}
	if info.Size() > MaxFileBytes {
		e.err = &ParseError{What: fmt.Sprintf("is %d bytes, a session file has at most %d", info.Size(), MaxFileBytes), Todo: "shorten it"}
		return e
	}
	root, err := os.OpenRoot(s.dir) // which a link that takes the file's place does not leave
	if err != nil {
		e.err = err
		return e
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		e.err = err
		return e
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		e.err = err
		return e
	}
	if e.record, e.err = Parse(string(data)); e.err == nil && e.record.StartedAt.IsZero() {
		e.record.StartedAt = startOf(name, info.ModTime(), s.loc)
	}
	return e
}

// startOf guesses when a session began of which the file does not say it.
func startOf(name string, modified time.Time, loc *time.Location) time.Time {
	if len(name) >= len(nameTime) {
		if t, err := time.ParseInLocation(nameTime, name[:len(nameTime)], loc); err == nil {
			return t
		}
	}
	return modified.In(loc).Truncate(time.Second)
}

// shadow lets the latest of several files of one session stand for it.
func (s *Store) shadow() {
	latest := make(map[string]*entry, len(s.known))
	for _, e := range s.known {
		e.shadowed = false
		if e.err != nil {
			continue
		}
		other := latest[e.record.ID]
		if other == nil {
			latest[e.record.ID] = e
			continue
		}
		if newer(other, e) {
			other, e = e, other
		}
		other.shadowed = true
		latest[e.record.ID] = e
		s.complain(other.name, 0, "is about the same session as "+e.name+", which is newer", "merge them into one and remove the other")
	}
}

func newer(a, b *entry) bool {
	if c := a.record.ActiveAt().Compare(b.record.ActiveAt()); c != 0 {
		return c > 0
	}
	return a.name > b.name
}

func (s *Store) complainOf(e *entry) {
	if p, ok := errors.AsType[*ParseError](e.err); ok {
		s.complain(e.name, p.Line, p.What, p.Todo)
		return
	}
	s.complain(e.name, 0, "cannot be read: "+e.err.Error(), "")
}

func (s *Store) complain(name string, line int, what, todo string) {
	path := Folder
	if name != "" {
		path += "/" + name
	}
	s.problems = append(s.problems, codememory.Problem{Path: path, Line: line, What: what, Todo: todo})
}
