// Package project knows the projects of this machine: which one a folder
// belongs to, and by which other names it is known.
//
// A project is a repository with all its worktrees and clones, or a plain
// folder. Its id is made once, from the normalised remote, else the git common
// directory, else the path, and then stays: when a remote is added or renamed,
// or a folder moves, the registry finds the project again by what it already
// knows and only learns the new names. Resolving a known folder reads a few
// small files and starts no process.
//
// The registry is one JSON file that several processes share. Writers take a
// file lock, read it anew, and replace it whole.
package project

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"codememory"
	"codememory/internal/atomicfile"
)

const (
	fileName = "projects.json"
	lockName = "projects.lock" // never removed: a lock on an unlinked file excludes nobody

	lockWait  = 10 * time.Second
	lockRetry = 3 * time.Millisecond
)

// Registry is the projects of this machine. It may be used by many goroutines,
// and by several processes on one data directory.
type Registry struct {
	dir       string
	noProject map[string]bool
	now       func() time.Time

	cached atomic.Pointer[snapshot]

	mu       sync.Mutex // held while changing the file, in this process
	warnMu   sync.Mutex
	warnings []error
}

// Option changes how a registry works.
type Option func(*Registry)

// WithClock replaces time.Now, for tests.
func WithClock(now func() time.Time) Option { return func(r *Registry) { r.now = now } }

// Open opens the registry in dataDir, which is created when the first project
// is registered. A damaged file is set aside and reported by Warnings. It fails
// with Conflict when a newer version of the program wrote the file.
func Open(dataDir string, opts ...Option) (*Registry, error) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return nil, codememory.Errorf(codememory.Invalid, "data directory %s: %w", dataDir, err)
	}
	r := &Registry{dir: dir, noProject: placesWithoutProject(), now: time.Now}
	for _, o := range opts {
		o(r)
	}
	if _, err := r.current(); err != nil {
		return nil, err
	}
	return r, nil
}

// Warnings returns what went wrong without stopping anything since the last
// call, such as a damaged file that was set aside.
func (r *Registry) Warnings() []error {
	r.warnMu.Lock()
	defer r.warnMu.Unlock()
	w := r.warnings
	r.warnings = nil
	return w
}

func (r *Registry) warn(err error) {
	r.warnMu.Lock()
	defer r.warnMu.Unlock()
	r.warnings = append(r.warnings, err)
}

func (r *Registry) file() string { return filepath.Join(r.dir, fileName) }

// current returns the registry as the file has it now.
func (r *Registry) current() (*snapshot, error) {
	info, err := os.Stat(r.file())
	if snap := r.cached.Load(); snap != nil && snap.isOf(info, err) {
		return snap, nil
	}
	snap, err := readSnapshot(r.file())
	if isDamaged(err) {
		if err := r.update(context.Background(), func(*state) error { return nil }); err != nil {
			r.warn(err) // a read-only disk: work with what there is, nothing
			return newSnapshot(&state{}, nil), nil
		}
		return r.cached.Load(), nil
	}
	if err != nil {
		return nil, err
	}
	r.cached.Store(snap)
	return snap, nil
}

// update lets change work on the newest state, writes it when it differs, and
// makes it current. No other process changes the file meanwhile.
func (r *Registry) update(ctx context.Context, change func(*state) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	snap, err := readSnapshot(r.file())
	if isDamaged(err) {
		aside, asideErr := r.setAside()
		if asideErr != nil {
			return asideErr
		}
		r.warn(codememory.Errorf(codememory.Internal, "%w; it was set aside as %s and the projects are registered anew as they are used", err, aside))
		snap, err = newSnapshot(&state{}, nil), nil
	}
	if err != nil {
		return err
	}
	next := snap.state
	if err := change(next); err != nil {
		return err
	}
	data, err := next.encode()
	if err != nil {
		return err
	}
	if !snap.wrote(data) {
		if err := atomicfile.Write(r.file(), data, 0o600); err != nil {
			return err
		}
	}
	info, _ := os.Stat(r.file())
	done := newSnapshot(next, data)
	done.info = info
	r.cached.Store(done)
	return nil
}

// lock takes the lock between processes.
func (r *Registry) lock(ctx context.Context) (unlock func(), err error) {
	if err := atomicfile.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(r.dir, lockName)
	lock := flock.New(path, flock.SetPermissions(0o600))
	limited, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	locked, err := lock.TryLockContext(limited, lockRetry)
	switch {
	case locked:
		return func() { _ = lock.Close() }, nil
	case ctx.Err() != nil:
		return nil, codememory.Errorf(codememory.Unavailable, "lock %s: %w", path, ctx.Err())
	case limited.Err() != nil:
		return nil, codememory.Errorf(codememory.Unavailable, "%s is locked by another process for more than %s: look for a stuck codememory process", path, lockWait)
	default:
		return nil, atomicfile.Coded("lock", path, err)
	}
}

// setAside renames a damaged file so that nothing in it is lost.
func (r *Registry) setAside() (string, error) {
	aside := r.file() + ".corrupt-" + r.now().UTC().Format("20060102T150405.000")
	if err := os.Rename(r.file(), aside); err != nil {
		return "", atomicfile.Coded("set aside", r.file(), err)
	}
	return aside, nil
}
