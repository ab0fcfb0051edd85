package distill

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"codememory"
	"codememory/internal/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

const applicationID = 0x434d6473 // "CMds"

// Kind is what a job does.
type Kind string

// The kinds of job.
const (
	ExtractJob   Kind = "extract" // memories, and the summary
	SummariseJob Kind = "summarise"
	ArcJob       Kind = "arc"
)

// Queue keeps what models have still to read. Several processes can work from
// the same one: a job is leased by one of them at a time.
type Queue struct {
	h   sqlite.Handles
	now func() time.Time
}

// OpenQueue opens or creates the queue at path; an empty path means in memory.
func OpenQueue(ctx context.Context, path string, now func() time.Time) (*Queue, error) {
	if now == nil {
		now = time.Now
	}
	h, err := sqlite.Connect(path)
	if err != nil {
		return nil, err
	}
	q := &Queue{h: h, now: now}
	scripts, err := fs.Sub(migrations, "migrations")
	if err == nil {
		err = sqlite.Schema{Application: applicationID, Scripts: scripts}.Migrate(ctx, h.Write, path, nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the queue of what models read: %w", err), q.Close())
	}
	return q, nil
}

// Close closes the queue.
func (q *Queue) Close() error {
	if q.h.Read == q.h.Write {
		return q.h.Write.Close()
	}
	return errors.Join(q.h.Read.Close(), q.h.Write.Close())
}

func (q *Queue) tx(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := q.h.Write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Session names a session of an agent.
type Session struct{ Agent, ID, Project string }

// AddTurn notes a captured turn that a model should read. It returns how many
// turns of the session no summary covers yet, and whether the session is over.
// A turn that is known changes nothing.
func (q *Queue) AddTurn(ctx context.Context, s Session, turn string, at time.Time) (unsummarised int, over bool, err error) {
	err = q.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO sessions (agent, session, project, active) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET project = excluded.project, active = max(active, excluded.active)`, s.Agent, s.ID, s.Project, at.UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO turns (agent, session, turn, state) VALUES (?, ?, ?, 'waiting') ON CONFLICT DO NOTHING", s.Agent, s.ID, turn); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM turns WHERE agent = ?1 AND session = ?2 AND summarised = 0), over FROM sessions WHERE agent = ?1 AND session = ?2", s.Agent, s.ID).Scan(&unsummarised, &over)
	})
	return unsummarised, over, err
}

// SetOver notes that a session ended, or that it goes on. Its last turn may be
// captured after that.
func (q *Queue) SetOver(ctx context.Context, s Session, over bool) error {
	_, err := q.h.Write.ExecContext(ctx, `INSERT INTO sessions (agent, session, project, active, over) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET over = excluded.over`, s.Agent, s.ID, s.Project, q.now().UnixMilli(), over)
	return err
}

// DropTurns forgets turns that the user undid.
func (q *Queue) DropTurns(ctx context.Context, agent, session string, turns []string) error {
	return q.tx(ctx, func(tx *sql.Tx) error {
		for _, t := range turns {
			if _, err := tx.ExecContext(ctx, "DELETE FROM turns WHERE agent = ? AND session = ? AND turn = ?", agent, session, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// Enqueue puts a job in line, due at once. For extraction it takes all turns
// that wait; without any there is nothing to do and it reports false. A job of
// the same kind that is in line already is made due instead.
func (q *Queue) Enqueue(ctx context.Context, kind Kind, s Session) (id int64, added bool, err error) {
	err = q.tx(ctx, func(tx *sql.Tx) error {
		id, added, err = q.enqueue(ctx, tx, kind, s)
		return err
	})
	return id, added, err
}

func (q *Queue) enqueue(ctx context.Context, tx *sql.Tx, kind Kind, s Session) (id int64, added bool, err error) {
	now := q.now().UnixMilli()
	err = tx.QueryRowContext(ctx, "SELECT n FROM jobs WHERE kind = ? AND agent = ? AND session = ? AND state IN ('queued', 'running')", kind, s.Agent, s.ID).Scan(&id)
	switch {
	case err == nil:
		_, err = tx.ExecContext(ctx, "UPDATE jobs SET due = min(due, ?) WHERE n = ? AND state = 'queued' AND attempts = 0", now, id)
		if err == nil && kind == ExtractJob {
			_, err = tx.ExecContext(ctx, "UPDATE turns SET state = 'taken', job = ?1 WHERE agent = ?2 AND session = ?3 AND state = 'waiting' AND EXISTS (SELECT 1 FROM jobs WHERE n = ?1 AND state = 'queued')", id, s.Agent, s.ID)
		}
		return id, true, err
	case !errors.Is(err, sql.ErrNoRows):
		return 0, false, err
	}
	if kind == ExtractJob {
		var waiting int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM turns WHERE agent = ? AND session = ? AND state = 'waiting'", s.Agent, s.ID).Scan(&waiting); err != nil || waiting == 0 {
			return 0, false, err
		}
	}
	if s.Project == "" {
		_ = tx.QueryRowContext(ctx, "SELECT project FROM sessions WHERE agent = ? AND session = ?", s.Agent, s.ID).Scan(&s.Project) // it may be unknown
	}
	if err := tx.QueryRowContext(ctx, "INSERT INTO jobs (kind, agent, session, project, state, due, created) VALUES (?, ?, ?, ?, 'queued', ?, ?) RETURNING n", kind, s.Agent, s.ID, s.Project, now, now).Scan(&id); err != nil {
		return 0, false, err
	}
	if kind == ExtractJob {
		_, err = tx.ExecContext(ctx, "UPDATE turns SET state = 'taken', job = ? WHERE agent = ? AND session = ? AND state = 'waiting'", id, s.Agent, s.ID)
	} else {
		err = nil
	}
	return id, true, err
}

// EnqueueIdle puts the sessions in line that have something to read and were
// quiet since before.
func (q *Queue) EnqueueIdle(ctx context.Context, before time.Time) (int, error) {
	waiting, err := q.Waiting(ctx, "")
	if err != nil {
		return 0, err
	}
	n := 0
	for _, w := range waiting {
		if w.Active.After(before) {
			continue
		}
		_, added, err := q.Enqueue(ctx, ExtractJob, w.Session)
		if err != nil {
			return n, err
		}
		if added {
			n++
		}
	}
	return n, nil
}

// WaitingSession is a session with turns that nobody has taken.
type WaitingSession struct {
	Session
	Turns  []string
	Active time.Time
}

// Waiting lists the sessions of a project, or of all, with turns that wait.
func (q *Queue) Waiting(ctx context.Context, project string) ([]WaitingSession, error) {
	rows, err := q.h.Read.QueryContext(ctx, `SELECT s.agent, s.session, s.project, s.active, t.turn FROM turns t JOIN sessions s ON s.agent = t.agent AND s.session = t.session
		WHERE t.state = 'waiting' AND (?1 = '' OR s.project = ?1) ORDER BY s.active, s.agent, s.session, t.n`, project)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []WaitingSession
	for rows.Next() {
		var w WaitingSession
		var active int64
		var turn string
		if err := rows.Scan(&w.Agent, &w.ID, &w.Project, &active, &turn); err != nil {
			return nil, err
		}
		if n := len(out); n == 0 || out[n-1].Session != w.Session {
			w.Active = time.UnixMilli(active)
			out = append(out, w)
		}
		out[len(out)-1].Turns = append(out[len(out)-1].Turns, turn)
	}
	return out, rows.Err()
}

// job is the form in which the outside sees a job.
const jobColumns = "j.n, j.kind, j.agent, j.session, j.project, j.state, j.attempts, j.due, j.error, j.memories, (SELECT count(*) FROM turns t WHERE t.job = j.n)"

func scanJob(scan func(...any) error) (codememory.ExtractJob, error) {
	var j codememory.ExtractJob
	var due int64
	err := scan(&j.ID, &j.Kind, &j.Agent, &j.Session, &j.Project, &j.State, &j.Attempts, &due, &j.Error, &j.Memories, &j.Turns)
	j.Due = time.UnixMilli(due).UTC()
	return j, err
}

// Jobs lists jobs in one of the states, newest first.
func (q *Queue) Jobs(ctx context.Context, states ...string) ([]codememory.ExtractJob, error) {
	out := []codememory.ExtractJob{}
	for _, state := range states {
		found, err := q.jobsIn(ctx, state)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func (q *Queue) jobsIn(ctx context.Context, state string) ([]codememory.ExtractJob, error) {
	rows, err := q.h.Read.QueryContext(ctx, "SELECT "+jobColumns+" FROM jobs j WHERE j.state = ? ORDER BY j.n DESC LIMIT 200", state)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []codememory.ExtractJob
	for rows.Next() {
		j, err := scanJob(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, rows.Err()
}

// Job returns one job; it fails with NotFound.
func (q *Queue) Job(ctx context.Context, id int64) (codememory.ExtractJob, error) {
	j, err := scanJob(q.h.Write.QueryRowContext(ctx, "SELECT "+jobColumns+" FROM jobs j WHERE j.n = ?", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return j, codememory.Errorf(codememory.NotFound, "there is no job %d", id)
	}
	return j, err
}
