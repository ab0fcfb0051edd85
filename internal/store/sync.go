package store

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"codememory"
	"codememory/internal/memfile"
	"codememory/internal/sqlite"
)

// SyncReport says what Sync found changed in the text.
type SyncReport struct {
	Projected int
	Removed   int
	Problems  []codememory.Problem
}

// Sync compares the files with what was projected and projects the difference.
func (s *Store) Sync(ctx context.Context) (SyncReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, err := s.db.Files(ctx)
	if err != nil {
		return SyncReport{}, err
	}
	d := newDifference(known)
	if err := memfile.Scan(s.opts.Dir, d.saw, d.bad); err != nil {
		return SyncReport{}, err
	}
	for path := range known {
		if _, ok := d.stamps[path]; !ok {
			d.gone = append(d.gone, path)
		}
	}
	d.reconsider()
	return s.apply(ctx, d)
}

// reconsider looks again at files that were ignored for the sake of one that
// is gone now.
func (d *difference) reconsider() {
	if len(d.gone) == 0 {
		return
	}
	for path, k := range d.known {
		if _, there := d.stamps[path]; there && k.ID == "" && !slices.Contains(d.changed, path) {
			d.changed = append(d.changed, path)
		}
	}
}

// difference is how the files differ from what was projected.
type difference struct {
	known    map[string]sqlite.KnownFile
	stamps   map[string]memfile.Stamp // of all files seen
	changed  []string
	gone     []string
	problems []codememory.Problem
}

func newDifference(known map[string]sqlite.KnownFile) *difference {
	return &difference{known: known, stamps: make(map[string]memfile.Stamp, len(known))}
}

func (d *difference) saw(path string, stamp memfile.Stamp) error {
	d.stamps[path] = stamp
	k, ok := d.known[path]
	if !ok || k.Stamp.Size != stamp.Size || !k.Stamp.ModTime.Equal(stamp.ModTime) {
		d.changed = append(d.changed, path)
	}
	return nil
}

func (d *difference) bad(p codememory.Problem) { d.problems = append(d.problems, p) }

// apply projects a difference. The caller holds mu.
func (s *Store) apply(ctx context.Context, d *difference) (SyncReport, error) {
	graves, err := memfile.ReadTombstones(s.opts.Dir, d.bad)
	if err != nil {
		return SyncReport{}, err
	}
	if err := s.db.PutTombstones(ctx, graves); err != nil {
		return SyncReport{}, err
	}
	purged, err := s.db.Tombstoned(ctx)
	if err != nil {
		return SyncReport{}, err
	}
	sort.Strings(d.changed)
	read, err := s.readAll(ctx, d.changed)
	if err != nil {
		return SyncReport{}, err
	}
	rows, restamp, removed := s.sortOut(d, read, purged)
	problems := withPath(d.problems)
	rep := SyncReport{Projected: len(rows), Removed: len(removed), Problems: problems}
	if len(restamp) > 0 {
		if err := s.db.Restamp(ctx, restamp); err != nil {
			return rep, err
		}
	}
	if err := s.db.SetProblems(ctx, append(d.changed, d.gone...), problems, d.stamps); err != nil {
		return rep, err
	}
	if len(rows)+len(removed) == 0 {
		return rep, nil
	}
	return rep, s.project(ctx, rows, removed, true)
}

type readFile struct {
	memory codememory.Memory
	file   memfile.File
	row    sqlite.Row
	err    error
}

// readAll reads files on all cores; an unreadable one is a result, not an error.
func (s *Store) readAll(ctx context.Context, paths []string) ([]readFile, error) {
	out := make([]readFile, len(paths))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const batch = 64
	var done atomic.Int64
	for from := 0; from < len(paths); from += batch {
		g.Go(func() error {
			for i := from; i < min(from+batch, len(paths)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				r := &out[i]
				r.memory, r.file, r.err = memfile.Read(s.opts.Dir, paths[i])
				if r.err == nil {
					r.row = projected(r.memory, r.file)
				}
			}
			if n := done.Add(int64(min(batch, len(paths)-from))); s.opts.Progress != nil {
				s.opts.Progress(int(n), len(paths))
			}
			return nil
		})
	}
	return out, g.Wait()
}

