package distill

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"codememory"
)

// leaseTime is how long a job belongs to who took it, unless it is renewed. A
// process that dies holds its jobs no longer than this.
const leaseTime = 5 * time.Minute

// maxAttempts is how often a job is tried before a person has to look at it.
const maxAttempts = 3

// ErrLeaseLost says that somebody else has the job now: whatever was made of it
// must not be stored.
var ErrLeaseLost = errors.New("somebody else works on it now")

// Lease takes the job that has been due longest, if there is one.
func (q *Queue) Lease(ctx context.Context, owner string) (job codememory.ExtractJob, ok bool, err error) {
	err = q.tx(ctx, func(tx *sql.Tx) error {
		now := q.now().UnixMilli()
		var id int64
		// A lease that ran out belongs to a process that died or slept.
		err := tx.QueryRowContext(ctx, `SELECT n FROM jobs WHERE due <= ?1 AND (state = 'queued' OR state = 'running' AND lease < ?1)
			ORDER BY due, n LIMIT 1`, now).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		job, err = q.take(ctx, tx, id, owner)
		return err
	})
	return job, ok, err
}

// LeaseJob takes one certain job, if nobody has it.
func (q *Queue) LeaseJob(ctx context.Context, owner string, id int64) (job codememory.ExtractJob, ok bool, err error) {
	err = q.tx(ctx, func(tx *sql.Tx) error {
		var free bool
		err := tx.QueryRowContext(ctx, "SELECT state = 'queued' OR state = 'running' AND lease < ? FROM jobs WHERE n = ?", q.now().UnixMilli(), id).Scan(&free)
		if errors.Is(err, sql.ErrNoRows) || err == nil && !free {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		job, err = q.take(ctx, tx, id, owner)
		return err
	})
	return job, ok, err
}

func (q *Queue) take(ctx context.Context, tx *sql.Tx, id int64, owner string) (codememory.ExtractJob, error) {
	if _, err := tx.ExecContext(ctx, "UPDATE jobs SET state = 'running', owner = ?, lease = ? WHERE n = ?", owner, q.now().Add(leaseTime).UnixMilli(), id); err != nil {
		return codememory.ExtractJob{}, err
	}
	return scanJob(tx.QueryRowContext(ctx, "SELECT "+jobColumns+" FROM jobs j WHERE j.n = ?", id).Scan)
}

// Renew keeps a job. It fails with ErrLeaseLost when it is too late.
func (q *Queue) Renew(ctx context.Context, id int64, owner string) error {
	return q.owned(ctx, "UPDATE jobs SET lease = ? WHERE n = ? AND owner = ? AND state = 'running'", q.now().Add(leaseTime).UnixMilli(), id, owner)
}

func (q *Queue) owned(ctx context.Context, query string, args ...any) error {
	res, err := q.h.Write.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrLeaseLost, err)
	}
	return nil
}

// Turns returns the ids of the turns that a job still has to read, in order.
func (q *Queue) Turns(ctx context.Context, id int64) ([]string, error) {
	return q.ids(ctx, "SELECT turn FROM turns WHERE job = ? AND state = 'taken' ORDER BY n", id)
}

// Unsummarised returns the turns of a session that its summary does not cover.
func (q *Queue) Unsummarised(ctx context.Context, agent, session string) ([]string, error) {
	return q.ids(ctx, "SELECT turn FROM turns WHERE agent = ? AND session = ? AND summarised = 0 ORDER BY n", agent, session)
}

