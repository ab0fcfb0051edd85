package client

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"time"

	"codememory/internal/daemon/rendezvous"
	"codememory/internal/paths"
)

// EnvDisable switches everything off; here: no daemon is started.
const EnvDisable = "CODEMEMORY_DISABLE"

// EnsureOptions says which daemon is wanted.
type EnsureOptions struct {
	Layout  paths.Layout
	Version string // of this program; an older daemon is replaced
	// KeepOlder uses an older daemon as it is. Hooks set it: an upgrade must
	// not make every prompt wait for a restart.
	KeepOlder bool
	// NoStart uses a running daemon only, as configured by daemon.autostart.
	NoStart bool
	// Disabled starts none because everything is switched off by
	// configuration; the environment says so by itself.
	Disabled bool
	Wait     time.Duration // for a daemon to come up; default 3 s
	// Command starts a daemon in the foreground; default this program with the
	// arguments daemon --detached.
	Command []string
	Log     *slog.Logger // warnings; default none
}

// leaveTime is how long an older daemon may take to leave: it finishes the
// requests in progress, for 5 s at most, and closes its stores.
const leaveTime = 8 * time.Second

// Find returns a client of the running daemon without starting one. When there
// is none, the error is a *StartError.
func Find(ctx context.Context, l paths.Layout) (*Client, error) {
	return Ensure(ctx, EnsureOptions{Layout: l, KeepOlder: true, NoStart: true})
}

// Ensure returns a client of the running daemon, which is started when there is
// none and replaced when it is older than this program. However many programs
// ask at once, one daemon is started. The error is a *StartError, which says
// whether the caller may open the stores itself.
func Ensure(ctx context.Context, o EnsureOptions) (*Client, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == 0 {
		o.Wait = 3 * time.Second
	}
	if _, err := rendezvous.ReadInfo(o.Layout); err != nil && o.NoStart {
		return nil, notRunning() // and nothing is written to learn that
	}
	token, err := rendezvous.Token(o.Layout, o.Log)
	if err != nil {
		return nil, &StartError{Reason: CannotStart, Err: err}
	}
	c, state := probe(ctx, o.Layout, token)
	switch {
	case state == alive && !o.replaces(c):
		return c, nil
	case state == silent && rendezvous.Running(o.Layout):
		return nil, o.silence()
	case state != alive && o.NoStart:
		return nil, notRunning()
	case o.Disabled || disabled():
		if state == alive {
			return c, nil
		}
		return nil, failed(Disabled, "no daemon is started because CodeMemory is switched off by %s or the setting disable", EnvDisable)
	}
	return o.start(ctx, token)
}

func notRunning() error {
	return failed(NotRunning, "no daemon is running: start it with codememory daemon")
}

func (o EnsureOptions) replaces(c *Client) bool {
	return !o.KeepOlder && !o.NoStart && newer(o.Version, c.version)
}

func disabled() bool {
	v := os.Getenv(EnvDisable)
	off, err := strconv.ParseBool(v)
	return v != "" && (err != nil || off)
}

func (o EnsureOptions) silence() error {
	info, _ := rendezvous.ReadInfo(o.Layout)
	return failed(Silent, "the daemon (process %d) does not answer at %s: end that process and try again; %s may say what it does", info.PID, info.Address(), o.Layout.LogFile())
}

// start brings a daemon up while holding the lock of starters.
func (o EnsureOptions) start(ctx context.Context, token string) (*Client, error) {
	waiting, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	lock, err := rendezvous.LockStart(waiting, o.Layout)
	if err != nil {
		return nil, &StartError{Reason: TooSlow, Err: err}
	}
	defer func() { _ = lock.Unlock() }() // it goes with the process otherwise

	// Whoever held the lock before may have done the work.
	if c, state := probe(ctx, o.Layout, token); state == alive {
		if !o.replaces(c) {
			return c, nil
		}
		o.Log.Info("replacing an older daemon", "old", c.version, "new", o.Version)
		if !o.dismiss(ctx, c) {
			o.Log.Warn("the older daemon does not leave; using it", "version", c.version)
			return c, nil
		}
		c.Close()
	}
	return o.launch(ctx, token)
}

// dismiss asks an older daemon to leave and reports whether it did.
func (o EnsureOptions) dismiss(ctx context.Context, c *Client) bool {
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	if err := c.Shutdown(ctx); err != nil {
		return false
	}
	for ctx.Err() == nil {
		if !rendezvous.Running(o.Layout) {
			return true
		}
		pause(ctx, 20*time.Millisecond)
	}
	return false
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
