package sqlite

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/memfile"
	"codememory/internal/text"
)

// GetMany returns those of ids that exist, in the order asked for.
func (d *DB) GetMany(ctx context.Context, ids []string) ([]codememory.Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	c := newCollected()
	err := d.each(ctx, "SELECT "+memoryColumns+" FROM "+memoryTables+" WHERE m.id IN (%s)", anys(ids), nil, c.scan)
	if err == nil {
		err = d.attach(ctx, c.ms, c.byN, c.byID)
	}
	if err != nil {
		return nil, d.classify(err)
	}
	found := make(map[string]codememory.Memory, len(ids))
	for _, m := range c.ms {
		found[m.ID] = m
	}
	out := make([]codememory.Memory, 0, len(found))
	for _, id := range ids {
		if m, ok := found[id]; ok {
			out = append(out, m)
			delete(found, id)
		}
	}
	return out, nil
}

// Resolve finds the one id that begins with prefix, or whose short form does.
func (d *DB) Resolve(ctx context.Context, prefix string) (string, error) {
	digits, ok := codememory.NormalizeIDPrefix(prefix)
	if !ok {
		return "", codememory.Errorf(codememory.Invalid, "%q is not an id of a memory: ids look like mem_3f9a01bc", prefix)
	}
	// A range instead of LIKE lets both indexes answer.
	ids, err := column[string](ctx, d.r, "SELECT id FROM memories WHERE short >= ?1 AND short < ?2 UNION SELECT id FROM memories WHERE id >= ?1 AND id < ?2 LIMIT 6", digits, digits+"g")
	if err != nil {
		return "", d.classify(err)
	}
	switch len(ids) {
	case 0:
		return "", codememory.Errorf(codememory.NotFound, "no memory %s here", prefix)
	case 1:
		return ids[0], nil
	}
	// A short id written in full means that memory, even if other ids begin with it.
	for _, id := range ids {
		if id == digits {
			return id, nil
		}
	}
	shown := make([]string, len(ids))
	for i, id := range ids {
		shown[i] = codememory.ShownID(id)
	}
	return "", codememory.Errorf(codememory.Conflict, "%s fits several memories (%s): write more digits", prefix, strings.Join(shown, ", "))
}

// spellings returns the names in the database that mean the entity of a filter.
func (d *DB) spellings(ctx context.Context, f codememory.Filter) ([]string, error) {
	if f.Entity == "" {
		return nil, nil
	}
	names, err := d.EntityNames(ctx)
	key := text.EntityKey(f.Entity)
	return slices.DeleteFunc(names, func(n string) bool { return text.EntityKey(n) != key }), err
}

