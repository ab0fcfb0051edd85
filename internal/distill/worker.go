package distill

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/task"
)

// Host is what distilling needs of the rest.
type Host interface {
	// Turns returns the turns of a session, redacted. It fails with NotFound
	// when the session is gone.
	Turns(ctx context.Context, agent, session string) ([]codememory.Turn, error)
	// Wanted reports whether models may read what happens in a project.
	Wanted(ctx context.Context, project string) bool
	Search(ctx context.Context, r codememory.SearchRequest) (codememory.SearchAnswer, error)
	Add(ctx context.Context, r codememory.AddRequest) (codememory.AddResult, error)
	Edit(ctx context.Context, ref codememory.Ref, e codememory.Edit) (codememory.Memory, error)
	// SaveSummary keeps the summary of a session as the memory with this id,
	// or as a new one, and returns its id.
	SaveSummary(ctx context.Context, s Session, memory, text string, turns []string, at time.Time) (string, error)
}

// Options is what a Worker works with.
type Options struct {
	Queue  *Queue
	Tasks  task.Tasks
	Host   Host
	Redact func(string) string
	Idle   time.Duration // a session that was quiet for so long is read
	Owner  string        // name of this process; must differ between processes
	Log    *slog.Logger
	Now    func() time.Time
	// Done is told about every job that ended; nil: nobody.
	Done func(codememory.ExtractJob)
}

// Worker distils captured turns. Its methods are safe for concurrent use.
type Worker struct {
	Options
	wake chan struct{}
	one  sync.Mutex // one job at a time in this process; models are slow and dear
}

// New returns a worker.
func New(o Options) *Worker {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Done == nil {
		o.Done = func(codememory.ExtractJob) {}
	}
	return &Worker{Options: o, wake: make(chan struct{}, 1)}
}

// summaryEvery is after how many turns a session gets a new summary.
const summaryEvery = 5

// Captured notes a turn that was just captured.
func (w *Worker) Captured(ctx context.Context, project string, t codememory.Turn) error {
	s := Session{Agent: t.Agent, ID: t.Session, Project: project}
	at := t.EndedAt
	if at.IsZero() {
		at = t.StartedAt
	}
	n, over, err := w.Queue.AddTurn(ctx, s, t.ID, at)
	switch {
	case err != nil:
		return err
	case over || t.Kind == codememory.CompactionTurn:
		return w.Request(ctx, ExtractJob, s)
	case n >= summaryEvery && w.Tasks.Has(llm.Summarise):
		return w.Request(ctx, SummariseJob, s)
	}
	return nil
}

// Happened takes note of what an agent says about a session.
func (w *Worker) Happened(ctx context.Context, s Session, event string) error {
	switch event {
	case "ended":
		if err := w.Queue.SetOver(ctx, s, true); err != nil {
			return err
		}
		return w.Request(ctx, ExtractJob, s)
	case "compacted":
		return w.Request(ctx, ExtractJob, s)
	case "created", "prompt":
		return w.Queue.SetOver(ctx, s, false)
	}
	return nil
}

// Request puts a job in line and wakes the worker.
func (w *Worker) Request(ctx context.Context, kind Kind, s Session) error {
	_, added, err := w.Queue.Enqueue(ctx, kind, s)
	if added {
		w.Wake()
	}
	return err
}

// Wake makes the worker look for work soon.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// lookEvery is how often idle sessions and due jobs are looked for.
const lookEvery = 30 * time.Second

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	for {
		if err := w.Pass(ctx); err != nil && ctx.Err() == nil {
			w.Log.Warn("not everything was distilled", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-time.After(lookEvery):
		}
	}
}

