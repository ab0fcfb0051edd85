package distill

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"codememory"
)

// Summary is the running summary of a session and the memory that holds it.
type Summary struct{ Text, Memory string }

// Summary returns the summary of a session so far.
func (q *Queue) Summary(ctx context.Context, agent, session string) (Summary, error) {
	var s Summary
	err := q.h.Write.QueryRowContext(ctx, "SELECT summary, memory FROM sessions WHERE agent = ? AND session = ?", agent, session).Scan(&s.Text, &s.Memory)
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	return s, err
}

// SaveSummary keeps a summary and notes which turns it covers.
func (q *Queue) SaveSummary(ctx context.Context, agent, session string, s Summary, turns []string) error {
	return q.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE sessions SET summary = ?, memory = ? WHERE agent = ? AND session = ?", s.Text, s.Memory, agent, session); err != nil {
			return err
		}
		for _, t := range turns {
			if _, err := tx.ExecContext(ctx, "UPDATE turns SET summarised = 1 WHERE agent = ? AND session = ? AND turn = ?", agent, session, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// fragment is the arc of one part of a session.
type fragment struct {
	hash, text string
}

func (q *Queue) fragments(ctx context.Context, agent, session string) ([]fragment, time.Time, error) {
	rows, err := q.h.Write.QueryContext(ctx, "SELECT hash, text, at FROM arcs WHERE agent = ? AND session = ? ORDER BY n", agent, session)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer rows.Close()
	var out []fragment
	var last int64
	for rows.Next() {
		var f fragment
		var at int64
		if err := rows.Scan(&f.hash, &f.text, &at); err != nil {
			return nil, time.Time{}, err
		}
		out, last = append(out, f), max(last, at)
	}
	return out, time.UnixMilli(last), rows.Err()
}

// saveFragments replaces the fragments from position from on.
func (q *Queue) saveFragments(ctx context.Context, agent, session string, from int, fs []fragment) error {
	return q.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM arcs WHERE agent = ? AND session = ? AND n >= ?", agent, session, from); err != nil {
			return err
		}
		for i, f := range fs {
			if _, err := tx.ExecContext(ctx, "INSERT INTO arcs VALUES (?, ?, ?, ?, ?, ?)", agent, session, from+i, f.hash, f.text, q.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Arc returns the course of a session as it was last drawn.
func (q *Queue) Arc(ctx context.Context, agent, session string) (codememory.Arc, error) {
	arc := codememory.Arc{Session: session}
	fs, at, err := q.fragments(ctx, agent, session)
	if err != nil || len(fs) == 0 {
		return arc, err
	}
	texts := make([]string, len(fs))
	for i, f := range fs {
		texts[i] = f.text
	}
	arc.Text, arc.At = strings.Join(texts, "\n"), at.UTC()
	return arc, nil
}
