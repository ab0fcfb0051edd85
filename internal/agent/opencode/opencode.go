// Package opencode reads the conversations of OpenCode from its own SQLite
// database, in place and while OpenCode is writing to it. It never writes, and
// what it does not understand it leaves out instead of failing.
package opencode

import (
	"context"
	"os"
	"sync"
	"time"

	"codememory"
)

// Agent is the name under which turns and conversations come.
const Agent = "opencode"

// Defaults of Options.
const (
	DefaultQuiet       = 5 * time.Minute
	DefaultBusyTimeout = 2 * time.Second
)

// Options say where OpenCode's records are and how to read them. The zero value
// reads what OpenCode itself would use in this environment.
type Options struct {
	// Path is a database that overrides discovery.
	Path string
	// Env looks up environment variables; nil means os.Getenv.
	Env func(string) string
	// Quiet is how long a turn without a recorded end may stay unchanged until
	// it counts as aborted.
	Quiet time.Duration
	// BusyTimeout is how long to wait for a database that is locked.
	BusyTimeout time.Duration
	// Strip removes the text that CodeMemory put into a conversation; nil
	// leaves all text as it is.
	Strip func(string) string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Reader reads OpenCode's database. It opens it when first asked, and again
// when the file was replaced. It is safe for concurrent use.
type Reader struct {
	opts Options

	mu      sync.Mutex
	current *handle
	located time.Time // when current was chosen among the candidates
	closed  bool

	damaged damage
}

var _ codememory.Transcripts = (*Reader)(nil)

// New returns a reader. The database need not exist yet.
func New(o Options) *Reader {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Quiet <= 0 {
		o.Quiet = DefaultQuiet
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = DefaultBusyTimeout
	}
	if o.Strip == nil {
		o.Strip = func(s string) string { return s }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Reader{opts: o}
}

// Agent returns "opencode".
func (r *Reader) Agent() string { return Agent }

// Turns returns the turns of a session in order, without those that the user
// undid.
func (r *Reader) Turns(ctx context.Context, session string, maxOutput int) ([]codememory.Turn, error) {
	var turns []codememory.Turn
	err := r.view(ctx, func(v *view) error {
		s, err := v.session(ctx, session)
		if err != nil {
			return err
		}
		messages, err := v.messages(ctx, session, maxOutput)
		if err != nil {
			return err
		}
		b := builder{session: s, strip: r.opts.Strip, quiet: r.opts.Quiet, now: r.opts.Now(), activity: v.childActivity(ctx)}
		turns = b.build(s.revert.hide(messages))
		return nil
	})
	return turns, err
}
