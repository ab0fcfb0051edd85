//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

func outOfSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM)
}

func rename(from, to string) error { return os.Rename(from, to) }

// syncDir makes new names in dir durable. Some network and FUSE file systems
// cannot sync a directory and say so; there is nothing more to be done there.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return Coded("sync directory", dir, err)
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return Coded("sync directory", dir, err)
}
