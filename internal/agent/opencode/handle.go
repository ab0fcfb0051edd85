package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"codememory"
)

// relocate is how often to look whether another candidate became the active one.
const relocate = time.Minute

// handle is one open database file. It lives until nobody uses it and it is no
// longer the current one.
type handle struct {
	path string
	info os.FileInfo // of the file that was opened, to notice when it is replaced
	db   *sql.DB

	users   int // guarded by Reader.mu
	retired bool

	schemaMu sync.Mutex
	schema   *schema

	feed feed
}

// view is one short read transaction with the schema it sees.
type view struct {
	tx     *sql.Tx
	schema *schema
	now    time.Time
	damage *damage
}

// Close closes the database. A closed reader cannot be used again.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.retire()
}

// view runs do in a read transaction. It runs it again, once, when OpenCode
// changed its tables meanwhile, so do must be repeatable.
func (r *Reader) view(ctx context.Context, do func(*view) error) error {
	for again := true; ; again = false {
		h, err := r.acquire()
		if err != nil {
			return err
		}
		err = h.view(ctx, r, do)
		if err != nil && again && h.forgetSchema(err) {
			r.release(h)
			continue
		}
		err = explain(h.path, err)
		r.release(h)
		return err
	}
}

func (h *handle) view(ctx context.Context, r *Reader, do func(*view) error) error {
	tx, err := h.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	return h.within(ctx, r, tx, do)
}

// within probes the schema and runs do in a transaction that is open.
func (h *handle) within(ctx context.Context, r *Reader, tx *sql.Tx, do func(*view) error) error {
	s, err := h.probe(ctx, tx)
	if err != nil {
		return err
	}
	if err := s.usable(h.path); err != nil {
		return err
	}
	return do(&view{tx: tx, schema: s, now: r.opts.Now(), damage: &r.damaged})
}

// acquire returns the current handle, after opening the database anew if it
// was replaced, has gone, or another one became the active one.
func (r *Reader) acquire() (*handle, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, codememory.Errorf(codememory.Unavailable, "the reader of OpenCode's database is closed")
	}
	now := r.opts.Now()
	if h := r.current; h != nil && now.Sub(r.located).Abs() < relocate && h.inPlace() {
		h.users++
		return h, nil
	}
	found, err := r.Candidates()
	if err != nil {
		return nil, errors.Join(err, r.retire())
	}
	path := found[0].Path
	if h := r.current; h == nil || h.path != path || !h.inPlace() {
		if err := r.retire(); err != nil {
			return nil, err
		}
		if r.current, err = open(path, r.opts.BusyTimeout); err != nil {
			return nil, err
		}
	}
	r.located = now
	r.current.users++
	return r.current, nil
}

func (r *Reader) release(h *handle) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.users--
	if h.retired && h.users == 0 {
		_ = h.close() // nothing was written, so nothing is lost
	}
}

// retire gives the current handle up; its last user closes it.
func (r *Reader) retire() error {
	h := r.current
	r.current = nil
	if h == nil {
		return nil
	}
	h.retired = true
	if h.users > 0 {
		return nil
	}
	return h.close()
}

func open(path string, busy time.Duration) (*handle, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, codememory.Errorf(codememory.NotFound, "OpenCode's database %s has gone: %w", path, err)
	}
	db, err := sql.Open("sqlite", dsn(path, busy))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(2)
	return &handle{path: path, info: info, db: db}, nil
}

// dsn opens the file read-only with its write-ahead log. It must not say
// immutable: OpenCode leaves most of what is new in the log.
func dsn(path string, busy time.Duration) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		if filepath.IsAbs(path) {
			p = "/" + p // C:/… on Windows
		}
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "query_only(1)", "cache_size(-4000)", "temp_store(2)",
	}}
	return "file:" + (&url.URL{Path: p}).EscapedPath() + "?" + q.Encode()
}

// inPlace reports whether the path still leads to the file that is open.
func (h *handle) inPlace() bool {
	info, err := os.Stat(h.path)
	return err == nil && os.SameFile(info, h.info)
}

func (h *handle) close() error {
	return errors.Join(h.feed.close(), h.db.Close())
}