// where turns a filter into SQL; spellings are those of its entity.
func where(f codememory.Filter, spellings ...string) (string, []any) {
	var conds []string
	var args []any
	in := func(col string, vals []any) {
		if len(vals) > 0 {
			conds = append(conds, col+" IN ("+marks(len(vals))+")")
			args = append(args, vals...)
		}
	}
	states := f.States
	if len(states) == 0 {
		states = []codememory.State{codememory.Active}
	}
	if len(states) < len(codememory.AnyState) {
		in("m.state", anys(states))
	}
	in("m.type", anys(f.Types))
	in("m.category", anys(f.Categories))
	in("m.agent", anys(f.Agents))
	cond := func(sql string, arg any) {
		conds = append(conds, sql)
		args = append(args, arg)
	}
	if !f.Since.IsZero() {
		cond("m.updated >= ?", f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		cond("m.updated < ?", f.Until.UnixMilli())
	}
	if f.Pinned {
		conds = append(conds, "m.pinned")
	}
	if f.Unsure {
		conds = append(conds, "m.unsure")
	}
	if f.Entity != "" {
		names := anys(append(spellings, strings.ToLower(f.Entity)))
		conds = append(conds, "m.n IN (SELECT me.n FROM memory_entities me JOIN entities e ON e.e = me.e WHERE e.name IN ("+marks(len(names))+"))")
		args = append(args, names...)
	}
	if f.Path != "" {
		cond("instr(lower(m.text), lower(?)) > 0", f.Path)
	}
	if len(conds) == 0 {
		return "1", nil
	}
	return strings.Join(conds, " AND "), args
}

// List returns a page, last updated first.
func (d *DB) List(ctx context.Context, f codememory.Filter, p codememory.PageRequest) (codememory.MemoryPage, error) {
	var page codememory.MemoryPage
	names, err := d.spellings(ctx, f)
	if err != nil {
		return page, err
	}
	cond, args := where(f, names...)
	if err := d.r.QueryRowContext(ctx, "SELECT count(*) FROM memories m WHERE "+cond, args...).Scan(&page.Total); err != nil {
		return page, d.classify(err)
	}
	if p.Cursor != "" {
		updated, n, err := decodeCursor(p.Cursor)
		if err != nil {
			return page, err
		}
		cond += " AND (m.updated, m.n) < (?, ?)"
		args = append(args, updated, n)
		p.Offset = 0
	}
	limit := p.Limit
	if limit <= 0 {
		limit = 50
	}
	ms, err := d.memories(ctx, "SELECT "+memoryColumns+" FROM "+memoryTables+" WHERE "+cond+" ORDER BY m.updated DESC, m.n DESC LIMIT ? OFFSET ?", append(args, limit+1, max(p.Offset, 0))...)
	if err != nil {
		return page, err
	}
	if len(ms) > limit {
		ms = ms[:limit]
		last := ms[limit-1]
		var n int64
		if err := d.r.QueryRowContext(ctx, "SELECT n FROM memories WHERE id = ?", last.ID).Scan(&n); err != nil {
			return page, d.classify(err)
		}
		page.Next = encodeCursor(last.UpdatedAt.UnixMilli(), n)
	}
	page.Memories = ms
	return page, nil
}

// Times returns when the memories that pass the filter were updated, in unix
// milliseconds, the newest first.
func (d *DB) Times(ctx context.Context, f codememory.Filter, limit int) ([]int64, error) {
	cond, args := where(f)
	rows, err := d.r.QueryContext(ctx, "SELECT m.updated FROM memories m WHERE "+cond+" ORDER BY m.updated DESC, m.n DESC LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var at int64
		if err := rows.Scan(&at); err != nil {
			return nil, d.classify(err)
		}
		out = append(out, at)
	}
	return out, d.classify(rows.Err())
}

// Newest returns the memories that pass the filter, last updated first, without
// counting the rest.
func (d *DB) Newest(ctx context.Context, f codememory.Filter, limit int) ([]codememory.Memory, error) {
	names, err := d.spellings(ctx, f)
	if err != nil {
		return nil, err
	}
	cond, args := where(f, names...)
	return d.memories(ctx, "SELECT "+memoryColumns+" FROM "+memoryTables+" WHERE "+cond+" ORDER BY m.updated DESC, m.n DESC LIMIT ?", append(args, limit)...)
}

func encodeCursor(updated, n int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", updated, n))
}

func decodeCursor(s string) (updated, n int64, err error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		_, err = fmt.Sscanf(string(b), "%d.%d", &updated, &n)
	}
	if err != nil {
		return 0, 0, codememory.Errorf(codememory.Invalid, "cursor %q is not one of ours: begin again without it", s)
	}
	return updated, n, nil
}

// Stats counts what the database holds; unembedded counts active memories
// without a vector of the model.
func (d *DB) Stats(ctx context.Context, model string) (codememory.StoreStats, error) {
	st := codememory.StoreStats{ByState: map[codememory.State]int{}, ByType: map[codememory.Type]int{}}
	rows, err := d.r.QueryContext(ctx, "SELECT state, type, count(*), max(updated) FROM memories GROUP BY state, type")
	if err != nil {
		return st, d.classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		var state codememory.State
		var typ codememory.Type
		var n int
		var updated int64
		if err := rows.Scan(&state, &typ, &n, &updated); err != nil {
			return st, err
		}
		st.ByState[state] += n
		if state == codememory.Active {
			st.ByType[typ] += n
		}
		if at := fromMillis(updated); at.After(st.LastUpdated) {
			st.LastUpdated = at
		}
	}
	if err := rows.Err(); err != nil {
		return st, d.classify(err)
	}
	if model != "" {
		if err := d.r.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM memories WHERE state = 'active' AND embedded < ?1) + (SELECT count(*) FROM memories WHERE state = 'active' AND embedded > ?1)", model).Scan(&st.Unembedded); err != nil {
			return st, d.classify(err)
		}
	}
	st.Problems, err = d.Problems(ctx)
	return st, err
}

// Links returns the links of a memory in both directions.
func (d *DB) Links(ctx context.Context, id string) ([]codememory.Link, error) {
	rows, err := d.r.QueryContext(ctx, `SELECT to_id, type, reason, 0 FROM links WHERE from_id = ?1 UNION ALL SELECT from_id, type, reason, 1 FROM links WHERE to_id = ?1
		UNION ALL SELECT id, 'supersedes', reason, 0 FROM supersedes WHERE by_id = ?1 UNION ALL SELECT by_id, 'supersedes', reason, 1 FROM supersedes WHERE id = ?1`, id)
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	var ls []codememory.Link
	for rows.Next() {
		var l codememory.Link
		if err := rows.Scan(&l.To, &l.Type, &l.Reason, &l.Inbound); err != nil {
			return nil, err
		}
		ls = append(ls, l)
	}
	return ls, d.classify(rows.Err())
}

// FindNorm returns the memory with this normalised wording, active ones first,
// or reports that it was purged.
func (d *DB) FindNorm(ctx context.Context, norm string) (id string, purged bool, err error) {
	err = d.r.QueryRowContext(ctx, "SELECT id FROM memories WHERE norm_hash = ? ORDER BY state = 'active' DESC, n LIMIT 1", norm).Scan(&id)
	if err == nil {
		return id, false, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return "", false, d.classify(err)
	}
	err = d.r.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM tombstones WHERE text = ?)", norm).Scan(&purged)
	return "", purged, d.classify(err)
}

