// Package jsonl is what the readers of agents have in common that keep each
// conversation in an append-only file with one JSON object on a line: finding
// the files, noticing which of them changed, reading on where the last look
// ended, and telling when a turn is over. What the rows mean is the business of
// the package named after the agent.
package jsonl

import (
	"context"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"codememory"
)

// DefaultQuiet is how long a turn without a recorded end may stay unchanged
// until it counts as aborted: longer than a command of an agent may run.
const DefaultQuiet = 15 * time.Minute

// Options are those of every reader. The zero value reads what the agent itself
// would use in this environment.
type Options struct {
	// Dir is the folder of the agent's data that overrides discovery.
	Dir string
	// Env looks up environment variables; nil means os.Getenv.
	Env func(string) string
	// Strip removes the text that CodeMemory put into a conversation; nil
	// leaves all text as it is.
	Strip func(string) string
	// Quiet is how long a turn without a recorded end may stay unchanged until
	// it counts as aborted.
	Quiet time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// WithDefaults fills in what was not said.
func (o Options) WithDefaults() Options {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Strip == nil {
		o.Strip = func(s string) string { return s }
	}
	if o.Quiet <= 0 {
		o.Quiet = DefaultQuiet
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Home is the user's home folder, or empty.
func (o Options) Home() string {
	if runtime.GOOS == "windows" {
		return o.Env("USERPROFILE")
	}
	return o.Env("HOME")
}

// Format says where an agent keeps its transcripts and how to read them.
type Format struct {
	Agent string // as turns name it
	Name  string // as people name it
	// Roots are the folders in which transcripts are, the first is where the
	// agent puts new ones. None means that they cannot be known.
	Roots []string
	// Enter reports whether transcripts may be in or below a folder, given by
	// its slash-separated path below a root.
	Enter func(rel string) bool
	// Identify says which session a file holds, or false when it is no
	// transcript. It is asked when a file is new or was replaced.
	Identify func(root, rel string) (Place, bool)
	// Begin returns a parser of a file from its beginning. It keeps at most
	// keep bytes of the output of each tool, 0 means all.
	Begin func(p Place, keep int) Parser
	// Settle is how long a turn that looks finished must stay unchanged, for
	// agents that do not record the end of a turn.
	Settle time.Duration
}

// Place is a file with the session that it holds.
type Place struct {
	Path     string
	ID       string
	Parent   string // as far as the path tells
	Archived bool
}

// Parser takes in a transcript line by line. It is used by one goroutine at a
// time, and stays alive while the file grows.
type Parser interface {
	// Line takes in one line and reports false when it cannot be read. The
	// bytes are the caller's: the parser keeps no part of them.
	Line(line []byte) bool
	// Log returns what was read so far. The parser goes on to change it.
	Log() *Log
}

// Reader reads the transcripts of one agent. It is safe for concurrent use.
type Reader struct {
	format Format
	opts   Options

	tree *tree // which files there are

	mu        sync.Mutex
	logs      []*entry           // parsed files, last used first
	room      int                // for their text, in bytes
	summaries map[string]summary // by path
	feed      feed               // what Changed last answered
	heard     map[string]ends    // by session
}

var (
	_ codememory.Transcripts  = (*Reader)(nil)
	_ codememory.TurnListener = (*Reader)(nil)
)

// NewReader returns a reader of a format. Nothing is opened before it is needed.
func NewReader(f Format, o Options) *Reader {
	return &Reader{format: f, opts: o.WithDefaults(), tree: newTree(f), room: keptBytes, summaries: map[string]summary{}, heard: map[string]ends{}}
}

// Agent returns the agent's name as turns have it.
func (r *Reader) Agent() string { return r.format.Agent }

// Watched lists the folders in which a change means new records: those of the
// transcripts that changed last, and the roots.
func (r *Reader) Watched() []string {
	_ = r.tree.scan(context.Background()) // what cannot be read cannot be watched
	watched := append([]string{}, r.format.Roots...)
	return append(watched, r.tree.activeFolders(mostWatched, watched)...)
}

// mostWatched bounds the folders that Watched lists besides the roots: systems
// limit how many can be watched, and old ones do not change.
const mostWatched = 32

// notFound says that the agent has no records here.
func (r *Reader) notFound() error {
	if len(r.format.Roots) == 0 {
		return codememory.Errorf(codememory.NotFound, "%s has no records here: the home folder is unknown", r.format.Name)
	}
	return codememory.Errorf(codememory.NotFound, "%s has no records here: looked for %s", r.format.Name, strings.Join(r.format.Roots, ", "))
}

func (r *Reader) noSession(id string) error {
	return codememory.Errorf(codememory.NotFound, "%s has no session %q", r.format.Name, id)
}
