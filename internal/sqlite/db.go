// Package sqlite is the projection of a store's text into one SQLite file:
// rows to list and filter, full text, vectors, usage counts. It can be thrown
// away and made again from the files; it is never the truth.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	msqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"codememory"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks our files, so that a foreign database is never written to.
const applicationID = 0x434d656d // "CMem"

// DB is one open projection: a single connection that writes and a few that read.
type DB struct {
	path string
	w    *sql.DB
	r    *sql.DB

	stmts   sync.Map // text → *sql.Stmt, for reading
	damaged atomic.Bool
}

// Open opens or creates the database at path and brings its schema up to date.
// An empty path makes a database in memory, for stores that cannot be written.
// It fails with Conflict when a newer program made the file, and with a
// *CorruptError when the file is damaged or not ours.
func Open(ctx context.Context, path string) (*DB, error) {
	d := &DB{path: path}
	if err := shape(ctx, path); err != nil {
		return nil, d.classify(err)
	}
	h, err := Connect(path)
	if err != nil {
		return nil, err
	}
	d.w, d.r = h.Write, h.Read
	scripts, err := fs.Sub(migrations, "migrations")
	if err == nil {
		err = Schema{applicationID, scripts}.Migrate(ctx, d.w, path, func(version int) error { return d.backupBefore(ctx, version) })
	}
	if err != nil {
		return nil, errors.Join(d.classify(err), d.Close())
	}
	return d, nil
}

// CorruptError says that a database file cannot be used and may be set aside.
type CorruptError struct {
	Path string
	Err  error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("database %s is damaged: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// Damaged reports whether any query found the file damaged.
func (d *DB) Damaged() bool { return d.damaged.Load() }

// classify gives SQLite's own failures their meaning for people.
func (d *DB) classify(err error) error {
	se, ok := errors.AsType[*msqlite.Error](err)
	if !ok {
		return err
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		d.damaged.Store(true)
		return &CorruptError{Path: d.path, Err: err}
	case sqlite3.SQLITE_FULL:
		return codememory.Errorf(codememory.StorageFull, "no room on the disk for %s: free some space and try again: %w", d.path, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return codememory.Errorf(codememory.ReadOnly, "database %s cannot be written: check the owner and mode of its folder: %w", d.path, err)
	}
	return err
}

// backupBefore keeps a copy of the database as it was before a migration.
func (d *DB) backupBefore(ctx context.Context, version int) error {
	to := fmt.Sprintf("%s.before-v%d", d.path, version+1)
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.CopyTo(ctx, to)
}

// tx runs fn in one write transaction.
func (d *DB) tx(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := d.w.BeginTx(ctx, nil)
	if err != nil {
		return d.classify(err)
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return d.classify(err)
	}
	return d.classify(tx.Commit())
}

// CopyTo writes a consistent copy of the database to a new file.
func (d *DB) CopyTo(ctx context.Context, path string) error {
	if _, err := d.w.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("copy database to %s: %w", path, d.classify(err))
	}
	return nil
}

// Check runs SQLite's own checks and returns what they found.
func (d *DB) Check(ctx context.Context) ([]string, error) {
	rows, err := d.r.QueryContext(ctx, "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok' UNION ALL SELECT 'foreign key: ' || \"table\" FROM pragma_foreign_key_check")
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	if err := rows.Err(); err != nil {
		return found, d.classify(err)
	}
	if _, err := d.w.ExecContext(ctx, "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 0)"); err != nil {
		found = append(found, "full text: "+err.Error())
	}
	return found, nil
}

// Meta reads a value kept with the database; "" when there is none.
func (d *DB) Meta(ctx context.Context, key string) (string, error) {
	var v string
	err := d.r.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return v, d.classify(err)
}

// SetMeta keeps a value with the database.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	_, err := d.w.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
	return d.classify(err)
}

// Version changes whenever another process or connection has written.
func (d *DB) Version(ctx context.Context) (int64, error) {
	var v int64
	st, err := d.prepared(ctx, "SELECT coalesce(max(seq), 0) FROM memories")
	if err == nil {
		err = st.QueryRowContext(ctx).Scan(&v)
	}
	return v, d.classify(err)
}

// Close closes the database after moving the write-ahead log into it.
func (d *DB) Close() error {
	var errs []error
	if d.r != d.w {
		errs = append(errs, d.r.Close())
	}
	if d.path != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = d.w.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)") // another process may be reading; it will do it then
	}
	return errors.Join(append(errs, d.w.Close())...)
}