// PutTombstones records purged memories.
func (d *DB) PutTombstones(ctx context.Context, ts []memfile.Tombstone) error {
	if len(ts) == 0 {
		return nil
	}
	return d.tx(ctx, func(tx *sql.Tx) error {
		for _, t := range ts {
			if _, err := tx.ExecContext(ctx, "INSERT INTO tombstones VALUES (?, ?, ?) ON CONFLICT DO NOTHING", t.ID, t.Text, t.At.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tombstoned returns the ids that were purged.
func (d *DB) Tombstoned(ctx context.Context) (map[string]bool, error) {
	ids, err := column[string](ctx, d.r, "SELECT id FROM tombstones")
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set, d.classify(err)
}

// KnownFile is a file as it was last projected.
type KnownFile struct {
	ID    string // "" for a file that could not be read
	Stamp memfile.Stamp
	Hash  [16]byte
}

// Files returns every file that has been projected, by path.
func (d *DB) Files(ctx context.Context) (map[string]KnownFile, error) {
	rows, err := d.r.QueryContext(ctx, "SELECT path, id, size, mtime, hash FROM memories UNION ALL SELECT path, '', size, mtime, x'' FROM problems")
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	files := map[string]KnownFile{}
	for rows.Next() {
		var path string
		var k KnownFile
		var mtime int64
		var hash []byte
		if err := rows.Scan(&path, &k.ID, &k.Stamp.Size, &mtime, &hash); err != nil {
			return nil, err
		}
		k.Stamp.ModTime = time.Unix(0, mtime)
		copy(k.Hash[:], hash)
		files[path] = k
	}
	return files, d.classify(rows.Err())
}

// Restamp notes new stamps of files whose bytes did not change.
func (d *DB) Restamp(ctx context.Context, stamps map[string]memfile.Stamp) error {
	return d.tx(ctx, func(tx *sql.Tx) error {
		for path, s := range stamps {
			if _, err := tx.ExecContext(ctx, "UPDATE memories SET size = ?, mtime = ? WHERE path = ?", s.Size, s.ModTime.UnixNano(), path); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetProblems replaces what is known about the files at paths: a problem, or none.
func (d *DB) SetProblems(ctx context.Context, paths []string, ps []codememory.Problem, stamps map[string]memfile.Stamp) error {
	if len(paths) == 0 && len(ps) == 0 {
		return nil
	}
	return d.tx(ctx, func(tx *sql.Tx) error {
		for _, p := range paths {
			if _, err := tx.ExecContext(ctx, "DELETE FROM problems WHERE path = ?", p); err != nil {
				return err
			}
		}
		for _, p := range ps {
			s := stamps[p.Path]
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?, ?, ?)", p.Path, p.Line, p.What, p.Todo, s.Size, s.ModTime.UnixNano()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Problems lists the files that could not be read.
func (d *DB) Problems(ctx context.Context) ([]codememory.Problem, error) {
	rows, err := d.r.QueryContext(ctx, "SELECT path, line, what, todo FROM problems ORDER BY path")
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	var ps []codememory.Problem
	for rows.Next() {
		var p codememory.Problem
		if err := rows.Scan(&p.Path, &p.Line, &p.What, &p.Todo); err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return ps, d.classify(rows.Err())
}

func anys[T any](vs []T) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

// Paths tells in which files the given memories are.
func (d *DB) Paths(ctx context.Context, ids []string) (map[string]string, error) {
	return d.byID(ctx, "path", ids)
}

// Texts returns the texts of the given memories.
func (d *DB) Texts(ctx context.Context, ids []string) (map[string]string, error) {
	return d.byID(ctx, "text", ids)
}

func (d *DB) byID(ctx context.Context, column string, ids []string) (map[string]string, error) {
	out := make(map[string]string, len(ids))
	err := d.each(ctx, "SELECT id, "+column+" FROM memories WHERE id IN (%s)", anys(ids), nil, func(s scanner) error {
		var id, value string
		if err := s.Scan(&id, &value); err != nil {
			return err
		}
		out[id] = value
		return nil
	})
	return out, d.classify(err)
}

// Quoting returns the memories whose text or history holds the given text.
func (d *DB) Quoting(ctx context.Context, text string) ([]string, error) {
	js, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	inner := string(js[1 : len(js)-1]) // as it stands inside the JSON of rest
	ids, err := column[string](ctx, d.r, "SELECT id FROM memories WHERE instr(text, ?1) > 0 OR instr(rest, ?2) > 0 UNION SELECT by_id FROM supersedes WHERE instr(reason, ?1) > 0 UNION SELECT from_id FROM links WHERE instr(reason, ?1) > 0", text, inner)
	return ids, d.classify(err)
}
