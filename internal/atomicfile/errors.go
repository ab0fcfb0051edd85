package atomicfile

import (
	"fmt"
	"path/filepath"

	"codememory"
)

// Coded explains a failed file operation: StorageFull when the disk or the
// quota has no room, ReadOnly when the place cannot be written, otherwise
// plainly what was done to which path. The verb is a word like "write"; the
// cause stays reachable for errors.Is.
func Coded(verb, path string, err error) error {
	switch {
	case err == nil:
		return nil
	case outOfSpace(err):
		return codememory.Errorf(codememory.StorageFull,
			"%s %s: no room on the disk or in the quota; nothing was half written: free space and try again: %w", verb, path, err)
	case readOnly(err):
		return codememory.Errorf(codememory.ReadOnly,
			"%s %s: not allowed; check who owns %s, its permissions, and that the disk is not mounted read-only: %w", verb, path, filepath.Dir(path), err)
	default:
		return fmt.Errorf("%s %s: %w", verb, path, err)
	}
}
