package sqlite

import (
	"context"
	"time"

	"codememory"
)

// Refused reports whether a group of memories is to be kept apart.
func (d *DB) Refused(ctx context.Context, hash string) (bool, error) {
	var known bool
	err := d.r.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM refusals WHERE hash = ?)", hash).Scan(&known)
	return known, d.classify(err)
}

// Refuse remembers that a group of memories is to be kept apart.
func (d *DB) Refuse(ctx context.Context, hash string, at time.Time) error {
	_, err := d.w.ExecContext(ctx, "INSERT INTO refusals VALUES (?, ?) ON CONFLICT DO NOTHING", hash, at.UnixMilli())
	return d.classify(err)
}

// ChangedSince returns the active memories that changed after seq, in the order of their change.
func (d *DB) ChangedSince(ctx context.Context, seq int64) ([]string, error) {
	ids, err := column[string](ctx, d.r, "SELECT m.id FROM "+changedSince(seq)+" WHERE m.seq > ? AND m.state = 'active' ORDER BY "+changeOrder(seq), seq)
	return ids, d.classify(err)
}

// ActiveEntities calls fn for every entity of the active memories.
func (d *DB) ActiveEntities(ctx context.Context, fn func(n int64, e codememory.Entity) error) error {
	rows, err := d.r.QueryContext(ctx, "SELECT me.n, e.name, e.type FROM memories m CROSS JOIN memory_entities me ON me.n = m.n CROSS JOIN entities e ON e.e = me.e WHERE m.state = 'active' ORDER BY me.n, e.name")
	if err != nil {
		return d.classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var e codememory.Entity
		if err := rows.Scan(&n, &e.Name, &e.Type); err != nil {
			return err
		}
		if err := fn(n, e); err != nil {
			return err
		}
	}
	return d.classify(rows.Err())
}

// Citing returns the active memories that name files of the project.
func (d *DB) Citing(ctx context.Context) ([]string, error) {
	ids, err := column[string](ctx, d.r, `SELECT id FROM memories WHERE state = 'active' AND instr(rest, '"files":') > 0`)
	return ids, d.classify(err)
}

// EntityNames returns every name there is.
func (d *DB) EntityNames(ctx context.Context) ([]string, error) {
	names, err := column[string](ctx, d.r, "SELECT name FROM entities")
	return names, d.classify(err)
}

// Conflicting returns the active memories that a link says contradict each other, newest first.
func (d *DB) Conflicting(ctx context.Context, limit int) ([][2]string, error) {
	rows, err := d.r.QueryContext(ctx, `SELECT l.from_id, l.to_id FROM links l JOIN memories a ON a.id = l.from_id JOIN memories b ON b.id = l.to_id
		WHERE l.type = 'conflicts' AND a.state = 'active' AND b.state = 'active' ORDER BY max(a.updated, b.updated) DESC, l.from_id LIMIT ?`, limit)
	if err != nil {
		return nil, d.classify(err)
	}
	defer rows.Close()
	var out [][2]string
	for rows.Next() {
		var p [2]string
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, d.classify(rows.Err())
}
