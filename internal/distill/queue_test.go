package distill

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"codememory"
)

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func openQueue(t *testing.T, path string, c *clock) *Queue {
	t.Helper()
	q, err := OpenQueue(t.Context(), path, c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

var one = Session{Agent: "opencode", ID: "ses_1", Project: "p"}

func addTurns(t *testing.T, q *Queue, s Session, at time.Time, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if _, _, err := q.AddTurn(t.Context(), s, id, at); err != nil {
			t.Fatal(err)
		}
	}
}

func lease(t *testing.T, q *Queue, owner string) (codememory.ExtractJob, bool) {
	t.Helper()
	j, ok, err := q.Lease(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	return j, ok
}

func TestATurnIsReadOnce(t *testing.T) {
	c := newClock()
	q := openQueue(t, "", c)
	if _, added, err := q.Enqueue(t.Context(), ExtractJob, one); added || err != nil {
		t.Fatalf("a job without turns: %v", err)
	}
	addTurns(t, q, one, c.now(), "t1", "t2", "t1")
	id, added, err := q.Enqueue(t.Context(), ExtractJob, one)
	if err != nil || !added {
		t.Fatal(added, err)
	}
	addTurns(t, q, one, c.now(), "t3") // joins the job that nobody has begun
	if again, _, err := q.Enqueue(t.Context(), ExtractJob, one); err != nil || again != id {
		t.Fatalf("job %d besides %d, %v", again, id, err)
	}
	j, ok := lease(t, q, "a")
	if !ok || j.Turns != 3 || j.Project != "p" || j.State != "running" {
		t.Fatalf("%+v", j)
	}
	addTurns(t, q, one, c.now(), "t4") // has to wait for the next one
	if _, _, err := q.Enqueue(t.Context(), ExtractJob, one); err != nil {
		t.Fatal(err)
	}
	if ids, err := q.Turns(t.Context(), j.ID); err != nil || len(ids) != 3 {
		t.Fatal(ids, err)
	}
	if _, ok := lease(t, q, "b"); ok {
		t.Error("two have the job")
	}
	if err := q.Read(t.Context(), j.ID, "a", []string{"t1", "t2", "t3"}, 2); err != nil {
		t.Fatal(err)
	}
	if err := q.Finish(t.Context(), j.ID, "a"); err != nil {
		t.Fatal(err)
	}
	addTurns(t, q, one, c.now(), "t1", "t2", "t3", "t4") // captured again, after a restart
	if _, _, err := q.Enqueue(t.Context(), ExtractJob, one); err != nil {
		t.Fatal(err)
	}
	if j, ok = lease(t, q, "a"); !ok || j.Turns != 1 {
		t.Errorf("%+v", j)
	}
}

func TestTwoWorkersNeverHaveTheSameJob(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "distill.db")
	a, b := openQueue(t, path, c), openQueue(t, path, c) // as two processes
	const jobs = 40
	for i := range jobs {
		s := Session{Agent: "x", ID: fmt.Sprint(i), Project: "p"}
		addTurns(t, a, s, c.now(), "t")
		if _, _, err := a.Enqueue(t.Context(), ExtractJob, s); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	taken := map[int64]int{}
	var wg sync.WaitGroup
	for _, q := range []*Queue{a, b, a, b} {
		wg.Go(func() {
			for {
				j, ok, err := q.Lease(context.Background(), fmt.Sprintf("%p", q))
				if err != nil {
					t.Error(err)
					return
				}
				if !ok {
					return
				}
				mu.Lock()
				taken[j.ID]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(taken) != jobs {
		t.Errorf("%d of %d jobs were taken", len(taken), jobs)
	}
	for id, n := range taken {
		if n != 1 {
			t.Errorf("job %d was taken %d times", id, n)
		}
	}
}

func TestALeaseRunsOutAndItsOwnerStoresNothing(t *testing.T) {
	c := newClock()
	q := openQueue(t, "", c)
	addTurns(t, q, one, c.now(), "t1")
	if _, _, err := q.Enqueue(t.Context(), ExtractJob, one); err != nil {
		t.Fatal(err)
	}
	j, _ := lease(t, q, "a")
	c.add(leaseTime - time.Second)
	if err := q.Renew(t.Context(), j.ID, "a"); err != nil {
		t.Fatal(err)
	}
	c.add(leaseTime - time.Second)
	if _, ok := lease(t, q, "b"); ok {
		t.Fatal("a renewed lease ran out")
	}
	c.add(2 * time.Second)
	if _, ok := lease(t, q, "b"); !ok {
		t.Fatal("nobody takes over")
	}
	for name, err := range map[string]error{
		"renew": q.Renew(t.Context(), j.ID, "a"), "read": q.Read(t.Context(), j.ID, "a", []string{"t1"}, 1),
		"finish": q.Finish(t.Context(), j.ID, "a"), "bury": q.Bury(t.Context(), j.ID, "a", "x"),
	} {
		if !errors.Is(err, ErrLeaseLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := q.Later(t.Context(), j.ID, "a", "x", c.now(), true); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("later: %v", err)
	}
	if got, err := q.Job(t.Context(), j.ID); err != nil || got.State != "running" || got.Memories != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAJobThatKeepsFailingBecomesADeadLetterAndCanBeRetried(t *testing.T) {
	c := newClock()
	q := openQueue(t, "", c)
	addTurns(t, q, one, c.now(), "t1")
	if _, _, err := q.Enqueue(t.Context(), ExtractJob, one); err != nil {
		t.Fatal(err)
	}
	for attempt := 1; attempt <= maxAttempts; attempt++ {
		j, ok := lease(t, q, "a")
		if !ok {
			t.Fatalf("attempt %d: no job", attempt)
		}
		dead, err := q.Later(t.Context(), j.ID, "a", "the server failed", c.now().Add(time.Hour), true)
		if err != nil || dead != (attempt == maxAttempts) {
			t.Fatalf("attempt %d: %v %v", attempt, dead, err)
		}
		if _, ok := lease(t, q, "a"); ok {
			t.Fatal("it was not due yet")
		}
		c.add(2 * time.Hour)
	}
	letters, err := q.Jobs(t.Context(), "dead")
	if err != nil || len(letters) != 1 || letters[0].Error != "the server failed" || letters[0].Attempts != maxAttempts || letters[0].Turns != 1 {
		t.Fatalf("%+v, %v", letters, err)
	}
	if ids, err := q.Retry(t.Context(), "other", ""); err != nil || len(ids) != 0 {
		t.Errorf("%v, %v", ids, err)
	}
	// A newer job of the session takes over what the dead one had.
	addTurns(t, q, one, c.now(), "t2")
	newer, _, err := q.Enqueue(t.Context(), ExtractJob, one)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := q.Retry(t.Context(), "p", "")
	if err != nil || len(ids) != 1 || ids[0] != newer {
		t.Fatalf("%v, %v", ids, err)
	}
	if j, ok := lease(t, q, "a"); !ok || j.Turns != 2 || j.Attempts != 0 {
		t.Errorf("%+v", j)
	}
}

func TestWhatIsNoTryDoesNotCount(t *testing.T) {
	c := newClock()
	q := openQueue(t, "", c)
	addTurns(t, q, one, c.now(), "t1")
	if _, _, err := q.Enqueue(t.Context(), ExtractJob, one); err != nil {
		t.Fatal(err)
	}
	for range 2 * maxAttempts {
		j, ok := lease(t, q, "a")
		if !ok {
			t.Fatal("no job")
		}
		if dead, err := q.Later(t.Context(), j.ID, "a", "over the budget", c.now(), false); err != nil || dead {
			t.Fatal(dead, err)
		}
	}
}

func TestIdleSessionsAreTaken(t *testing.T) {
	c := newClock()
	q := openQueue(t, "", c)
	two := Session{Agent: "codex", ID: "ses_2", Project: "p"}
	addTurns(t, q, one, c.now().Add(-2*time.Hour), "t1")
	addTurns(t, q, two, c.now().Add(-time.Minute), "t1")
	if n, err := q.EnqueueIdle(t.Context(), c.now().Add(-time.Hour)); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	waiting, err := q.Waiting(t.Context(), "p")
	if err != nil || len(waiting) != 1 || waiting[0].Session != two {
		t.Errorf("%+v, %v", waiting, err)
	}
	if err := q.DropTurns(t.Context(), two.Agent, two.ID, []string{"t1"}); err != nil {
		t.Fatal(err)
	}
	if waiting, err = q.Waiting(t.Context(), ""); err != nil || len(waiting) != 0 {
		t.Errorf("an undone turn waits: %+v, %v", waiting, err)
	}
}

func TestASessionThatEndedIsReadAsItsLastTurnComes(t *testing.T) {
	c := newClock()
	q := openQueue(t, "", c)
	if err := q.SetOver(t.Context(), one, true); err != nil {
		t.Fatal(err)
	}
	if _, over, err := q.AddTurn(t.Context(), one, "t1", c.now()); err != nil || !over {
		t.Error(over, err)
	}
	if err := q.SetOver(t.Context(), one, false); err != nil {
		t.Fatal(err)
	}
	if n, over, err := q.AddTurn(t.Context(), one, "t2", c.now()); err != nil || over || n != 2 {
		t.Error(n, over, err)
	}
}
