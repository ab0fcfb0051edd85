package ledger

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"codememory"
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t *testing.T, path string, c *clock, b codememory.Budget) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), path, Options{Budget: b, Location: time.UTC, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func spend(t *testing.T, l *Ledger, c codememory.ModelCall) {
	t.Helper()
	b, err := l.Book(t.Context(), c.Input+c.Output, c.CostUSD)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Settle(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func call(role string, input, output int, usd float64) codememory.ModelCall {
	return codememory.ModelCall{Role: role, Provider: "p", API: "openai", Model: "m", Input: input, Output: output, CostUSD: usd, Priced: usd > 0, Outcome: "ok"}
}

func TestCostsAddUpAndBeginAnew(t *testing.T) {
	c := &clock{time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)}
	l := open(t, filepath.Join(t.TempDir(), "ledger.db"), c, codememory.Budget{})
	spend(t, l, call("extract", 1000, 100, 0.25))
	spend(t, l, call("link", 10, 1, 0))
	got, err := l.Costs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := codememory.CostSum{Calls: 2, Input: 1010, Output: 101, CostUSD: 0.25, Unpriced: 1}
	if got.Total != want || got.Today != want || got.Provider["p"] != want || got.Days["2026-11-15"] != want || got.ByRole["link"].Calls != 1 || got.Outcomes["ok"] != 2 || len(got.ByModel) != 1 {
		t.Errorf("got %+v", got)
	}
	c.at = c.at.Add(time.Minute)
	if err := l.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err = l.Costs(t.Context()); err != nil || got.Total.Calls != 0 || got.Today != want || !got.Since.Equal(c.at) {
		t.Errorf("after a reset: %+v, %v", got, err)
	}
	recent, err := l.Activity(t.Context(), 1)
	if err != nil || len(recent) != 1 || recent[0].Role != "link" {
		t.Errorf("activity %+v, %v", recent, err)
	}
}

func TestTheBudgetIsAHardStopUntilTheNextDay(t *testing.T) {
	c := &clock{time.Date(2026, 11, 15, 23, 0, 0, 0, time.UTC)}
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path, c, codememory.Budget{Tokens: 1000, USD: 1})
	spend(t, l, call("extract", 800, 100, 0.2))
	refused := func(l *Ledger, tokens int, usd float64) *ExceededError {
		t.Helper()
		_, err := l.Book(t.Context(), tokens, usd)
		e, ok := errors.AsType[*ExceededError](err)
		if !ok {
			t.Fatalf("booked: %v", err)
		}
		return e
	}
	if e := refused(l, 101, 0); !e.Until.Equal(time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("until %s", e.Until)
	}
	refused(l, 1, 0.9)
	if err := l.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(l, 101, 0)
	_ = l.Close()
	again := open(t, path, c, codememory.Budget{Tokens: 1000, USD: 1}) // a restart forgets nothing
	refused(again, 101, 0)
	if b, err := again.Budget(t.Context()); err != nil || b.Exceeded != "" {
		t.Errorf("100 tokens are left: %+v, %v", b, err)
	}
	c.at = c.at.Add(2 * time.Hour)
	spend(t, again, call("extract", 900, 100, 0.2))
	if b, err := again.Budget(t.Context()); err != nil || b.Exceeded == "" {
		t.Errorf("nothing is left: %+v, %v", b, err)
	}
}

func TestCallsAtTheSameTimeCannotExceedTheBudget(t *testing.T) {
	c := &clock{time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)}
	l := open(t, "", c, codememory.Budget{Tokens: 1000})
	var allowed atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			b, err := l.Book(context.Background(), 300, 0)
			if err != nil {
				return
			}
			allowed.Add(1)
			if err := b.Settle(context.Background(), call("extract", 250, 50, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 3 {
		t.Errorf("%d calls of 300 tokens in a budget of 1000", allowed.Load())
	}
}

func TestAFailedCallGivesItsBookingBack(t *testing.T) {
	c := &clock{time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)}
	l := open(t, "", c, codememory.Budget{Tokens: 100})
	for range 5 {
		b, err := l.Book(t.Context(), 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Settle(t.Context(), codememory.ModelCall{Role: "extract", Outcome: "infrastructure"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOldCallsAreDropped(t *testing.T) {
	c := &clock{time.Date(2025, 1, 1, 10, 0, 0, 0, time.UTC)}
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path, c, codememory.Budget{})
	spend(t, l, call("extract", 1, 1, 0))
	_ = l.Close()
	c.at = c.at.Add(keep + time.Hour)
	if got, err := open(t, path, c, codememory.Budget{}).Costs(t.Context()); err != nil || got.Total.Calls != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}