func (q *Queue) ids(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := q.h.Write.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

// Read notes that turns of a job were read and what came of it, so that a
// later try does not begin anew.
func (q *Queue) Read(ctx context.Context, id int64, owner string, turns []string, memories int) error {
	return q.tx(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "UPDATE jobs SET memories = memories + ?, lease = ? WHERE n = ? AND owner = ? AND state = 'running'", memories, q.now().Add(leaseTime).UnixMilli(), id, owner)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(ErrLeaseLost, err)
		}
		for _, t := range turns {
			if _, err := tx.ExecContext(ctx, "UPDATE turns SET state = 'done' WHERE job = ? AND turn = ?", id, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// Finish ends a job.
func (q *Queue) Finish(ctx context.Context, id int64, owner string) error {
	return q.owned(ctx, "UPDATE jobs SET state = 'done', error = '', lease = 0, ended = ? WHERE n = ? AND owner = ? AND state = 'running'", q.now().UnixMilli(), id, owner)
}

// Later puts a job back. With counts set it was a real try, and the last one
// makes the job a dead letter.
func (q *Queue) Later(ctx context.Context, id int64, owner, reason string, due time.Time, counts bool) (dead bool, err error) {
	err = q.tx(ctx, func(tx *sql.Tx) error {
		var attempts int
		err := tx.QueryRowContext(ctx, "SELECT attempts FROM jobs WHERE n = ? AND owner = ? AND state = 'running'", id, owner).Scan(&attempts)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrLeaseLost
		}
		if err != nil {
			return err
		}
		if counts {
			attempts++
		}
		state := "queued"
		if dead = attempts >= maxAttempts; dead {
			state = "dead"
		}
		_, err = tx.ExecContext(ctx, "UPDATE jobs SET state = ?, attempts = ?, error = ?, due = ?, lease = 0, owner = '' WHERE n = ?", state, attempts, reason, due.UnixMilli(), id)
		return err
	})
	return dead, err
}

// Bury makes a job a dead letter at once: trying again would not help.
func (q *Queue) Bury(ctx context.Context, id int64, owner, reason string) error {
	return q.owned(ctx, "UPDATE jobs SET state = 'dead', attempts = attempts + 1, error = ?, lease = 0 WHERE n = ? AND owner = ? AND state = 'running'", reason, id, owner)
}

// Retry puts dead letters of a project and session, or of all, in line again
// and returns their ids.
func (q *Queue) Retry(ctx context.Context, project, session string) ([]int64, error) {
	var ids []int64
	err := q.tx(ctx, func(tx *sql.Tx) error {
		all, err := deadLetters(ctx, tx, project, session)
		if err != nil {
			return err
		}
		for _, d := range all {
			var open int64
			err := tx.QueryRowContext(ctx, "SELECT n FROM jobs WHERE kind = ? AND agent = ? AND session = ? AND state IN ('queued', 'running')", d.kind, d.agent, d.session).Scan(&open)
			switch {
			case errors.Is(err, sql.ErrNoRows):
				open = d.n
				_, err = tx.ExecContext(ctx, "UPDATE jobs SET state = 'queued', attempts = 0, error = '', due = ? WHERE n = ?", q.now().UnixMilli(), d.n)
			case err == nil: // a newer job of the same session takes over
				_, err = tx.ExecContext(ctx, "UPDATE turns SET job = ? WHERE job = ? AND state = 'taken'", open, d.n)
				if err == nil {
					_, err = tx.ExecContext(ctx, "UPDATE jobs SET state = 'done', ended = ? WHERE n = ?", q.now().UnixMilli(), d.n)
				}
			}
			if err != nil {
				return err
			}
			ids = append(ids, open)
		}
		return nil
	})
	return ids, err
}

// NextDue returns when the next job is due; the zero time means that none is in line.
func (q *Queue) NextDue(ctx context.Context) (time.Time, error) {
	var due sql.NullInt64
	err := q.h.Read.QueryRowContext(ctx, "SELECT min(CASE state WHEN 'queued' THEN due ELSE lease END) FROM jobs WHERE state IN ('queued', 'running')").Scan(&due)
	if err != nil || !due.Valid {
		return time.Time{}, err
	}
	return time.UnixMilli(due.Int64), nil
}

// letter is a job that was given up.
type letter struct {
	n                    int64
	kind, agent, session string
}

func deadLetters(ctx context.Context, tx *sql.Tx, project, session string) ([]letter, error) {
	rows, err := tx.QueryContext(ctx, "SELECT n, kind, agent, session FROM jobs WHERE state = 'dead' AND (?1 = '' OR project = ?1) AND (?2 = '' OR session = ?2) ORDER BY n", project, session)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []letter
	for rows.Next() {
		var d letter
		if err := rows.Scan(&d.n, &d.kind, &d.agent, &d.session); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, rows.Err()
}
