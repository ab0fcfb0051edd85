package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"codememory"
	"codememory/internal/memfile"
)

// Row is a memory as the projection keeps it.
type Row struct {
	Memory   codememory.Memory
	File     memfile.File
	NormHash string // identifies the wording apart from case, space and punctuation
	Parts    string // further words to find it by: identifiers taken apart
}

// rest is what is kept of a memory but never filtered by.
type rest struct {
	Source    codememory.Source     `json:"source,omitzero"`
	Revisions []codememory.Revision `json:"revisions,omitempty"`
	Metadata  map[string]any        `json:"metadata,omitempty"`
}

// Put inserts or replaces rows in one transaction and returns the ids whose
// state changed besides them: memories that became superseded or came back.
func (d *DB) Put(ctx context.Context, rows []Row) (touched []string, err error) {
	err = d.tx(ctx, func(tx *sql.Tx) error {
		seq, err := nextSeq(ctx, tx)
		if err != nil {
			return err
		}
		affected := map[string]bool{}
		for i := range rows {
			if err := put(ctx, tx, &rows[i], seq, affected); err != nil {
				return fmt.Errorf("put %s: %w", rows[i].Memory.ID, err)
			}
		}
		touched, err = deriveStates(ctx, tx, affected, seq)
		return err
	})
	return touched, err
}

func nextSeq(ctx context.Context, tx *sql.Tx) (int64, error) {
	var seq int64
	err := tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) + 1 FROM memories").Scan(&seq)
	return seq, err
}

func put(ctx context.Context, tx *sql.Tx, r *Row, seq int64, affected map[string]bool) error {
	m := &r.Memory
	b, err := json.Marshal(rest{m.Source, m.Revisions, m.Metadata})
	if err != nil {
		return err
	}
	n, isNew, err := number(ctx, tx, m.ID)
	if err != nil {
		return err
	}
	args := []any{
		m.ID, codememory.ShortID(m.ID), m.Text, codememory.TextHash(m.Text), r.NormHash, m.Type, m.Category, m.Importance, m.Source.Agent,
		m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(), m.Pinned, m.Archived, millis(m.Forgotten), string(m.State()), string(b), seq,
		r.File.Path, r.File.Stamp.Size, r.File.Stamp.ModTime.UnixNano(), r.File.Hash[:], n,
	}
	if isNew {
		_, err = tx.ExecContext(ctx, `INSERT INTO memories (id, short, text, text_hash, norm_hash, type, category, importance, agent, created, updated, pinned, archived, forgotten, state, rest, seq, path, size, mtime, hash, n)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, args...)
	} else {
		if err := unindex(ctx, tx, n, m.ID, affected); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE memories SET id=?, short=?, text=?, text_hash=?, norm_hash=?, type=?, category=?, importance=?, agent=?, created=?, updated=?, pinned=?, archived=?, forgotten=?, state=?, rest=?, seq=?, path=?, size=?, mtime=?, hash=? WHERE n=?`, args...)
	}
	if err != nil {
		return err
	}
	affected[m.ID] = true
	return index(ctx, tx, n, r, affected)
}

// number returns the document number of id, or the one it gets.
func number(ctx context.Context, tx *sql.Tx, id string) (n int64, isNew bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT n FROM memories WHERE id = ?", id).Scan(&n)
	if err == sql.ErrNoRows {
		err = tx.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) + 1 FROM memories").Scan(&n)
		return n, true, err
	}
	return n, false, err
}

// index writes what hangs on a row: full text, entities, links, supersessions.
func index(ctx context.Context, tx *sql.Tx, n int64, r *Row, affected map[string]bool) error {
	m := &r.Memory
	if _, err := tx.ExecContext(ctx, "INSERT INTO memories_fts (rowid, text, parts) VALUES (?, ?, ?)", n, m.Text, r.Parts); err != nil {
		return err
	}
	for _, e := range m.Entities {
		if _, err := tx.ExecContext(ctx, "INSERT INTO entities (name, type) VALUES (?, ?) ON CONFLICT DO NOTHING", e.Name, e.Type); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO memory_entities SELECT ?, e FROM entities WHERE name = ? ON CONFLICT DO NOTHING", n, e.Name); err != nil {
			return err
		}
	}
	for _, l := range m.Links {
		if _, err := tx.ExecContext(ctx, "INSERT INTO links VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET reason = excluded.reason", m.ID, l.To, l.Type, l.Reason); err != nil {
			return err
		}
	}
	for _, s := range m.Supersedes {
		if _, err := tx.ExecContext(ctx, "INSERT INTO supersedes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET reason = excluded.reason", m.ID, s.ID, s.Reason); err != nil {
			return err
		}
		affected[s.ID] = true
	}
	return nil
}

