package opencode

import (
	"context"
	"errors"
	"strings"

	msqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"codememory"
)

// explain turns a failure of SQLite into one that says what to do.
func explain(path string, err error) error {
	se, ok := errors.AsType[*msqlite.Error](err)
	if !ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return codememory.Errorf(codememory.Unavailable, "OpenCode's database %s is locked by another program; try again when it is done: %w", path, err)
	case sqlite3.SQLITE_NOTADB:
		return codememory.Errorf(codememory.Unavailable, "%s is not an SQLite database; name OpenCode's with OPENCODE_DB or in the configuration: %w", path, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR:
		return codememory.Errorf(codememory.Unavailable, "OpenCode's database %s is damaged or incomplete; restore it from a backup, or export its sessions with opencode: %w", path, err)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY:
		return codememory.Errorf(codememory.Unavailable, "OpenCode's database %s cannot be opened; this user needs to read it and, while OpenCode is not running, to create the files -wal and -shm beside it: %w", path, err)
	}
	return codememory.Errorf(codememory.Unavailable, "read OpenCode's database %s: %w", path, err)
}

// tablesChanged reports whether a statement failed because a table or column is
// not there.
func tablesChanged(err error) bool {
	se, ok := errors.AsType[*msqlite.Error](err)
	if !ok {
		return false
	}
	if se.Code()&0xff == sqlite3.SQLITE_SCHEMA {
		return true
	}
	return strings.Contains(se.Error(), "no such column") || strings.Contains(se.Error(), "no such table")
}
