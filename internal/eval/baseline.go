package eval

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // the driver of the baseline
)

// Baseline is what most memory systems do: SQLite FTS5 with the porter stemmer
// and BM25, the question's words joined by OR.
type Baseline struct {
	// DropStopWords leaves out words in this list, as the stronger variant does.
	DropStopWords func(word string) bool

	db *sql.DB
}

// Add implements System.
func (b *Baseline) Add(ctx context.Context, docs []Document) error {
	if b.db == nil {
		db, err := sql.Open("sqlite", "file::memory:?mode=memory")
		if err != nil {
			return fmt.Errorf("open baseline: %w", err)
		}
		db.SetMaxOpenConns(1)
		b.db = db
		for _, stmt := range []string{
			`CREATE TABLE docs (n INTEGER PRIMARY KEY, id TEXT NOT NULL)`,
			`CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61')`,
		} {
			if _, err := db.ExecContext(ctx, stmt); err != nil {
				return fmt.Errorf("make baseline: %w", err)
			}
		}
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("fill baseline: %w", err)
	}
	defer tx.Rollback()
	for _, d := range docs {
		res, err := tx.ExecContext(ctx, `INSERT INTO docs(id) VALUES (?)`, d.ID)
		if err != nil {
			return fmt.Errorf("fill baseline: %w", err)
		}
		n, err := res.LastInsertId()
		if err != nil {
			return fmt.Errorf("fill baseline: %w", err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO words(rowid, text) VALUES (?, ?)`, n, d.Text); err != nil {
			return fmt.Errorf("fill baseline: %w", err)
		}
	}
	return tx.Commit()
}

// Find implements System. The CTE keeps the full-text table the outer loop.
func (b *Baseline) Find(ctx context.Context, question string, limit int) ([]string, error) {
	match := b.match(question)
	if match == "" || b.db == nil {
		return nil, nil
	}
	rows, err := b.db.QueryContext(ctx, `
		WITH found AS MATERIALIZED (SELECT rowid, bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY score LIMIT ?)
		SELECT docs.id FROM found CROSS JOIN docs ON docs.n = found.rowid ORDER BY found.score, docs.id`, match, limit)
	if err != nil {
		return nil, fmt.Errorf("baseline query %q: %w", match, err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("baseline query: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// match joins the quoted words of a question by OR.
func (b *Baseline) match(question string) string {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var quoted []string
	for _, w := range words {
		if b.DropStopWords == nil || !b.DropStopWords(w) {
			quoted = append(quoted, `"`+w+`"`)
		}
	}
	return strings.Join(quoted, " OR ")
}

// Close releases the database.
func (b *Baseline) Close() error {
	if b.db == nil {
		return nil
	}
	return b.db.Close()
}
