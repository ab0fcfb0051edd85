package jsonl

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stamp changes when a file does.
type stamp struct {
	size, mtime int64
	inode       uint64
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime().UnixNano(), inode(info)}
}

// file is a transcript as it looked at the last scan.
type file struct {
	Place
	stamp
}

// print is short text that changes when the file does or is moved.
func (f *file) print() string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(f.Path)) // a hash takes everything
	return strings.Join([]string{strconv.FormatInt(f.size, 36), strconv.FormatInt(f.mtime, 36), strconv.FormatUint(f.inode, 36), strconv.FormatUint(uint64(h.Sum32()), 36)}, ".")
}

// folder is what a folder held when it was last read.
type folder struct {
	mtime   int64
	read    time.Time // by the clock of the machine
	folders []named
	files   []named
}

// named is something in a folder.
type named struct{ path, rel string }

// fresh is how long after its last change a folder is read again even if its
// time is the same: within one tick of a disk's clock it may change twice.
const fresh = 2 * time.Second

// tree knows the transcripts below the roots. Folders are read only when they
// changed.
type tree struct {
	format Format

	mu         sync.Mutex
	folders    map[string]*folder
	files      map[string]*file // by path; nil when it is no transcript
	sessions   map[string]*file // the newest file of each session
	changes    uint64           // counts the scans that found a difference
	unreadable map[string]error
}

func newTree(f Format) *tree {
	return &tree{format: f, folders: map[string]*folder{}, files: map[string]*file{}, sessions: map[string]*file{}, unreadable: map[string]error{}}
}

// scan looks at what is there now. It fails with fs.ErrNotExist when there is
// no root.
func (t *tree) scan(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.scanLocked(ctx)
}

func (t *tree) scanLocked(ctx context.Context) error {
	s := scan{tree: t, ctx: ctx, seen: make(map[string]bool, len(t.files)), folders: make(map[string]bool, len(t.folders))}
	var missing error
	found := false
	for _, root := range t.format.Roots {
		switch err := s.folder(root, ""); {
		case err == nil:
			found = true
		case errors.Is(err, fs.ErrNotExist):
		default:
			missing = err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.forget()
	if s.changed {
		t.changes++
		t.index()
	}
	if found {
		return nil
	}
	if missing != nil {
		return missing
	}
	return fs.ErrNotExist
}

// scan is one look at a tree.
type scan struct {
	tree    *tree
	ctx     context.Context
	root    string
	seen    map[string]bool
	folders map[string]bool
	changed bool
}

// folder looks at a folder and what is below it.
func (s *scan) folder(dir, rel string) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if rel == "" {
		s.root = dir
	}
	f, err := s.read(dir, rel)
	if err != nil {
		return err
	}
	s.folders[dir] = true
	for _, n := range f.files {
		s.file(n.path, n.rel)
	}
	for _, n := range f.folders {
		_ = s.folder(n.path, n.rel) // noted as unreadable
	}
	return nil
}

// read returns what a folder holds, from memory when it did not change.
func (s *scan) read(dir, rel string) (*folder, error) {
	t := s.tree
	known := t.folders[dir]
	info, err := os.Stat(dir)
	if err != nil {
		return s.unread(dir, known, err)
	}
	mtime := info.ModTime().UnixNano()
	if known != nil && known.mtime == mtime && known.read.Sub(info.ModTime()) > fresh {
		return known, nil
	}
	now := time.Now()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return s.unread(dir, known, err)
	}
	delete(t.unreadable, dir)
	f := &folder{mtime: mtime, read: now}
	for _, e := range entries {
		n := named{filepath.Join(dir, e.Name()), path.Join(rel, e.Name())}
		switch {
		case e.IsDir():
			if t.format.Enter(n.rel) {
				f.folders = append(f.folders, n)
			}
		case strings.HasSuffix(n.rel, ".jsonl"):
			f.files = append(f.files, n)
		}
	}
	t.folders[dir] = f
	return f, nil
}

// unread says what to do about a folder that cannot be read: what was in it is
// not gone because of that.
func (s *scan) unread(dir string, known *folder, err error) (*folder, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.tree.unreadable[dir] = err
	if known != nil {
		return known, nil
	}
	return nil, err
}

// file looks at a file.
func (s *scan) file(path, rel string) {
	t := s.tree
	known := t.files[path]
	info, err := os.Stat(path)
	if err != nil {
		s.seen[path] = !errors.Is(err, fs.ErrNotExist)
		return
	}
	if !info.Mode().IsRegular() {
		return
	}
	s.seen[path] = true
	now := stampOf(info)
	if known != nil && known.stamp == now {
		return
	}
	if known != nil && known.inode == now.inode && known.size <= now.size {
		t.files[path] = &file{Place: known.Place, stamp: now}
		s.changed = true
		return
	}
	place, ok := t.format.Identify(s.root, rel)
	if !ok {
		s.changed = s.changed || known != nil
		t.files[path] = nil
		return
	}
	place.Path = path
	t.files[path] = &file{Place: place, stamp: now}
	s.changed = true
}

// forget drops what is not there any more.
func (s *scan) forget() {
	for path, f := range s.tree.files {
		if !s.seen[path] {
			delete(s.tree.files, path)
			s.changed = s.changed || f != nil
		}
	}
	for dir := range s.tree.folders {
		if !s.folders[dir] {
			delete(s.tree.folders, dir)
			delete(s.tree.unreadable, dir)
		}
	}
}

// index finds the newest file of each session.
func (t *tree) index() {
	t.sessions = make(map[string]*file, len(t.files))
	for _, f := range t.files {
		if f == nil {
			continue
		}
		if other := t.sessions[f.ID]; other == nil || f.mtime > other.mtime || f.mtime == other.mtime && f.Path > other.Path {
			t.sessions[f.ID] = f
		}
	}
}

// all scans and returns the file of each session, last changed first.
func (t *tree) all(ctx context.Context) ([]file, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.scanLocked(ctx); err != nil {
		return nil, err
	}
	files := make([]file, 0, len(t.sessions))
	for _, f := range t.sessions {
		files = append(files, *f)
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(cmp.Compare(b.mtime, a.mtime), strings.Compare(a.ID, b.ID))
	})
	return files, nil
}

// find returns the file of a session. It looks at the whole tree only when the
// session is not where it was.
func (t *tree) find(ctx context.Context, id string) (file, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.sessions[id]; f != nil {
		info, err := os.Stat(f.Path)
		if err == nil && inode(info) == f.inode && info.Size() >= f.size {
			return file{Place: f.Place, stamp: stampOf(info)}, true, nil
		}
	}
	if err := t.scanLocked(ctx); err != nil {
		return file{}, false, err
	}
	f := t.sessions[id]
	if f == nil {
		return file{}, false, nil
	}
	return *f, true, nil
}

// activity returns when a subagent of the session last wrote, as far as paths
// tell whose it is.
func (t *tree) activity(parent string) (last time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.sessions {
		if f.Parent != parent {
			continue
		}
		if info, err := os.Stat(f.Path); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// activeFolders returns the folders of the files that changed last, without
// the known ones.
func (t *tree) activeFolders(most int, known []string) (dirs []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := map[string]int64{}
	for path, f := range t.files {
		if f != nil {
			dir := filepath.Dir(path)
			last[dir] = max(last[dir], f.mtime)
		}
	}
	for dir := range last {
		if !slices.Contains(known, dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(cmp.Compare(last[b], last[a]), strings.Compare(a, b))
	})
	return dirs[:min(most, len(dirs))]
}
