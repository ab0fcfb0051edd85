package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"codememory"
)

// Handles are the two ways into a database: one connection that writes and a
// few that read. They are the same for a database in memory.
type Handles struct {
	Write *sql.DB
	Read  *sql.DB
}

// Connect opens a database file of ours. An empty path means in memory.
func Connect(path string) (Handles, error) {
	w, err := sql.Open("sqlite", dsn(path, true))
	if err != nil {
		return Handles{}, fmt.Errorf("open %s: %w", path, err)
	}
	w.SetMaxOpenConns(1) // one writer: SQLite has no use for more
	if path == "" {
		return Handles{w, w}, nil
	}
	r, err := sql.Open("sqlite", dsn(path, false))
	if err != nil {
		return Handles{}, errors.Join(fmt.Errorf("open %s: %w", path, err), w.Close())
	}
	r.SetMaxOpenConns(3)
	r.SetMaxIdleConns(1) // each keeps its own cache
	return Handles{w, r}, nil
}

// shape gives a new file its page size, which cannot be changed once there is a
// write-ahead log. A passage with its token states takes 2 to 3 KB: pages of
// 4 KB would stay half empty.
func shape(ctx context.Context, path string) error {
	if _, err := os.Stat(path); path == "" || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, "PRAGMA busy_timeout = 15000; PRAGMA page_size = 8192; VACUUM")
	return err
}

// dsn puts busy_timeout before every other pragma: setting the journal mode
// itself may have to wait for another process.
func dsn(path string, write bool) string {
	q := url.Values{"_pragma": {"busy_timeout(15000)", "foreign_keys(1)", "cache_size(-300)", "temp_store(2)"}}
	if path == "" {
		return "file::memory:?" + q.Encode()
	}
	if write {
		q["_pragma"] = append(q["_pragma"], "journal_mode(WAL)", "synchronous(1)", "journal_size_limit(16777216)")
		q.Set("_txlock", "immediate")
	} else {
		q["_pragma"] = append(q["_pragma"], "query_only(1)")
	}
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/… on Windows
	}
	return (&url.URL{Scheme: "file", Path: p, RawQuery: q.Encode()}).String()
}

// Schema is a numbered series of scripts that are only ever added.
type Schema struct {
	Application int   // marks the files, so that a foreign database is never written to
	Scripts     fs.FS // *.sql
}

// Migrate checks whose file this is and runs the scripts it has not seen.
// before is called once, with the version there is, when a file with content
// is about to change; nil means nothing has to be done.
func (s Schema) Migrate(ctx context.Context, db *sql.DB, path string, before func(version int) error) error {
	var app, have, tables int
	if err := db.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&app, &have, &tables); err != nil {
		return err
	}
	if tables > 0 && app != s.Application {
		return codememory.Errorf(codememory.Conflict, "%s is a database of another program (application id %#x): move it away", path, app)
	}
	names, err := fs.Glob(s.Scripts, "*.sql")
	if err != nil {
		return err
	}
	sort.Strings(names)
	if have > len(names) {
		return codememory.Errorf(codememory.Conflict, "%s was made by a newer CodeMemory (schema %d, this program knows %d): update CodeMemory", path, have, len(names))
	}
	if have > 0 && have < len(names) && before != nil {
		if err := before(have); err != nil {
			return err
		}
	}
	for n := have; n < len(names); n++ {
		if err := s.run(ctx, db, names[n], n+1); err != nil {
			return fmt.Errorf("%s: %w", names[n], err)
		}
	}
	return nil
}

func (s Schema) run(ctx context.Context, db *sql.DB, name string, version int) error {
	script, err := fs.ReadFile(s.Scripts, name)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var have int // another process may have come first
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil || have >= version {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", s.Application, version)); err != nil {
		return err
	}
	return tx.Commit()
}