// sortOut decides what becomes of each changed file.
func (s *Store) sortOut(d *difference, read []readFile, purged map[string]bool) (rows []sqlite.Row, restamp map[string]memfile.Stamp, removed []string) {
	restamp = map[string]memfile.Stamp{}
	claimed := map[string]int{} // id → index in rows
	holder := map[string]string{}
	for path, k := range d.known {
		if k.ID != "" {
			holder[k.ID] = path
		}
	}
	gone := map[string]bool{}
	for _, p := range d.gone {
		gone[p] = true
	}
	unreadable := map[string]bool{}
	for i, path := range d.changed {
		r := read[i]
		k, wasKnown := d.known[path]
		switch {
		case errors.Is(r.err, fs.ErrNotExist):
			gone[path] = true
			d.gone = append(d.gone, path)
			continue
		case r.err != nil:
			d.problems = append(d.problems, problemOf(path, r.err))
			unreadable[path] = true
			continue
		case purged[r.memory.ID]:
			d.problems = append(d.problems, codememory.Problem{Path: path, What: "was purged and is ignored", Todo: "delete the file"})
			unreadable[path] = true
			continue
		case wasKnown && k.ID == r.memory.ID && k.Hash == r.file.Hash:
			restamp[path] = r.file.Stamp
			continue
		}
		id := r.memory.ID
		if at := holder[id]; at != "" && at != path && !gone[at] && !unreadable[at] && !s.changedAway(d, read, at, id) {
			d.problems = append(d.problems, codememory.Problem{Path: path, What: "has the id of " + at + " and is ignored", Todo: "delete one of the two"})
			continue
		}
		row := r.row
		if at, twice := claimed[id]; twice {
			loser := path
			if path == s.pathFor(&r.memory) {
				loser, rows[at] = rows[at].File.Path, row
			}
			d.problems = append(d.problems, codememory.Problem{Path: loser, What: "has the id of another file and is ignored", Todo: "delete one of the two"})
			continue
		}
		claimed[id] = len(rows)
		rows = append(rows, row)
	}
	for path, k := range d.known {
		_, replaced := claimed[k.ID]
		if k.ID != "" && !replaced && (gone[path] || unreadable[path] || s.changedAway(d, read, path, k.ID)) {
			removed = append(removed, k.ID)
		}
	}
	// In the order in which they were made, so that a rebuilt database numbers
	// its documents, and breaks ties between them, as the first one did.
	slices.SortFunc(rows, func(a, b sqlite.Row) int { return strings.Compare(a.Memory.ID, b.Memory.ID) })
	return rows, restamp, removed
}

// changedAway reports whether the changed file at path now holds another memory.
func (s *Store) changedAway(d *difference, read []readFile, path, id string) bool {
	i := sort.SearchStrings(d.changed, path)
	if i < len(d.changed) && d.changed[i] == path {
		return read[i].err == nil && read[i].memory.ID != id
	}
	return false
}

func problemOf(path string, err error) codememory.Problem {
	p := codememory.Problem{Path: path, What: err.Error(), Todo: "mend the file; the rest of the store works"}
	if le, ok := errors.AsType[*memfile.LineError](err); ok {
		p.Line, p.What = le.Line, le.Msg
	}
	return p
}

// withPath keeps one problem per file, the first.
func withPath(ps []codememory.Problem) []codememory.Problem {
	seen := map[string]bool{}
	out := ps[:0:0]
	for _, p := range ps {
		if !seen[p.Path] {
			seen[p.Path] = true
			out = append(out, p)
		}
	}
	return out
}
