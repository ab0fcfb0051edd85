package history

import (
	"context"
	"time"
)

// Note is something the user asked to remember that no memory says yet.
type Note struct {
	N       int64
	Project string
	Agent   string
	Session string
	At      time.Time
	Text    string
}

// AddNote keeps a note. Its text is already redacted.
func (d *DB) AddNote(ctx context.Context, n Note) error {
	_, err := d.h.Write.ExecContext(ctx, "INSERT INTO notes (project, agent, session, at, text) VALUES (?, ?, ?, ?, ?)", n.Project, n.Agent, n.Session, n.At.UnixMilli(), n.Text)
	return err
}

// Notes returns the notes of a session, or of all when it is empty, oldest first.
func (d *DB) Notes(ctx context.Context, session string) ([]Note, error) {
	rows, err := d.h.Read.QueryContext(ctx, "SELECT n, project, agent, session, at, text FROM notes WHERE ?1 = '' OR session = ?1 ORDER BY n", session)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Note
	for rows.Next() {
		var x Note
		var at int64
		if err := rows.Scan(&x.N, &x.Project, &x.Agent, &x.Session, &at, &x.Text); err != nil {
			return nil, err
		}
		x.At = time.UnixMilli(at).UTC()
		out = append(out, x)
	}
	return out, rows.Err()
}

// DropNote removes a note that became a memory.
func (d *DB) DropNote(ctx context.Context, n int64) error {
	_, err := d.h.Write.ExecContext(ctx, "DELETE FROM notes WHERE n = ?", n)
	return err
}
