// Package opencodetest writes databases as OpenCode 1.18 does, so that tests
// can script a live conversation: rows appear, and are updated in place, in the
// order in which the real program writes them.
package opencodetest

import (
	"database/sql"
	_ "embed" // for the schema
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver
)

//go:embed schema.sql
var schema string

// Schema returns the statements that make OpenCode's tables and indexes.
func Schema() string { return schema }

// Project is the id of the project that every session belongs to.
const Project = "global"

// DB is a database that a pretended OpenCode has open.
type DB struct {
	Path string
	// Now is the time of the next row. Every write moves it on by ten
	// milliseconds.
	Now time.Time
	// NoEvents leaves the event tables alone, as releases without them did.
	NoEvents bool

	t       testing.TB
	db      *sql.DB
	counter int
}

// Create makes an empty database at path and keeps it open until the test ends.
func Create(t testing.TB, path string) *DB {
	t.Helper()
	d := Open(t, path)
	d.Exec("PRAGMA journal_mode = WAL")
	d.Batch(func() {
		d.Exec(schema)
		at := d.Now.UnixMilli()
		d.Exec(`INSERT INTO migration VALUES ('20260127222353_familiar_lady_ursula', ?), ('20260622202450_simplify_session_input', ?)`, at, at)
		d.Exec(`INSERT INTO project (id, worktree, time_created, time_updated, sandboxes) VALUES (?, '/', ?, ?, '[]')`, Project, at, at)
	})
	return d
}

// Open opens a database that exists, to write to it as OpenCode would.
func Open(t testing.TB, path string) *DB {
	t.Helper()
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	q := url.Values{"_pragma": {"busy_timeout(5000)", "foreign_keys(1)", "synchronous(0)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: p, RawQuery: q.Encode()}).String())
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return &DB{Path: path, Now: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), t: t, db: db}
}

// Close closes the database as an OpenCode that ends does.
func (d *DB) Close() {
	d.t.Helper()
	if err := d.db.Close(); err != nil {
		d.t.Fatalf("close %s: %v", d.Path, err)
	}
}

// Exec runs statements of the test's own.
func (d *DB) Exec(query string, args ...any) {
	d.t.Helper()
	if _, err := d.db.Exec(query, args...); err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
}

// Batch runs do in one transaction, for tests that need many rows.
func (d *DB) Batch(do func()) {
	d.t.Helper()
	d.Exec("BEGIN")
	do()
	d.Exec("COMMIT")
}

// tick returns the time of a row, in milliseconds, and moves the clock on.
func (d *DB) tick() int64 {
	at := d.Now.UnixMilli()
	d.Now = d.Now.Add(10 * time.Millisecond)
	return at
}

// id makes an id as OpenCode does: 48 bits of time, which wrap every 795 days,
// and 14 characters that tell ids of one millisecond apart.
func (d *DB) id(prefix string) string {
	d.counter++
	stamp := uint64(d.Now.UnixMilli()) * 4096
	if prefix == "ses" {
		stamp = ^stamp // the newest session sorts first
	}
	return fmt.Sprintf("%s_%012x%014d", prefix, (stamp+uint64(d.counter%4096))&(1<<48-1), d.counter)
}

// bump records that a session changed, as each of OpenCode's events does.
func (d *DB) bump(session, kind string, data []byte) {
	d.t.Helper()
	if d.NoEvents {
		return
	}
	d.Exec(`INSERT INTO event_sequence (aggregate_id, seq) VALUES (?, 0) ON CONFLICT (aggregate_id) DO UPDATE SET seq = seq + 1`, session)
	d.counter++
	d.Exec(`INSERT INTO event (id, aggregate_id, seq, type, data) SELECT ?, ?, seq, ?, ? FROM event_sequence WHERE aggregate_id = ?`,
		fmt.Sprintf("evt_%026d", d.counter), session, kind, string(data), session)
}

// encode turns data into JSON; text that is JSON already, or is broken on
// purpose, stays as it is.
func (d *DB) encode(data any) []byte {
	d.t.Helper()
	if raw, ok := data.(string); ok {
		return []byte(raw)
	}
	b, err := json.Marshal(data)
	if err != nil {
		d.t.Fatalf("encode %v: %v", data, err)
	}
	return b
}