// unindex removes what index wrote.
func unindex(ctx context.Context, tx *sql.Tx, n int64, id string, affected map[string]bool) error {
	old, err := column[string](ctx, tx, "SELECT id FROM supersedes WHERE by_id = ?", id)
	if err != nil {
		return err
	}
	for _, o := range old {
		affected[o] = true
	}
	for _, q := range []struct {
		sql string
		arg any
	}{
		{"DELETE FROM memories_fts WHERE rowid = ?", n},
		{"DELETE FROM memory_entities WHERE n = ?", n},
		{"DELETE FROM links WHERE from_id = ?", id},
		{"DELETE FROM supersedes WHERE by_id = ?", id},
	} {
		if _, err := tx.ExecContext(ctx, q.sql, q.arg); err != nil {
			return err
		}
	}
	return nil
}

// deriveStates recomputes superseded_by and state of the given memories. A
// memory that was forgotten supersedes nothing, so that forgetting a
// correction brings the original back. Of two that supersede each other (both
// sides of a merge did) the later one stands.
func deriveStates(ctx context.Context, tx *sql.Tx, ids map[string]bool, seq int64) (changed []string, err error) {
	for id := range ids {
		res, err := tx.ExecContext(ctx, `
			UPDATE memories SET superseded_by = d.by_id, seq = ?2,
				state = CASE WHEN forgotten IS NOT NULL THEN 'forgotten' WHEN d.by_id <> '' THEN 'superseded' WHEN archived THEN 'archived' ELSE 'active' END
			FROM (SELECT coalesce((
				SELECT s.by_id FROM supersedes s JOIN memories b ON b.id = s.by_id
				WHERE s.id = ?1 AND b.forgotten IS NULL
				AND NOT EXISTS (SELECT 1 FROM supersedes back WHERE back.by_id = ?1 AND back.id = s.by_id AND ?1 > s.by_id)
				ORDER BY s.by_id DESC LIMIT 1), '') AS by_id) AS d
			WHERE memories.id = ?1 AND (superseded_by <> d.by_id
				OR state <> CASE WHEN forgotten IS NOT NULL THEN 'forgotten' WHEN d.by_id <> '' THEN 'superseded' WHEN archived THEN 'archived' ELSE 'active' END)`, id, seq)
		if err != nil {
			return nil, err
		}
		if n, err := res.RowsAffected(); err != nil {
			return nil, err
		} else if n > 0 {
			changed = append(changed, id)
		}
	}
	return changed, nil
}

// Delete removes rows and returns the ids whose state changed because of it.
func (d *DB) Delete(ctx context.Context, ids []string) (touched []string, err error) {
	err = d.tx(ctx, func(tx *sql.Tx) error {
		seq, err := nextSeq(ctx, tx)
		if err != nil {
			return err
		}
		affected := map[string]bool{}
		for _, id := range ids {
			n, isNew, err := number(ctx, tx, id)
			if err != nil {
				return err
			}
			// What a gone memory superseded may come back.
			if forgets, err := column[string](ctx, tx, "SELECT id FROM supersedes WHERE by_id = ?", id); err != nil {
				return err
			} else {
				for _, f := range forgets {
					affected[f] = true
				}
			}
			if isNew {
				continue
			}
			if err := unindex(ctx, tx, n, id, affected); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM memories WHERE n = ?", n); err != nil {
				return err
			}
		}
		touched, err = deriveStates(ctx, tx, affected, seq)
		return err
	})
	return touched, err
}

// Scrub makes sure that deleted text is no longer in the file: SQLite only
// marks pages as free, and the log keeps old ones.
func (d *DB) Scrub(ctx context.Context) error {
	for _, q := range []string{
		"DELETE FROM entities WHERE e NOT IN (SELECT e FROM memory_entities)",
		"INSERT INTO memories_fts (memories_fts) VALUES ('optimize')",
		"VACUUM",
		"PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if _, err := d.w.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, d.classify(err))
		}
	}
	return nil
}

const memoryColumns = `m.n, m.id, m.text, m.type, m.category, m.importance, m.created, m.updated, m.pinned, m.archived, m.forgotten, m.superseded_by, m.rest,
	coalesce(u.shown, 0), coalesce(u.used, 0), u.last_shown, u.last_used`

