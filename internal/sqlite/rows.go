package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
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

	Seen  []codememory.Source    `json:"seen,omitempty"`
	Files []codememory.CitedFile `json:"files,omitempty"`
}

// statements are those of one transaction, prepared once.
type statements struct {
	tx   *sql.Tx
	byQL map[string]*sql.Stmt
}

func newStatements(tx *sql.Tx) *statements { return &statements{tx, map[string]*sql.Stmt{}} }

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := s.byQL[query]; st != nil {
		return st, nil
	}
	st, err := s.tx.PrepareContext(ctx, query) // it ends with the transaction
	s.byQL[query] = st
	return st, err
}

func (s *statements) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

func (s *statements) row(ctx context.Context, query string, args ...any) (*sql.Row, error) {
	st, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.QueryRowContext(ctx, args...), nil
}

// strings reads the one column of a query.
func (s *statements) strings(ctx context.Context, query string, args ...any) ([]string, error) {
	st, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// Put inserts or replaces rows in one transaction and returns the ids whose
// state changed besides them: memories that became superseded or came back.
func (d *DB) Put(ctx context.Context, rows []Row) (touched []string, err error) {
	err = d.tx(ctx, func(tx *sql.Tx) error {
		st := newStatements(tx)
		b, err := newBatch(ctx, st)
		if err != nil {
			return err
		}
		for i := range rows {
			if err := b.put(ctx, &rows[i]); err != nil {
				return fmt.Errorf("put %s: %w", rows[i].Memory.ID, err)
			}
		}
		touched, err = b.deriveStates(ctx)
		return err
	})
	return touched, err
}

// batch is a transaction that changes rows.
type batch struct {
	*statements
	seq        int64
	last       int64           // the highest document number there is
	superseded map[string]bool // ids that some memory lists as superseded
	affected   map[string]bool // ids whose state may change
	entities   map[string]int64
}

func newBatch(ctx context.Context, st *statements) (*batch, error) {
	b := &batch{statements: st, superseded: map[string]bool{}, affected: map[string]bool{}, entities: map[string]int64{}}
	if err := st.tx.QueryRowContext(ctx, "SELECT (SELECT coalesce(max(seq), 0) + 1 FROM memories), (SELECT coalesce(max(n), 0) FROM memories)").Scan(&b.seq, &b.last); err != nil {
		return nil, err
	}
	ids, err := st.strings(ctx, "SELECT id FROM supersedes")
	for _, id := range ids {
		b.superseded[id] = true
	}
	return b, err
}

func (b *batch) put(ctx context.Context, r *Row) error {
	m := &r.Memory
	js, err := json.Marshal(rest{m.Source, m.Revisions, m.Metadata, m.Seen, m.Files})
	if err != nil {
		return err
	}
	n, hash, err := b.find(ctx, m.ID)
	if err != nil {
		return err
	}
	isNew := n == 0
	if isNew {
		b.last++
		n = b.last
	}
	text := codememory.TextHash(m.Text)
	args := []any{
		m.ID, codememory.ShortID(m.ID), m.Text, text, r.NormHash, m.Type, m.Category, m.Importance, m.Source.Agent,
		m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(), m.Pinned, m.Archived, millis(m.Forgotten), m.Quarantine, m.Source.Unsure(), string(m.State()), string(js), b.seq,
		r.File.Path, r.File.Stamp.Size, r.File.Stamp.ModTime.UnixNano(), r.File.Hash[:], n,
	}
	if isNew {
		_, err = b.exec(ctx, `INSERT INTO memories (id, short, text, text_hash, norm_hash, type, category, importance, agent, created, updated, pinned, archived, forgotten, quarantine, unsure, state, rest, seq, path, size, mtime, hash, n)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, args...)
	} else {
		if err := b.unindex(ctx, n, m.ID); err != nil {
			return err
		}
		_, err = b.exec(ctx, `UPDATE memories SET id=?, short=?, text=?, text_hash=?, norm_hash=?, type=?, category=?, importance=?, agent=?, created=?, updated=?, pinned=?, archived=?, forgotten=?, quarantine=?, unsure=?, state=?, rest=?, seq=?, path=?, size=?, mtime=?, hash=? WHERE n=?`, args...)
		if err == nil && text != hash {
			_, err = b.exec(ctx, "UPDATE memories SET embedded = '' WHERE n = ?", n)
		}
	}
	if err != nil {
		return err
	}
	if b.superseded[m.ID] || m.SupersededBy != "" {
		b.affected[m.ID] = true
	}
	return b.index(ctx, n, r)
}

// entity returns the number of an entity, which it gets if it is new.
func (b *batch) entity(ctx context.Context, e codememory.Entity) (int64, error) {
	if id, ok := b.entities[e.Name]; ok {
		return id, nil
	}
	row, err := b.row(ctx, "INSERT INTO entities (name, type) VALUES (?, ?) ON CONFLICT DO UPDATE SET name = excluded.name RETURNING e", e.Name, e.Type)
	if err != nil {
		return 0, err
	}
	var id int64
	if err := row.Scan(&id); err != nil {
		return 0, err
	}
	b.entities[e.Name] = id
	return id, nil
}

// find returns the document number of id and the hash of its text, or 0.
func (b *batch) find(ctx context.Context, id string) (n int64, hash string, err error) {
	row, err := b.row(ctx, "SELECT n, text_hash FROM memories WHERE id = ?", id)
	if err != nil {
		return 0, "", err
	}
	err = row.Scan(&n, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", nil
	}
	return n, hash, err
}

// index writes what hangs on a row: full text, entities, links, supersessions.
func (b *batch) index(ctx context.Context, n int64, r *Row) error {
	m := &r.Memory
	if _, err := b.exec(ctx, "INSERT INTO memories_fts (rowid, text, parts) VALUES (?, ?, ?)", n, m.Text, r.Parts); err != nil {
		return err
	}
	for _, e := range m.Entities {
		id, err := b.entity(ctx, e)
		if err != nil {
			return err
		}
		if _, err := b.exec(ctx, "INSERT INTO memory_entities VALUES (?, ?) ON CONFLICT DO NOTHING", n, id); err != nil {
			return err
		}
	}
	for _, l := range m.Links {
		if _, err := b.exec(ctx, "INSERT INTO links VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET reason = excluded.reason", m.ID, l.To, l.Type, l.Reason); err != nil {
			return err
		}
	}
	for _, s := range m.Supersedes {
		if _, err := b.exec(ctx, "INSERT INTO supersedes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET reason = excluded.reason", m.ID, s.ID, s.Reason); err != nil {
			return err
		}
		b.affected[s.ID], b.superseded[s.ID] = true, true
	}
	return nil
}

// unindex removes what index wrote.
func (b *batch) unindex(ctx context.Context, n int64, id string) error {
	old, err := b.strings(ctx, "SELECT id FROM supersedes WHERE by_id = ?", id)
	if err != nil {
		return err
	}
	for _, o := range old {
		b.affected[o] = true
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
		if _, err := b.exec(ctx, q.sql, q.arg); err != nil {
			return err
		}
	}
	return nil
}

// derivedState is codememory.Memory.State in SQL; d.by_id is what supersedes it.
const derivedState = `CASE WHEN forgotten IS NOT NULL THEN 'forgotten' WHEN d.by_id <> '' THEN 'superseded' WHEN quarantine <> '' THEN 'quarantined' WHEN archived THEN 'archived' ELSE 'active' END`

// deriveStates recomputes superseded_by and state of the given memories. A
// memory that was forgotten supersedes nothing, so that forgetting a
// correction brings the original back; nor does one that waits for review. Of two that supersede each other (both
// sides of a merge did) the later one stands.
func (b *batch) deriveStates(ctx context.Context) (changed []string, err error) {
	for id := range b.affected {
		res, err := b.exec(ctx, `
			UPDATE memories SET superseded_by = d.by_id, seq = ?2,
				state = `+derivedState+`
			FROM (SELECT coalesce((
				SELECT s.by_id FROM supersedes s JOIN memories b ON b.id = s.by_id
				WHERE s.id = ?1 AND b.forgotten IS NULL AND b.quarantine = ''
				AND NOT EXISTS (SELECT 1 FROM supersedes back WHERE back.by_id = ?1 AND back.id = s.by_id AND ?1 > s.by_id)
				ORDER BY s.by_id DESC LIMIT 1), '') AS by_id) AS d
			WHERE memories.id = ?1 AND (superseded_by <> d.by_id OR state <> `+derivedState+`)`, id, b.seq)
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
		b, err := newBatch(ctx, newStatements(tx))
		if err != nil {
			return err
		}
		for _, id := range ids {
			n, _, err := b.find(ctx, id)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			// What it superseded comes back: unindex notes that.
			if err := b.unindex(ctx, n, id); err != nil {
				return err
			}
			if _, err := b.exec(ctx, "DELETE FROM memories WHERE n = ?", n); err != nil {
				return err
			}
		}
		touched, err = b.deriveStates(ctx)
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

const memoryColumns = `m.n, m.id, m.text, m.type, m.category, m.importance, m.created, m.updated, m.pinned, m.archived, m.forgotten, m.quarantine, m.superseded_by, m.rest,
	coalesce(u.shown, 0), coalesce(u.used, 0), u.last_shown, u.last_used`

const memoryTables = "memories m LEFT JOIN usage u ON u.n = m.n"

type scanner interface{ Scan(...any) error }

func scanMemory(s scanner) (n int64, m codememory.Memory, err error) {
	var created, updated int64
	var forgotten, shown, used sql.NullInt64
	var js string
	err = s.Scan(&n, &m.ID, &m.Text, &m.Type, &m.Category, &m.Importance, &created, &updated, &m.Pinned, &m.Archived, &forgotten, &m.Quarantine, &m.SupersededBy, &js,
		&m.Usage.Shown, &m.Usage.Used, &shown, &used)
	if err != nil {
		return 0, m, err
	}
	var r rest
	if err := json.Unmarshal([]byte(js), &r); err != nil {
		return 0, m, fmt.Errorf("row %s: %w", m.ID, err)
	}
	m.Source, m.Revisions, m.Metadata, m.Seen, m.Files = r.Source, r.Revisions, r.Metadata, r.Seen, r.Files
	m.CreatedAt, m.UpdatedAt = fromMillis(created), fromMillis(updated)
	m.Forgotten, m.Usage.LastShown, m.Usage.LastUsed = fromNull(forgotten), fromNull(shown), fromNull(used)
	return n, m, nil
}

// collected are memories with where they stand in the list.
type collected struct {
	ms   []codememory.Memory
	byN  map[int64]int
	byID map[string]int
}

func newCollected() *collected { return &collected{byN: map[int64]int{}, byID: map[string]int{}} }

func (c *collected) scan(s scanner) error {
	n, m, err := scanMemory(s)
	if err != nil {
		return err
	}
	c.byN[n], c.byID[m.ID] = len(c.ms), len(c.ms)
	c.ms = append(c.ms, m)
	return nil
}

// memories runs a query over memoryColumns and fills in what hangs on the rows.
func (d *DB) memories(ctx context.Context, query string, args ...any) ([]codememory.Memory, error) {
	rows, err := d.r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	c := newCollected()
	for rows.Next() {
		if err := c.scan(rows); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, d.classify(err)
	}
	return c.ms, d.classify(d.attach(ctx, c.ms, c.byN, c.byID))
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
		d.each(ctx, "SELECT me.n, e.name, e.type FROM memory_entities me JOIN entities e ON e.e = me.e WHERE me.n IN (%s) ORDER BY me.n, e.name", ns, nil, func(s scanner) error {
			var n int64
			var e codememory.Entity
			if err := s.Scan(&n, &e.Name, &e.Type); err != nil {
				return err
			}
			m := &ms[byN[n]]
			m.Entities = append(m.Entities, e)
			return nil
		}),
		d.each(ctx, "SELECT from_id, to_id, type, reason FROM links WHERE from_id IN (%s) ORDER BY from_id, to_id", ids, nil, func(s scanner) error {
			var from string
			var l codememory.Link
			if err := s.Scan(&from, &l.To, &l.Type, &l.Reason); err != nil {
				return err
			}
			m := &ms[byID[from]]
			m.Links = append(m.Links, l)
			return nil
		}),
		d.each(ctx, "SELECT by_id, id, reason FROM supersedes WHERE by_id IN (%s) ORDER BY by_id, id", ids, nil, func(s scanner) error {
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

// each runs a query with an IN list in portions that SQLite accepts. The lists
// are filled up to a few sizes, so that the same statements serve again.
func (d *DB) each(ctx context.Context, query string, in []any, rest []any, fn func(scanner) error) error {
	for len(in) > 0 {
		part := in[:min(listSizes[len(listSizes)-1], len(in))]
		in = in[len(part):]
		padded := pad(part)
		st, err := d.prepared(ctx, fmt.Sprintf(query, marks(len(padded))))
		if err != nil {
			return err
		}
		if err := eachRow(ctx, st, append(padded, rest...), fn); err != nil {
			return err
		}
	}
	return nil
}

var listSizes = [...]int{1, 4, 16, 64, 500}

// pad repeats the last value up to the next size of a list: it changes nothing.
func pad(list []any) []any {
	for _, size := range listSizes {
		if len(list) <= size {
			out := make([]any, size)
			for i := range out {
				out[i] = list[min(i, len(list)-1)]
			}
			return out
		}
	}
	return list
}

// prepared returns a statement for reading that is made once. Only queries of
// which there are few go through it.
func (d *DB) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := d.stmts.Load(query); ok {
		return st.(*sql.Stmt), nil
	}
	st, err := d.r.PrepareContext(ctx, query) // it ends with the database
	if err != nil {
		return nil, err
	}
	if other, had := d.stmts.LoadOrStore(query, st); had {
		return other.(*sql.Stmt), st.Close()
	}
	return st, nil
}

func eachRow(ctx context.Context, st *sql.Stmt, args []any, fn func(scanner) error) error {
	rows, err := st.QueryContext(ctx, args...)
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
