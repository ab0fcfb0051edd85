package jsonl

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"codememory"
)

// summary is what a listing needs of a file.
type summary struct {
	stamp   stamp
	session codememory.AgentSession
	damaged int
}

func (s stamp) time() time.Time { return time.Unix(0, s.mtime).UTC() }

// files returns the transcripts that there are, last changed first.
func (r *Reader) files(ctx context.Context) ([]file, error) {
	files, err := r.tree.all(ctx)
	return files, r.missing(err)
}

// missing says what a failed look at the folders means.
func (r *Reader) missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return r.notFound()
	}
	return r.explain(strings.Join(r.format.Roots, ", "), err)
}

// place returns the file of a session.
func (r *Reader) place(ctx context.Context, id string) (file, error) {
	if id == "" {
		return file{}, r.noSession(id)
	}
	f, ok, err := r.tree.find(ctx, id)
	if err != nil {
		return file{}, r.missing(err)
	}
	if !ok {
		return file{}, r.noSession(id)
	}
	return f, nil
}

// summarize returns what a listing shows of a file. It keeps nothing of a file
// but that.
func (r *Reader) summarize(ctx context.Context, f file) (summary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.summaries[f.Path]; ok && s.stamp == f.stamp && s.session.ID == f.ID {
		return s, nil
	}
	if slices.ContainsFunc(r.logs, func(e *entry) bool { return e.place == f.Place }) {
		e, err := r.load(ctx, f)
		if err != nil {
			return summary{}, err
		}
		return r.summaries[e.place.Path], nil
	}
	e := &entry{place: f.Place}
	if err := e.update(ctx, func() Parser { return r.format.Begin(f.Place, 1) }); err != nil {
		return summary{}, r.explain(f.Path, err)
	}
	s := summary{e.stamp, e.session(r.format.Agent), e.damaged}
	r.summaries[f.Path] = s
	return s, nil
}

// Sessions lists sessions, last active first. Those without a message are not
// listed.
func (r *Reader) Sessions(ctx context.Context, q codememory.SessionQuery) ([]codememory.AgentSession, error) {
	files, err := r.files(ctx)
	if err != nil {
		return nil, err
	}
	var found []codememory.AgentSession
	for _, f := range files {
		// A file changed no earlier than its last row says.
		if f.time().Before(q.Since) || q.Limit > 0 && len(found) >= q.Limit && found[q.Limit-1].ActiveAt.After(f.time()) {
			break
		}
		s, err := r.summarize(ctx, f)
		switch codememory.CodeOf(err) {
		case codememory.NotFound, codememory.Unavailable:
			continue // gone meanwhile, or Check tells
		default:
		}
		if err != nil {
			return nil, err
		}
		if s.session.Messages == 0 || !matches(s.session, q) {
			continue
		}
		i, _ := slices.BinarySearchFunc(found, s.session, lastActiveFirst)
		found = slices.Insert(found, i, s.session)
	}
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	return found, nil
}

func lastActiveFirst(a, b codememory.AgentSession) int {
	if c := b.ActiveAt.Compare(a.ActiveAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

func matches(s codememory.AgentSession, q codememory.SessionQuery) bool {
	switch {
	case s.ActiveAt.Before(q.Since):
		return false
	case q.Parent != "" && s.Parent != q.Parent:
		return false
	case q.Parent == "" && !q.Children && s.Parent != "":
		return false
	}
	return q.Dir == "" || inside(s.Dir, q.Dir)
}

// inside reports whether dir is the folder or below it.
func inside(dir, folder string) bool {
	folder = strings.TrimRight(folder, `/\`)
	rest, ok := strings.CutPrefix(dir, folder)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}

// Session returns what the records say about a session.
func (r *Reader) Session(ctx context.Context, id string) (codememory.AgentSession, error) {
	f, err := r.place(ctx, id)
	if err != nil {
		return codememory.AgentSession{}, err
	}
	s, err := r.summarize(ctx, f)
	return s.session, err
}

// Turns returns the turns of a session in order, without those that the user
// undid.
func (r *Reader) Turns(ctx context.Context, session string, maxOutput int) ([]codememory.Turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := r.place(ctx, session)
	if err != nil {
		return nil, err
	}
	c := clock{now: r.opts.Now(), quiet: r.opts.Quiet, settle: r.format.Settle, children: r.tree.activity(session), heard: r.ends(session)}
	if maxOutput == 0 || maxOutput > keptOutput {
		e := &entry{place: f.Place}
		if err := e.update(ctx, func() Parser { return r.format.Begin(f.Place, maxOutput) }); err != nil {
			return nil, r.explain(f.Path, err)
		}
		return r.turns(e, c, maxOutput), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e, err := r.load(ctx, f)
	if err != nil {
		return nil, err
	}
	return r.turns(e, c, maxOutput), nil
}

func (r *Reader) turns(e *entry, c clock, maxOutput int) []codememory.Turn {
	log := *e.parser.Log()
	log.Session = e.session(r.format.Agent)
	return log.snapshot(c, maxOutput)
}
