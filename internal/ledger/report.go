package ledger

import (
	"context"
	"database/sql"
	"time"

	"codememory"
)

// sums is the list of columns that add up to a CostSum.
const sums = "count(*), coalesce(sum(input), 0), coalesce(sum(cached), 0), coalesce(sum(output), 0), coalesce(sum(cost), 0.0), coalesce(sum(NOT priced AND outcome = 'ok'), 0)"

func scanSum(s *codememory.CostSum) []any {
	return []any{&s.Calls, &s.Input, &s.Cached, &s.Output, &s.CostUSD, &s.Unpriced}
}

// Costs adds up the calls since the count began.
func (l *Ledger) Costs(ctx context.Context) (codememory.Costs, error) {
	out := codememory.Costs{ByModel: []codememory.ModelCost{}, Outcomes: map[string]int{}}
	since, err := l.since(ctx)
	if err != nil {
		return out, err
	}
	if since > 0 {
		out.Since = time.UnixMilli(since).UTC()
	}
	if out.Budget, err = l.Budget(ctx); err != nil {
		return out, err
	}
	var last sql.NullInt64
	if err := l.h.Read.QueryRowContext(ctx, "SELECT max(at), "+sums+" FROM calls WHERE at >= ?", since).Scan(append([]any{&last}, scanSum(&out.Total)...)...); err != nil {
		return out, err
	}
	if last.Valid {
		out.Updated = time.UnixMilli(last.Int64).UTC()
	}
	day := l.opts.Now().In(l.opts.Location).Format(time.DateOnly)
	if err := l.h.Read.QueryRowContext(ctx, "SELECT "+sums+" FROM calls WHERE day = ?", day).Scan(scanSum(&out.Today)...); err != nil {
		return out, err
	}
	if out.ByRole, err = l.by(ctx, "role", since); err != nil {
		return out, err
	}
	if out.Provider, err = l.by(ctx, "provider", since); err != nil {
		return out, err
	}
	from := max(since, l.opts.Now().Add(-30*24*time.Hour).UnixMilli())
	if out.Days, err = l.by(ctx, "day", from); err != nil {
		return out, err
	}
	return out, l.models(ctx, since, &out)
}

// by adds up the calls for each value of a column.
func (l *Ledger) by(ctx context.Context, column string, since int64) (map[string]codememory.CostSum, error) {
	rows, err := l.h.Read.QueryContext(ctx, "SELECT "+column+", "+sums+" FROM calls WHERE at >= ? GROUP BY 1", since)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]codememory.CostSum{}
	for rows.Next() {
		var name string
		var s codememory.CostSum
		if err := rows.Scan(append([]any{&name}, scanSum(&s)...)...); err != nil {
			return nil, err
		}
		out[name] = s
	}
	return out, rows.Err()
}

func (l *Ledger) models(ctx context.Context, since int64, out *codememory.Costs) error {
	rows, err := l.h.Read.QueryContext(ctx, "SELECT provider, model, "+sums+" FROM calls WHERE at >= ? GROUP BY 1, 2 ORDER BY sum(cost) DESC, sum(input + output) DESC, 1, 2", since)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var m codememory.ModelCost
		if err := rows.Scan(append([]any{&m.Provider, &m.Model}, scanSum(&m.CostSum)...)...); err != nil {
			return err
		}
		out.ByModel = append(out.ByModel, m)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	outcomes, err := l.h.Read.QueryContext(ctx, "SELECT outcome, count(*) FROM calls WHERE at >= ? GROUP BY 1", since)
	if err != nil {
		return err
	}
	defer outcomes.Close()
	for outcomes.Next() {
		var name string
		var n int
		if err := outcomes.Scan(&name, &n); err != nil {
			return err
		}
		out.Outcomes[name] = n
	}
	return outcomes.Err()
}

// MaxActivity is how many calls Activity returns at most.
const MaxActivity = 200

// Activity returns the last calls, newest first.
func (l *Ledger) Activity(ctx context.Context, limit int) ([]codememory.ModelCall, error) {
	if limit <= 0 || limit > MaxActivity {
		limit = MaxActivity
	}
	rows, err := l.h.Read.QueryContext(ctx, "SELECT at, role, provider, api, model, project, session, input, cached, output, cost, priced, estimated, outcome, millis FROM calls ORDER BY n DESC LIMIT ?", limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []codememory.ModelCall{}
	for rows.Next() {
		var c codememory.ModelCall
		var at int64
		if err := rows.Scan(&at, &c.Role, &c.Provider, &c.API, &c.Model, &c.Project, &c.Session, &c.Input, &c.Cached, &c.Output, &c.CostUSD, &c.Priced, &c.Estimated, &c.Outcome, &c.Millis); err != nil {
			return nil, err
		}
		c.At = time.UnixMilli(at).UTC()
		out = append(out, c)
	}
	return out, rows.Err()
}
