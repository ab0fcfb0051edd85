// Package history knows what capture has seen of the agents' transcripts and
// finds turns in them by words. It keeps an index and references, never the
// transcripts' text: that stays with the agent that wrote it.
package history

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/journal"
	"codememory/internal/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

const applicationID = 0x434d6873 // "CMhs"

// DB is the open history database.
type DB struct {
	h      sqlite.Handles
	counts sync.Map // word → count, of frequent words
}

// Open opens or creates the database at path.
func Open(ctx context.Context, path string) (*DB, error) {
	h, err := sqlite.Connect(path)
	if err != nil {
		return nil, err
	}
	scripts, err := fs.Sub(migrations, "migrations")
	if err == nil {
		err = sqlite.Schema{Application: applicationID, Scripts: scripts}.Migrate(ctx, h.Write, path, nil)
	}
	d := &DB{h: h}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the history database: %w", err), d.Close())
	}
	return d, nil
}

// Close closes the database.
func (d *DB) Close() error {
	if d.h.Read == d.h.Write {
		return d.h.Write.Close()
	}
	return errors.Join(d.h.Read.Close(), d.h.Write.Close())
}

func (d *DB) tx(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := d.h.Write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Meta reads a value; "" when there is none.
func (d *DB) Meta(ctx context.Context, key string) (string, error) {
	var v string
	err := d.h.Read.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return v, err
}

// SetMeta keeps a value.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	_, err := d.h.Write.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
	return err
}

// Since returns the time from which on turns are captured unasked: that of the
// first call. What is older is imported only on request.
func (d *DB) Since(ctx context.Context, now time.Time) (time.Time, error) {
	const key = "captured_since"
	v, err := d.Meta(ctx, key)
	if err != nil {
		return time.Time{}, err
	}
	if v != "" {
		return time.Parse(time.RFC3339, v)
	}
	now = now.UTC().Truncate(time.Second)
	return now, d.SetMeta(ctx, key, now.Format(time.RFC3339))
}

// Known is a turn that was seen before.
type Known struct {
	Hash    string
	Journal string // "" = indexed only
	Started time.Time
}

// Known returns the turns of a session that were seen before, by id.
func (d *DB) Known(ctx context.Context, agent, session string) (map[string]Known, error) {
	rows, err := d.h.Read.QueryContext(ctx, "SELECT turn, hash, journal, started FROM turns WHERE agent = ? AND session = ?", agent, session)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]Known{}
	for rows.Next() {
		var id string
		var k Known
		var started int64
		if err := rows.Scan(&id, &k.Hash, &k.Journal, &started); err != nil {
			return nil, err
		}
		k.Started = time.UnixMilli(started).UTC()
		out[id] = k
	}
	return out, rows.Err()
}

// Twin reports whether another session of the project has the same turn at the
// same time: a fork copies turns under new ids.
func (d *DB) Twin(ctx context.Context, project string, t codememory.Turn) (journal string, found bool, err error) {
	err = d.h.Read.QueryRowContext(ctx, "SELECT journal FROM turns WHERE hash = ? AND project = ? AND agent = ? AND session <> ? AND abs(started - ?) < 1000 AND journal <> '' LIMIT 1",
		t.Hash(), project, t.Agent, t.Session, t.StartedAt.UnixMilli()).Scan(&journal)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return journal, err == nil, err
}

// Put records a turn and indexes its words.
func (d *DB) Put(ctx context.Context, project string, t codememory.Turn, journalFile string) error {
	return d.tx(ctx, func(tx *sql.Tx) error { return put(ctx, tx, project, t, journalFile) })
}

