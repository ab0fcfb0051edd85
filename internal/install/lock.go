package install

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"codememory"
	"codememory/internal/atomicfile"
)

// lock keeps other installations out. Its file lies beside the manifests, goes
// with the last of them, and lists the folders that then go too, so that an
// uninstallation leaves nothing behind.
type lock struct {
	file  *flock.Flock
	dir   string
	made  []string // the folders that were made for the manifests
	fresh []string // those of them that were made just now
}

func lockFile(dir string) string { return filepath.Join(dir, "lock") }

// lockedFolders reads the list in a lock file.
func lockedFolders(dir string) []string {
	data, err := os.ReadFile(lockFile(dir))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool { return !filepath.IsAbs(line) })
}

func takeLock(dir string) (*lock, error) {
	l := &lock{dir: dir}
	return l, l.take()
}

// take waits for the lock. Another one may remove the folder or the file
// meanwhile.
func (l *lock) take() error {
	const enough = 1000
	path := lockFile(l.dir)
	for tries := 0; ; tries++ {
		l.fresh = append(l.fresh, missing(l.dir)...)
		err := atomicfile.MkdirAll(l.dir, 0o700)
		if err == nil {
			l.file = flock.New(path, flock.SetPermissions(0o600))
			err = l.file.Lock()
		}
		if tries < enough && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist)) {
			continue
		}
		if err != nil {
			return atomicfile.Coded("lock", path, err)
		}
		ours, errOurs := l.file.Stat()
		there, errThere := os.Stat(path)
		if errOurs == nil && errThere == nil && os.SameFile(ours, there) {
			return l.list()
		}
		_ = l.file.Unlock()
	}
}

// list adds the folders that we made to those in the file.
func (l *lock) list() error {
	before := lockedFolders(l.dir)
	l.made = append(append(l.made, before...), l.fresh...)
	slices.Sort(l.made)
	l.made = slices.Compact(l.made)
	if len(l.made) == len(before) {
		return nil
	}
	path := lockFile(l.dir)
	return atomicfile.Coded("write", path, os.WriteFile(path, []byte(strings.Join(l.made, "\n")+"\n"), 0o600))
}

// release lets others in, and removes the folders once no manifest is left. One
// that waits may have made its lock anew in the folder just then; since it does
// not know whose the folder is, we come back for it.
func (l *lock) release() {
	for {
		if !l.alone() {
			_ = l.file.Unlock()
			return
		}
		if runtime.GOOS == "windows" { // where an open file cannot be removed
			_ = l.file.Unlock()
		}
		_ = os.Remove(l.file.Path())
		for _, dir := range slices.Backward(l.made) {
			_ = os.Remove(dir) // unless something is in it
		}
		_ = l.file.Unlock()
		if !slices.Contains(l.made, l.dir) || !l.alone() || l.take() != nil {
			return
		}
	}
}

// alone reports whether nothing but a lock is in the folder.
func (l *lock) alone() bool {
	entries, err := os.ReadDir(l.dir)
	return err == nil && len(entries) <= 1 && (len(entries) == 0 || entries[0].Name() == "lock")
}

// writable refuses a file that its owner wrote-protected, which replacing it
// would not notice.
func writable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return atomicfile.Coded("read", path, err)
	case info.IsDir():
		return codememory.Errorf(codememory.Conflict, "%s is a folder: move it away and try again", path)
	case info.Mode().Perm()&0o200 == 0:
		return codememory.Errorf(codememory.ReadOnly, "%s is write-protected (%04o): make it writable for yourself and try again; nothing was changed", path, info.Mode().Perm())
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
