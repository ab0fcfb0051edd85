package install

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gofrs/flock"

	"codememory"
	"codememory/internal/atomicfile"
)

// lock keeps other installations out. Its file lies beside the manifests and
// goes with the last of them, so that an uninstallation leaves nothing behind.
type lock struct {
	file *flock.Flock
	dir  string
	made []string // folders that were made for it
}

func takeLock(dir string) (*lock, error) {
	l := &lock{dir: dir, made: missing(dir)}
	path := filepath.Join(dir, "lock")
	for {
		// Another one may remove the folder or the file while we wait for it.
		if err := atomicfile.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		l.file = flock.New(path, flock.SetPermissions(0o600))
		err := l.file.Lock()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, atomicfile.Coded("lock", path, err)
		}
		ours, errOurs := l.file.Stat()
		there, errThere := os.Stat(path)
		if errOurs == nil && errThere == nil && os.SameFile(ours, there) {
			return l, nil
		}
		_ = l.file.Unlock()
	}
}

// release lets others in. Doing it twice is harmless.
func (l *lock) release() {
	if l.file == nil {
		return
	}
	entries, err := os.ReadDir(l.dir)
	last := err == nil && len(entries) == 1
	if last && runtime.GOOS != "windows" { // where an open file cannot be removed
		_ = os.Remove(l.file.Path())
	}
	_ = l.file.Unlock()
	if last && runtime.GOOS == "windows" {
		_ = os.Remove(l.file.Path())
	}
	for _, dir := range slices.Backward(l.made) {
		_ = os.Remove(dir) // unless something is in it
	}
	l.file = nil
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
