package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/paths"

	"github.com/gofrs/flock"
)

// The exit codes by which a daemon that could not start tells its starter why.
const (
	ExitRunning  = 75 // another daemon holds the lock
	ExitPortBusy = 76 // another program has the port
)

// Lock is held until Unlock is called or the process ends, however it ends.
type Lock struct{ file *flock.Flock }

// Unlock gives the lock back.
func (l *Lock) Unlock() error { return l.file.Close() }

// ErrRunning is the cause when another daemon has the lock.
var ErrRunning = errors.New("another daemon is running")

// LockDaemon takes the lock that makes a process the only daemon of its user.
// It fails with Conflict and ErrRunning when another one has it.
func LockDaemon(l paths.Layout) (*Lock, error) {
	lock, err := newLock(l, l.LockFile())
	if err != nil {
		return nil, err
	}
	// A client that looks whether a daemon is running has it for an instant.
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	switch got, err := lock.file.TryLockContext(ctx, 5*time.Millisecond); {
	case got:
		return lock, nil
	case errors.Is(err, context.DeadlineExceeded):
		return nil, codememory.Errorf(codememory.Conflict, "%w%s; codememory stop ends it", ErrRunning, whereabouts(l))
	default:
		return nil, atomicfile.Coded("lock", l.LockFile(), err)
	}
}

// Running reports whether a daemon lives, be it that it answers or not.
func Running(l paths.Layout) bool {
	lock, err := newLock(l, l.LockFile())
	if err != nil {
		return false
	}
	defer func() { _ = lock.Unlock() }() // nothing was changed
	got, err := lock.file.TryLock()
	return err == nil && !got
}

// whereabouts names the daemon that runs, if it has said where it is.
func whereabouts(l paths.Layout) string {
	info, err := ReadInfo(l)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d at %s)", info.PID, info.Address())
}

// LockStart takes the lock under which one client at a time starts the daemon.
// It fails with Unavailable when ctx ends first.
func LockStart(ctx context.Context, l paths.Layout) (*Lock, error) {
	path := filepath.Join(l.Data, "daemon.start.lock")
	lock, err := newLock(l, path)
	if err != nil {
		return nil, err
	}
	got, err := lock.file.TryLockContext(ctx, 10*time.Millisecond)
	switch {
	case got:
		return lock, nil
	case ctx.Err() != nil:
		return nil, codememory.Errorf(codememory.Unavailable, "another program is starting the daemon and has not finished")
	default:
		return nil, atomicfile.Coded("lock", path, err)
	}
}

func newLock(l paths.Layout, path string) (*Lock, error) {
	if err := atomicfile.MkdirAll(l.Data, 0o700); err != nil {
		return nil, err
	}
	return &Lock{flock.New(path, flock.SetPermissions(0o600))}, nil
}