// Pass puts idle sessions in line and works through what is due.
func (w *Worker) Pass(ctx context.Context) error {
	if _, err := w.Queue.EnqueueIdle(ctx, w.Now().Add(-w.Idle)); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if until, _ := w.Tasks.Paused(llm.Extract); !until.IsZero() {
			return nil // nobody could be asked: the jobs can wait in line
		}
		job, ok, err := w.Queue.Lease(ctx, w.Owner)
		if err != nil || !ok {
			return err
		}
		if err := w.Do(ctx, job); err != nil && !errors.Is(err, ErrLeaseLost) {
			w.Log.Warn("a job of a model was not done", "job", job.ID, "kind", job.Kind, "agent", job.Agent, "session", job.Session, "class", llm.ClassOf(err))
		}
	}
	return ctx.Err()
}

// Do does a job that was leased, and puts it back, buries or finishes it.
func (w *Worker) Do(ctx context.Context, job codememory.ExtractJob) error {
	working, stop := context.WithCancel(ctx)
	kept := w.keepLease(working, stop, job.ID)
	w.one.Lock()
	defer w.one.Unlock()
	err := w.work(working, job)
	stop()
	<-kept
	return w.settle(context.WithoutCancel(ctx), job, err)
}

// keepLease renews the lease while a job is worked on, and stops the work when
// that fails.
func (w *Worker) keepLease(ctx context.Context, lost context.CancelFunc, id int64) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(leaseTime / 4)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := w.Queue.Renew(ctx, id, w.Owner); errors.Is(err, ErrLeaseLost) {
					lost()
					return
				}
			}
		}
	}()
	return done
}

func (w *Worker) work(ctx context.Context, job codememory.ExtractJob) error {
	if !w.Host.Wanted(ctx, job.Project) {
		return nil
	}
	turns, err := w.Host.Turns(ctx, job.Agent, job.Session)
	switch {
	case codememory.CodeOf(err) == codememory.NotFound:
		return nil // the agent threw it away, and there is nothing to read
	case err != nil:
		return fmt.Errorf("read session %s of %s: %w", job.Session, job.Agent, err)
	}
	switch Kind(job.Kind) {
	case ExtractJob:
		err := w.extract(ctx, job, turns)
		if err == nil {
			err = w.summarise(ctx, job, turns)
		}
		return err
	case SummariseJob:
		return w.summarise(ctx, job, turns)
	case ArcJob:
		return w.arc(ctx, job, turns)
	}
	return nil
}

// settle decides what becomes of a job.
func (w *Worker) settle(ctx context.Context, job codememory.ExtractJob, err error) error {
	var after error
	switch e, isCall := errors.AsType[*llm.Error](err); {
	case err == nil:
		after = w.Queue.Finish(ctx, job.ID, w.Owner)
	case errors.Is(err, ErrLeaseLost):
		return err
	case errors.Is(err, context.Canceled):
		// The process ends: the job waits for the next one, and it was no try.
		_, after = w.Queue.Later(ctx, job.ID, w.Owner, "", w.Now(), false)
	case !isCall:
		_, after = w.Queue.Later(ctx, job.ID, w.Owner, err.Error(), w.Now().Add(backoff(job.Attempts)), true)
	case e.Class == llm.OverBudget:
		_, after = w.Queue.Later(ctx, job.ID, w.Owner, e.Error(), w.Now().Add(e.RetryAfter), false)
	case e.Class == llm.BadOutput || e.Class == llm.Refused:
		after = w.Queue.Bury(ctx, job.ID, w.Owner, e.Error())
	default:
		due := w.Now().Add(max(backoff(job.Attempts), e.RetryAfter))
		_, after = w.Queue.Later(ctx, job.ID, w.Owner, w.Redact(e.Error()), due, !e.Unreachable)
	}
	if ended, jobErr := w.Queue.Job(ctx, job.ID); jobErr == nil {
		w.Done(ended)
	}
	return errors.Join(err, after)
}

// backoff is the pause after so many failed tries: a minute, ten, an hour and a half.
func backoff(attempts int) time.Duration {
	pause := time.Minute
	for range min(attempts, 2) {
		pause *= 10
	}
	return pause
}
