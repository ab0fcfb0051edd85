package sqlite

import (
	"context"
	"database/sql"
	"math"
	"time"

	"codememory"
)

// Unembedded returns active memories without a vector of this model for their
// present text, oldest first.
func (d *DB) Unembedded(ctx context.Context, model string, limit int) ([]codememory.Memory, error) {
	// Two ranges instead of <> let the index answer.
	return d.memories(ctx, "SELECT "+memoryColumns+" FROM "+memoryTables+` WHERE m.n IN (
		SELECT n FROM memories WHERE state = 'active' AND embedded < ?1 UNION ALL SELECT n FROM memories WHERE state = 'active' AND embedded > ?1 LIMIT ?2) ORDER BY m.n`, model, limit)
}

// Passage is one vector as it is kept: unit length, one byte a component.
type Passage struct {
	N      int64 // document number
	Vector []int8
	Scale  float32
}

// PutPassages stores the passages of memories whose text is still the one that
// was embedded, and returns the document numbers that got theirs.
func (d *DB) PutPassages(ctx context.Context, model string, es []codememory.MemoryEmbedding) (stored map[string]int64, err error) {
	stored = map[string]int64{}
	err = d.tx(ctx, func(tx *sql.Tx) error {
		st := newStatements(tx)
		for _, e := range es {
			b := batch{statements: st}
			n, hash, err := b.find(ctx, e.ID)
			if err != nil {
				return err
			}
			if n == 0 || hash != e.TextHash {
				continue
			}
			if _, err := st.exec(ctx, "DELETE FROM passages WHERE n = ?", n); err != nil {
				return err
			}
			for p, x := range e.Passages {
				q, scale := Quantize(x.Vector)
				if _, err := st.exec(ctx, "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)", n, p, model, hash, scale, bytesOf(q), bytesOf(x.Tokens.Data)); err != nil {
					return err
				}
			}
			if _, err := st.exec(ctx, "UPDATE memories SET embedded = ? WHERE n = ?", model, n); err != nil {
				return err
			}
			stored[e.ID] = n
		}
		return nil
	})
	return stored, err
}

// EachPassage calls fn for every passage of the model whose text is current,
// of the documents changed after seq.
func (d *DB) EachPassage(ctx context.Context, model string, seq int64, fn func(Passage) error) error {
	rows, err := d.r.QueryContext(ctx, "SELECT p.n, p.scale, p.vector FROM "+changedSince(seq)+" CROSS JOIN passages p ON p.n = m.n WHERE m.seq > ? AND p.model = ? AND p.text_hash = m.text_hash ORDER BY "+changeOrder(seq)+", p.p", seq, model)
	if err != nil {
		return d.classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		var p Passage
		var raw sql.RawBytes
		if err := rows.Scan(&p.N, &p.Scale, &raw); err != nil {
			return err
		}
		p.Vector = int8sOf(raw)
		if err := fn(p); err != nil {
			return err
		}
	}
	return d.classify(rows.Err())
}

// TokenStates returns the token states of memories' passages.
func (d *DB) TokenStates(ctx context.Context, model string, ids []string) (map[string][]codememory.TokenStates, error) {
	out := make(map[string][]codememory.TokenStates, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	err := d.each(ctx, "SELECT m.id, p.tokens FROM memories m JOIN passages p ON p.n = m.n WHERE m.id IN (%s) AND p.text_hash = m.text_hash AND p.tokens IS NOT NULL AND p.model = ? ORDER BY p.n, p.p", anys(ids), []any{model}, func(s scanner) error {
		var id string
		var raw []byte
		if err := s.Scan(&id, &raw); err != nil {
			return err
		}
		out[id] = append(out[id], codememory.TokenStates{Data: int8sOf(raw)})
		return nil
	})
	return out, d.classify(err)
}

// Touch adds to the usage counts.
func (d *DB) Touch(ctx context.Context, kind codememory.UsageKind, at time.Time, counts map[string]int) error {
	q := "INSERT INTO usage (n, shown, last_shown) SELECT n, ?, ? FROM memories WHERE id = ? ON CONFLICT DO UPDATE SET shown = shown + excluded.shown, last_shown = excluded.last_shown"
	if kind == codememory.UsageUsed {
		q = "INSERT INTO usage (n, used, last_used) SELECT n, ?, ? FROM memories WHERE id = ? ON CONFLICT DO UPDATE SET used = used + excluded.used, last_used = excluded.last_used"
	}
	return d.tx(ctx, func(tx *sql.Tx) error {
		for id, n := range counts {
			if _, err := tx.ExecContext(ctx, q, n, at.UnixMilli(), id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Quantize turns a vector into bytes: component ≈ value × scale. int8
// measurably loses nothing in ranking and takes a quarter of the room.
func Quantize(v []float32) (q []int8, scale float32) {
	var top float32
	for _, x := range v {
		top = max(top, x, -x)
	}
	q = make([]int8, len(v))
	if top == 0 {
		return q, 0
	}
	scale = top / 127
	for i, x := range v {
		q[i] = int8(math.RoundToEven(float64(x / scale)))
	}
	return q, scale
}

func bytesOf(v []int8) []byte {
	if len(v) == 0 {
		return nil
	}
	b := make([]byte, len(v))
	for i, x := range v {
		b[i] = byte(x)
	}
	return b
}

func int8sOf(b []byte) []int8 {
	v := make([]int8, len(b))
	for i, x := range b {
		v[i] = int8(x)
	}
	return v
}

// TakeOver copies usage counts and vectors from another database of the same
// store, for memories whose text is the same in both.
func (d *DB) TakeOver(ctx context.Context, from string) error {
	conn, err := d.w.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS old", from); err != nil {
		return d.classify(err)
	}
	defer func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "DETACH old") // it goes with the connection otherwise
	}()
	for _, q := range []string{
		"INSERT OR IGNORE INTO usage SELECT m.n, ou.shown, ou.used, ou.last_shown, ou.last_used FROM old.usage ou JOIN old.memories om ON om.n = ou.n JOIN main.memories m ON m.id = om.id",
		"INSERT OR IGNORE INTO passages SELECT m.n, op.p, op.model, op.text_hash, op.scale, op.vector, op.tokens FROM old.passages op JOIN old.memories om ON om.n = op.n JOIN main.memories m ON m.id = om.id AND m.text_hash = op.text_hash",
		"UPDATE main.memories SET embedded = (SELECT p.model FROM main.passages p WHERE p.n = memories.n LIMIT 1) WHERE n IN (SELECT n FROM main.passages)",
	} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return d.classify(err)
		}
	}
	return nil
}
