package sqlite

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"codememory"
)

// A database of the first version keeps its rows and their states.
func TestAnOlderDatabaseIsBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	first, err := migrations.ReadFile("migrations/0001_initial.sql")
	if err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		string(first), fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1", applicationID),
		`INSERT INTO memories (id, short, text, text_hash, norm_hash, type, category, importance, agent, created, updated, pinned, archived, state, rest, seq, path, size, mtime, hash)
			VALUES ('00000000000070008000000000000001', '00000001', 'kept', 'h', 'n', 'preference', '', 0.5, 'cli', 1, 1, 0, 1, 'archived', '{}', 1, 'p', 1, 1, x'00')`,
	} {
		if _, err := old.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ms, err := d.GetMany(t.Context(), []string{"00000000000070008000000000000001"})
	if err != nil || len(ms) != 1 || ms[0].Text != "kept" || ms[0].State() != codememory.Archived || ms[0].Quarantine != "" || ms[0].Source.Unsure() {
		t.Errorf("%+v %v", ms, err)
	}
	if refused, err := d.Refused(t.Context(), "x"); err != nil || refused {
		t.Errorf("refusals: %v %v", refused, err)
	}
	if _, err := os.Stat(path + ".before-v2"); err != nil {
		t.Errorf("no copy of the database as it was: %v", err)
	}
}
