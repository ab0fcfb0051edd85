package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"codememory"
)

// Limits of what is kept in memory between calls.
const (
	keptOutput = 16 << 10 // of each tool; who wants more has the file read again
	keptLogs   = 8
	keptBytes  = 32 << 20 // of text, the last used transcript always
)

// entry is a file that has been read up to a point.
type entry struct {
	place   Place
	stamp   stamp
	parser  Parser
	offset  int64
	guard   []byte // the last bytes before offset
	damaged int    // lines that could not be read
	bytes   int    // of text in the log
}

// guardSize is how much is compared to tell a file that grew from one that was
// written anew.
const guardSize = 64

// errReplaced says that a file is not the one that was read before.
var errReplaced = errors.New("the file was replaced")

// update reads on where the last look ended, or from the beginning when the
// file is another one now.
func (e *entry) update(ctx context.Context, begin func() Parser) error {
	in, err := os.Open(e.place.Path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	now := stampOf(info)
	if e.parser != nil && e.stamp == now {
		return nil
	}
	if e.parser == nil || e.stamp.inode != now.inode || e.check(in, now.size) != nil {
		*e = entry{place: e.place, parser: begin()}
	}
	if _, err := in.Seek(e.offset, io.SeekStart); err != nil {
		return err
	}
	e.stamp = stamp{inode: now.inode}
	n, err := scanLines(in, func(line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.parser.Line(line) {
			e.damaged++
		}
		return nil
	})
	e.offset += n
	if err != nil {
		e.parser = nil // what the guard is for cannot be said
		return err
	}
	e.stamp = now
	e.guard = make([]byte, min(guardSize, e.offset))
	_, err = in.ReadAt(e.guard, e.offset-int64(len(e.guard)))
	return err
}

// check compares the bytes before the offset with what they were.
func (e *entry) check(in *os.File, size int64) error {
	if size < e.offset {
		return errReplaced
	}
	got := make([]byte, len(e.guard))
	if _, err := in.ReadAt(got, e.offset-int64(len(got))); err != nil || !bytes.Equal(got, e.guard) {
		return errReplaced
	}
	return nil
}

// session returns what the log says about the session, with what the file adds.
func (e *entry) session(agent string) codememory.AgentSession {
	s := e.parser.Log().Session
	s.Agent, s.ID, s.Archived = agent, e.place.ID, e.place.Archived
	if s.Parent == "" {
		s.Parent = e.place.Parent
	}
	if s.ActiveAt.IsZero() {
		s.ActiveAt = e.stamp.time()
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = s.ActiveAt
	}
	return s
}

// load returns the file's entry, read to its end. The caller holds r.mu.
func (r *Reader) load(ctx context.Context, f file) (*entry, error) {
	i := slices.IndexFunc(r.logs, func(e *entry) bool { return e.place.Path == f.Path })
	var e *entry
	if i >= 0 {
		e = r.logs[i]
		r.logs = slices.Delete(r.logs, i, i+1)
		if e.place != f.Place {
			e = &entry{place: f.Place} // another session has this path now
		}
	} else {
		e = &entry{place: f.Place}
	}
	if err := e.update(ctx, func() Parser { return r.format.Begin(f.Place, keptOutput) }); err != nil {
		return nil, r.explain(f.Path, err)
	}
	e.bytes = e.parser.Log().weight()
	r.logs = slices.Insert(r.logs, 0, e)
	r.evict()
	r.summaries[f.Path] = summary{e.stamp, e.session(r.format.Agent), e.damaged}
	return e, nil
}

// evict drops the transcripts that were not used for longest.
func (r *Reader) evict() {
	total := 0
	for i, e := range r.logs {
		if total += e.bytes; i > 0 && (i >= keptLogs || total > r.room) {
			clear(r.logs[i:])
			r.logs = r.logs[:i]
			return
		}
	}
}

// weight estimates the memory that a log takes.
func (l *Log) weight() (n int) {
	for _, d := range l.Turns {
		n += 512 + len(d.Turn.Prompt)
		for _, s := range d.Turn.Steps {
			n += 128 + len(s.Text)
			if s.Tool != nil {
				n += 256 + len(s.Tool.Input) + len(s.Tool.Output) + len(s.Tool.Error)
			}
		}
	}
	return n
}

// explain says what a failure to read means.
func (r *Reader) explain(path string, err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return codememory.Errorf(codememory.NotFound, "transcript %s is gone: %w", path, err)
	case errors.Is(err, fs.ErrPermission):
		return codememory.Errorf(codememory.Unavailable, "cannot read %s: %w; make it readable for this user", path, err)
	}
	return codememory.Errorf(codememory.Unavailable, "cannot read %s: %w", path, err)
}
