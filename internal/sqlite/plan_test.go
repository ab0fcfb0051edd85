package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/memfile"
)

func testDB(t *testing.T, n int) *DB {
	t.Helper()
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var rows []Row
	for i := range n {
		m := codememory.Memory{ID: codememory.NewID(at), Text: fmt.Sprintf("note %d about the gateway", i), Type: codememory.LearnedPattern, CreatedAt: at, UpdatedAt: at}
		rows = append(rows, Row{Memory: m, File: memfile.File{Path: m.ID, Stamp: memfile.Stamp{ModTime: at}}, NormHash: m.ID})
	}
	if _, err := d.Put(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	return d
}

// SQLite would rather walk the index of states and run MATCH once per row.
func TestFullTextIsTheOuterLoop(t *testing.T) {
	d := testDB(t, 200)
	for name, f := range map[string]codememory.Filter{
		"active":  {},
		"by type": {Types: []codememory.Type{codememory.LearnedPattern}},
		"by time": {Since: time.Unix(1, 0)},
		"entity":  {Entity: "gateway"},
		"any":     {States: codememory.AnyState},
	} {
		t.Run(name, func(t *testing.T) {
			cond, args := where(f)
			plan, err := explain(t, d, fmt.Sprintf(textSearch, cond), append(append([]any{matchAny([]string{"gateway"})}, args...), 10)...)
			if err != nil {
				t.Fatal(err)
			}
			if len(plan) == 0 || !strings.Contains(plan[0], "memories_fts VIRTUAL TABLE") {
				t.Errorf("full text is not the outer loop:\n%s", strings.Join(plan, "\n"))
			}
		})
	}
}

func explain(t *testing.T, d *DB, query string, args ...any) ([]string, error) {
	rows, err := d.r.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var a, b, c int
		var detail string
		if err := rows.Scan(&a, &b, &c, &detail); err != nil {
			return nil, err
		}
		if strings.HasPrefix(detail, "SCAN") || strings.HasPrefix(detail, "SEARCH") {
			out = append(out, detail)
		}
	}
	return out, rows.Err()
}

func TestAListWalksItsIndex(t *testing.T) {
	d := testDB(t, 50)
	cond, args := where(codememory.Filter{})
	plan, err := explain(t, d, "SELECT "+memoryColumns+" FROM "+memoryTables+" WHERE "+cond+" ORDER BY m.updated DESC, m.n DESC LIMIT ?", append(args, 10)...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plan[0], "memories_by_updated") {
		t.Errorf("a page reads the whole table:\n%s", strings.Join(plan, "\n"))
	}
}

func TestQuestionsAreNeverOperators(t *testing.T) {
	d := testDB(t, 5)
	for _, words := range [][]string{{`"`}, {"NOT"}, {"gateway", "*"}, {"a-b:c^2"}, {"col:x"}} {
		if _, err := d.SearchText(t.Context(), words, codememory.Filter{}, 5); err != nil {
			t.Errorf("%q: %v", words, err)
		}
	}
	if hits, err := d.SearchText(t.Context(), []string{"gateways"}, codememory.Filter{}, 3); err != nil || len(hits) != 3 || hits[0].Score <= 0 {
		t.Errorf("%v %v", hits, err)
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	d, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.w.Exec("PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path)
	if codememory.CodeOf(err) != codememory.Conflict || !strings.Contains(err.Error(), "newer CodeMemory") {
		t.Errorf("got %v", err)
	}
}

func TestAForeignDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	d, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.w.Exec("PRAGMA application_id = 1"); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(t.Context(), path); codememory.CodeOf(err) != codememory.Conflict {
		t.Errorf("got %v", err)
	}
}