// PutAll records many turns that are only indexed.
func (d *DB) PutAll(ctx context.Context, project string, ts []codememory.Turn) error {
	return d.tx(ctx, func(tx *sql.Tx) error {
		for _, t := range ts {
			if err := put(ctx, tx, project, t, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

func put(ctx context.Context, tx *sql.Tx, project string, t codememory.Turn, journalFile string) error {
	var n int64
	err := tx.QueryRowContext(ctx, `INSERT INTO turns (agent, session, turn, project, kind, hash, started, journal) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET project = excluded.project, hash = excluded.hash, journal = CASE WHEN excluded.journal = '' THEN journal ELSE excluded.journal END RETURNING n`,
		t.Agent, t.Session, t.ID, project, t.Kind, t.Hash(), t.StartedAt.UnixMilli(), journalFile).Scan(&n)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM turns_fts WHERE rowid = ?", n); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO turns_fts (rowid, prompt, reply, tools) VALUES (?, ?, ?, ?)", n, t.Prompt, replies(t), tools(t))
	return err
}

// indexedOutput is how much of a tool's output can be found by its words: the
// beginning says what it was about, the rest is bulk.
const indexedOutput = 1000

func replies(t codememory.Turn) string {
	var b strings.Builder
	for _, s := range t.Steps {
		if s.Text != "" {
			b.WriteString(s.Text + "\n")
		}
	}
	return b.String()
}

func tools(t codememory.Turn) string {
	var b strings.Builder
	for _, s := range t.Steps {
		if s.Tool == nil {
			continue
		}
		b.WriteString(journal.ToolLine(*s.Tool, t.Dir) + "\n")
		out := s.Tool.Output
		if len(out) > indexedOutput {
			out = out[:indexedOutput]
		}
		b.WriteString(strings.ToValidUTF8(out, "") + "\n")
	}
	return b.String()
}

// Remove forgets turns of a session: all when turns is nil.
func (d *DB) Remove(ctx context.Context, agent, session string, turns []string) error {
	return d.tx(ctx, func(tx *sql.Tx) error {
		cond, args := "agent = ? AND session = ?", []any{agent, session}
		if turns != nil {
			cond += " AND turn IN (" + strings.TrimSuffix(strings.Repeat("?,", len(turns)), ",") + ")"
			for _, t := range turns {
				args = append(args, t)
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM turns_fts WHERE rowid IN (SELECT n FROM turns WHERE "+cond+")", args...); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM turns WHERE "+cond, args...)
		return err
	})
}

// Session is what capture recorded of a session.
type Session struct {
	codememory.AgentSession
	Project  string
	GitStart string
	GitEnd   string
	Files    []codememory.FileChange
}

// PutSession records a session; its first git state is kept.
func (d *DB) PutSession(ctx context.Context, s Session) error {
	return d.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET project = excluded.project, dir = excluded.dir, title = excluded.title, active = excluded.active, git_end = excluded.git_end`,
			s.Agent, s.ID, s.Parent, s.Project, s.Dir, s.Title, s.CreatedAt.UnixMilli(), s.ActiveAt.UnixMilli(), s.GitStart, s.GitEnd)
		if err != nil {
			return err
		}
		for _, f := range s.Files {
			if _, err := tx.ExecContext(ctx, "INSERT INTO session_files VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET change = CASE WHEN change = 'created' AND excluded.change = 'modified' THEN 'created' ELSE excluded.change END",
				s.Agent, s.ID, f.Path, f.Change); err != nil {
				return err
			}
		}
		return nil
	})
}

// Session returns what was recorded of a session; it fails with NotFound.
func (d *DB) Session(ctx context.Context, agent, id string) (Session, error) {
	var s Session
	var created, active int64
	err := d.h.Read.QueryRowContext(ctx, "SELECT agent, id, parent, project, dir, title, created, active, git_start, git_end FROM sessions WHERE agent = ? AND id = ?", agent, id).
		Scan(&s.Agent, &s.ID, &s.Parent, &s.Project, &s.Dir, &s.Title, &created, &active, &s.GitStart, &s.GitEnd)
	if errors.Is(err, sql.ErrNoRows) {
		return s, codememory.Errorf(codememory.NotFound, "session %s was not captured", id)
	}
	if err != nil {
		return s, err
	}
	s.CreatedAt, s.ActiveAt = time.UnixMilli(created).UTC(), time.UnixMilli(active).UTC()
	rows, err := d.h.Read.QueryContext(ctx, "SELECT path, change FROM session_files WHERE agent = ? AND session = ? ORDER BY change, path", agent, id)
	if err != nil {
		return s, err
	}
	defer rows.Close()
	for rows.Next() {
		var f codememory.FileChange
		if err := rows.Scan(&f.Path, &f.Change); err != nil {
			return s, err
		}
		s.Files = append(s.Files, f)
	}
	return s, rows.Err()
}

// ProjectOf returns the project that a session of one of these agents was
// captured in, or "".
func (d *DB) ProjectOf(ctx context.Context, agents []string, session string) (string, error) {
	for _, agent := range agents {
		var project string
		err := d.h.Read.QueryRowContext(ctx, "SELECT project FROM turns WHERE agent = ? AND session = ? LIMIT 1", agent, session).Scan(&project)
		if !errors.Is(err, sql.ErrNoRows) {
			return project, err
		}
	}
	return "", nil
}

// TurnsSince counts, by agent, the turns in journals that began since then.
func (d *DB) TurnsSince(ctx context.Context, since time.Time) (map[string]int, error) {
	rows, err := d.h.Read.QueryContext(ctx, "SELECT agent, count(*) FROM turns WHERE started >= ? AND journal <> '' GROUP BY agent", since.UnixMilli())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	counts := map[string]int{}
	for rows.Next() {
		var agent string
		var n int
		if err := rows.Scan(&agent, &n); err != nil {
			return nil, err
		}
		counts[agent] = n
	}
	return counts, rows.Err()
}

// Sessions counts the captured sessions of an agent.
func (d *DB) Sessions(ctx context.Context, agent string) (int, error) {
	var n int
	err := d.h.Read.QueryRowContext(ctx, "SELECT count(*) FROM sessions WHERE agent = ?", agent).Scan(&n)
	return n, err
}