const memoryTables = "memories m LEFT JOIN usage u ON u.n = m.n"

type scanner interface{ Scan(...any) error }

func scanMemory(s scanner) (n int64, m codememory.Memory, err error) {
	var created, updated int64
	var forgotten, shown, used sql.NullInt64
	var js string
	err = s.Scan(&n, &m.ID, &m.Text, &m.Type, &m.Category, &m.Importance, &created, &updated, &m.Pinned, &m.Archived, &forgotten, &m.SupersededBy, &js,
		&m.Usage.Shown, &m.Usage.Used, &shown, &used)
	if err != nil {
		return 0, m, err
	}
	var r rest
	if err := json.Unmarshal([]byte(js), &r); err != nil {
		return 0, m, fmt.Errorf("row %s: %w", m.ID, err)
	}
	m.Source, m.Revisions, m.Metadata = r.Source, r.Revisions, r.Metadata
	m.CreatedAt, m.UpdatedAt = fromMillis(created), fromMillis(updated)
	m.Forgotten, m.Usage.LastShown, m.Usage.LastUsed = fromNull(forgotten), fromNull(shown), fromNull(used)
	return n, m, nil
}

// memories runs a query over memoryColumns and fills in what hangs on the rows.
func (d *DB) memories(ctx context.Context, query string, args ...any) ([]codememory.Memory, error) {
	rows, err := d.r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	var ms []codememory.Memory
	byN, byID := map[int64]int{}, map[string]int{}
	for rows.Next() {
		n, m, err := scanMemory(rows)
		if err != nil {
			return nil, err
		}
		byN[n], byID[m.ID] = len(ms), len(ms)
		ms = append(ms, m)
	}
	if err := rows.Err(); err != nil {
		return nil, d.classify(err)
	}
	return ms, d.attach(ctx, ms, byN, byID)
}

// attach reads the entities, links and supersessions of ms.
func (d *DB) attach(ctx context.Context, ms []codememory.Memory, byN map[int64]int, byID map[string]int) error {
	if len(ms) == 0 {
		return nil
	}
	ns, ids := make([]any, 0, len(byN)), make([]any, 0, len(byID))
	for n := range byN {
		ns = append(ns, n)
	}
	for id := range byID {
		ids = append(ids, id)
	}
	return firstError(
		each(ctx, d.r, "SELECT me.n, e.name, e.type FROM memory_entities me JOIN entities e ON e.e = me.e WHERE me.n IN (%s) ORDER BY me.n, e.name", ns, func(s scanner) error {
			var n int64
			var e codememory.Entity
			if err := s.Scan(&n, &e.Name, &e.Type); err != nil {
				return err
			}
			m := &ms[byN[n]]
			m.Entities = append(m.Entities, e)
			return nil
		}),
		each(ctx, d.r, "SELECT from_id, to_id, type, reason FROM links WHERE from_id IN (%s) ORDER BY from_id, to_id", ids, func(s scanner) error {
			var from string
			var l codememory.Link
			if err := s.Scan(&from, &l.To, &l.Type, &l.Reason); err != nil {
				return err
			}
			m := &ms[byID[from]]
			m.Links = append(m.Links, l)
			return nil
		}),
		each(ctx, d.r, "SELECT by_id, id, reason FROM supersedes WHERE by_id IN (%s) ORDER BY by_id, id", ids, func(s scanner) error {
			var by string
			var x codememory.Supersession
			if err := s.Scan(&by, &x.ID, &x.Reason); err != nil {
				return err
			}
			m := &ms[byID[by]]
			m.Supersedes = append(m.Supersedes, x)
			return nil
		}),
	)
}

// each runs a query with an IN list in portions that SQLite accepts.
func each(ctx context.Context, db *sql.DB, query string, args []any, fn func(scanner) error) error {
	const most = 500
	for len(args) > 0 {
		part := args[:min(most, len(args))]
		args = args[len(part):]
		if err := eachRow(ctx, db, fmt.Sprintf(query, marks(len(part))), part, fn); err != nil {
			return err
		}
	}
	return nil
}

func eachRow(ctx context.Context, db querier, query string, args []any, fn func(scanner) error) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func column[T any](ctx context.Context, q querier, query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func millis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func fromNull(v sql.NullInt64) *time.Time {
	if !v.Valid {
		return nil
	}
	t := fromMillis(v.Int64)
	return &t
}
