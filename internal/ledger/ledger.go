// Package ledger counts what language models cost, call by call, and keeps the
// budget of the day: what would exceed it is not asked. It never holds text.
package ledger

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"codememory"
	"codememory/internal/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	applicationID = 0x434d6c67 // "CMlg"
	keep          = 400 * 24 * time.Hour
)

// Options say how to count.
type Options struct {
	Budget   codememory.Budget // of a day
	Location *time.Location    // of the user's days
	Now      func() time.Time
}

// Ledger is an open ledger. It is safe for concurrent use.
type Ledger struct {
	h    sqlite.Handles
	opts Options

	mu     sync.Mutex
	day    string
	spent  spending // of the day
	booked spending // by calls in progress
}

type spending struct {
	tokens int
	usd    float64
}

// Open opens or creates the ledger at path; an empty path means in memory.
func Open(ctx context.Context, path string, o Options) (*Ledger, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	h, err := sqlite.Connect(path)
	if err != nil {
		return nil, err
	}
	l := &Ledger{h: h, opts: o}
	scripts, err := fs.Sub(migrations, "migrations")
	if err == nil {
		err = sqlite.Schema{Application: applicationID, Scripts: scripts}.Migrate(ctx, h.Write, path, nil)
	}
	if err == nil {
		_, err = h.Write.ExecContext(ctx, "DELETE FROM calls WHERE at < ?", o.Now().Add(-keep).UnixMilli())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the ledger: %w", err), l.Close())
	}
	return l, nil
}

// Close closes the ledger.
func (l *Ledger) Close() error {
	if l.h.Read == l.h.Write {
		return l.h.Write.Close()
	}
	return errors.Join(l.h.Read.Close(), l.h.Write.Close())
}

// Booking is the part of the day's budget that a call in progress holds.
type Booking struct {
	l    *Ledger
	held spending
	once sync.Once
}

// Book sets aside what a call will take at most. It fails, and nothing may be
// asked, when the day's budget does not allow it; the reason is for people.
func (l *Ledger) Book(ctx context.Context, tokens int, usd float64) (*Booking, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.today(ctx); err != nil {
		return nil, err
	}
	if reason := l.exceeded(tokens, usd); reason != "" {
		return nil, &ExceededError{Reason: reason, Until: l.tomorrow()}
	}
	l.booked.tokens += tokens
	l.booked.usd += usd
	return &Booking{l: l, held: spending{tokens, usd}}, nil
}

// ExceededError says that the budget of the day is used up.
type ExceededError struct {
	Reason string
	Until  time.Time // when the next day begins
}

func (e *ExceededError) Error() string { return e.Reason }

// Settle ends a booking and records the call, which may have cost nothing.
func (b *Booking) Settle(ctx context.Context, c codememory.ModelCall) (err error) {
	b.once.Do(func() {
		b.l.mu.Lock()
		defer b.l.mu.Unlock()
		b.l.booked.tokens -= b.held.tokens
		b.l.booked.usd -= b.held.usd
		err = b.l.record(ctx, c)
	})
	return err
}

// record writes a call. The lock is held.
func (l *Ledger) record(ctx context.Context, c codememory.ModelCall) error {
	if c.At.IsZero() {
		c.At = l.opts.Now()
	}
	// What was spent counts even if it cannot be written.
	err := l.today(ctx)
	l.spent.tokens += c.Input + c.Output
	l.spent.usd += c.CostUSD
	if err != nil {
		return err
	}
	_, err = l.h.Write.ExecContext(ctx, `INSERT INTO calls (at, day, role, provider, api, model, project, session, input, cached, output, cost, priced, estimated, outcome, millis)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.At.UnixMilli(), l.day, c.Role, c.Provider, c.API, c.Model, c.Project, c.Session, c.Input, c.Cached, c.Output, c.CostUSD, c.Priced, c.Estimated, c.Outcome, c.Millis)
	return err
}

// today begins a new day if there is one. The lock is held.
func (l *Ledger) today(ctx context.Context) error {
	day := l.opts.Now().In(l.opts.Location).Format(time.DateOnly)
	if day == l.day {
		return nil
	}
	var s spending
	err := l.h.Write.QueryRowContext(ctx, "SELECT coalesce(sum(input + output), 0), coalesce(sum(cost), 0.0) FROM calls WHERE day = ?", day).Scan(&s.tokens, &s.usd)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	l.day, l.spent = day, s
	return nil
}

func (l *Ledger) tomorrow() time.Time {
	now := l.opts.Now().In(l.opts.Location)
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, l.opts.Location)
}

// exceeded says why a call of this size is not allowed, or "". The lock is held.
func (l *Ledger) exceeded(tokens int, usd float64) string {
	b := l.opts.Budget
	const todo = "nothing is asked before tomorrow; llm.budget.tokens and llm.budget.usd set the limits"
	switch {
	case b.Tokens > 0 && l.spent.tokens+l.booked.tokens+tokens > b.Tokens:
		return fmt.Sprintf("the day's budget of %d tokens has %d left: %s", b.Tokens, max(0, b.Tokens-l.spent.tokens-l.booked.tokens), todo)
	case b.USD > 0 && l.spent.usd+l.booked.usd+usd > b.USD:
		return fmt.Sprintf("the day's budget of $%.2f has $%.4f left: %s", b.USD, max(0, b.USD-l.spent.usd-l.booked.usd), todo)
	}
	return ""
}

// Budget returns the limits, and whether anything can still be asked today.
func (l *Ledger) Budget(ctx context.Context) (codememory.Budget, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.opts.Budget
	if err := l.today(ctx); err != nil {
		return b, err
	}
	b.Exceeded = l.exceeded(1, 0)
	return b, nil
}

// Reset begins the count anew; the budget of the day is not touched.
func (l *Ledger) Reset(ctx context.Context) error {
	_, err := l.h.Write.ExecContext(ctx, "INSERT INTO meta VALUES ('since', ?) ON CONFLICT DO UPDATE SET value = excluded.value", strconv.FormatInt(l.opts.Now().UnixMilli(), 10))
	return err
}

func (l *Ledger) since(ctx context.Context) (int64, error) {
	var v string
	err := l.h.Read.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'since'").Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(v, 10, 64)
}
