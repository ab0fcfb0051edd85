package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// System error codes that package syscall does not name.
const (
	errorWriteProtect     = syscall.Errno(19)
	errorSharingViolation = syscall.Errno(32)
	errorHandleDiskFull   = syscall.Errno(39)
	errorDiskFull         = syscall.Errno(112)
	errorDiskQuota        = syscall.Errno(1295)
)

func outOfSpace(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull) || errors.Is(err, errorDiskQuota)
}

func readOnly(err error) bool {
	return errors.Is(err, errorWriteProtect) || errors.Is(err, fs.ErrPermission)
}

// rename replaces to. Virus scanners and indexers open fresh files for a
// moment, which makes a rename fail that works a little later.
func rename(from, to string) error {
	const tries = 8
	wait := 5 * time.Millisecond
	for try := 1; ; try++ {
		err := os.Rename(from, to)
		transient := errors.Is(err, errorSharingViolation) || errors.Is(err, fs.ErrPermission)
		if err == nil || !transient || try == tries {
			return err
		}
		time.Sleep(wait)
		wait *= 2
	}
}

// syncDir does nothing: Windows has no sync of directories, and NTFS journals
// names by itself.
func syncDir(string) error { return nil }
