package sqlite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"codememory"
)

// Document is what an index in memory needs of a row.
type Document struct {
	N          int64
	Seq        int64
	ID         string
	Text       string
	Type       codememory.Type
	Category   codememory.Category
	State      codememory.State
	Agent      string
	Updated    time.Time
	Importance float64
	Used       int
	Pinned     bool
	Unsure     bool
}

// changedSince is the table to read changes from. SQLite would rather walk all
// rows in their order than look up the few that changed.
func changedSince(seq int64) string {
	if seq == 0 {
		return "memories m"
	}
	return "memories m INDEXED BY memories_by_seq"
}

func changeOrder(seq int64) string {
	if seq == 0 {
		return "m.n"
	}
	return "m.seq, m.n"
}

// EachDocument calls fn for every row changed after seq, in document order.
func (d *DB) EachDocument(ctx context.Context, seq int64, fn func(Document) error) error {
	rows, err := d.r.QueryContext(ctx, "SELECT m.n, m.seq, m.id, m.text, m.type, m.category, m.state, m.agent, m.updated, m.importance, coalesce(u.used, 0), m.pinned, m.unsure FROM "+changedSince(seq)+" LEFT JOIN usage u ON u.n = m.n WHERE m.seq > ? ORDER BY "+changeOrder(seq), seq)
	if err != nil {
		return d.classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		var x Document
		var updated int64
		if err := rows.Scan(&x.N, &x.Seq, &x.ID, &x.Text, &x.Type, &x.Category, &x.State, &x.Agent, &updated, &x.Importance, &x.Used, &x.Pinned, &x.Unsure); err != nil {
			return err
		}
		x.Updated = fromMillis(updated)
		if err := fn(x); err != nil {
			return err
		}
	}
	return d.classify(rows.Err())
}

// EachEntity calls fn for every entity of the rows changed after seq.
func (d *DB) EachEntity(ctx context.Context, seq int64, fn func(n int64, name string) error) error {
	rows, err := d.r.QueryContext(ctx, "SELECT me.n, e.name FROM "+changedSince(seq)+" CROSS JOIN memory_entities me ON me.n = m.n CROSS JOIN entities e ON e.e = me.e WHERE m.seq > ? ORDER BY "+changeOrder(seq), seq)
	if err != nil {
		return d.classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var name string
		if err := rows.Scan(&n, &name); err != nil {
			return err
		}
		if err := fn(n, name); err != nil {
			return err
		}
	}
	return d.classify(rows.Err())
}

// Count returns how many rows there are; with Version it tells whether an
// index in memory has missed a deletion by another process.
func (d *DB) Count(ctx context.Context) (int, error) {
	var n int
	err := d.r.QueryRowContext(ctx, "SELECT count(*) FROM memories").Scan(&n)
	return n, d.classify(err)
}

// textSearch keeps full text the outer loop: without CROSS JOIN SQLite walks
// memories_by_updated and runs MATCH once per row, thousands of times slower.
const textSearch = `SELECT m.id, -bm25(memories_fts, 1.0, 0.5) FROM memories_fts CROSS JOIN memories m ON m.n = memories_fts.rowid
	WHERE memories_fts MATCH ? AND %s ORDER BY bm25(memories_fts, 1.0, 0.5) LIMIT ?`

// TextHit is a row found by full text; higher scores are better.
type TextHit struct {
	ID    string
	Score float64
}

// SearchText finds rows by any of the words, best first, without an index in memory.
func (d *DB) SearchText(ctx context.Context, words []string, f codememory.Filter, limit int) ([]TextHit, error) {
	if len(words) == 0 {
		return nil, nil
	}
	names, err := d.spellings(ctx, f)
	if err != nil {
		return nil, err
	}
	cond, args := where(f, names...)
	rows, err := d.r.QueryContext(ctx, fmt.Sprintf(textSearch, cond), append(append([]any{matchAny(words)}, args...), limit)...)
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	var hits []TextHit
	for rows.Next() {
		var h TextHit
		if err := rows.Scan(&h.ID, &h.Score); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, d.classify(rows.Err())
}

// matchAny quotes every word, so that no character of a question is an
// operator of the query language, and joins them with OR.
func matchAny(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
	}
	return strings.Join(q, " OR ")
}
