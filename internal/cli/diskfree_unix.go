//go:build !windows

package cli

import "golang.org/x/sys/unix"

// diskFree returns how many bytes an ordinary user can still write to dir.
func diskFree(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
