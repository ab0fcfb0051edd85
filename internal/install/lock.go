package install

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"codememory"
	"codememory/internal/atomicfile"
)

// lock keeps other installations out until the function that it returns is
// called. The lock file lies in the temporary folder: one in the data directory
// would be left behind by an uninstallation.
func lock(data string) (func(), error) {
	path := filepath.Join(os.TempDir(), "codememory-install-"+hashOf([]byte(data))[:12]+".lock")
	l := flock.New(path, flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return nil, atomicfile.Coded("lock", path, err)
	}
	return func() { _ = l.Unlock() }, nil
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
