package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Worker does one thing in the background, again and again until ctx ends.
type Worker struct {
	Name  string
	Every time.Duration
	Do    func(context.Context) error
}

// maxBackoff is the longest pause after failures, unless Every is longer.
const maxBackoff = time.Hour

// runWorkers starts every worker; the channel is closed when all have ended.
func runWorkers(ctx context.Context, log *slog.Logger, workers []Worker) <-chan struct{} {
	var wg sync.WaitGroup
	for _, w := range workers {
		wg.Go(func() { w.run(ctx, log.With("worker", w.Name)) })
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	return done
}

// run works at once and then at every interval. A failure is logged and
// doubles the pause until it works again; a panic is a failure too.
func (w Worker) run(ctx context.Context, log *slog.Logger) {
	failures := 0
	for {
		if err := w.once(ctx); err != nil && ctx.Err() == nil {
			failures++
			log.Error("worker failed", "err", err, "failures", failures)
		} else {
			failures = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(w.pause(failures)):
		}
	}
}

func (w Worker) pause(failures int) time.Duration {
	longest := max(maxBackoff, w.Every)
	pause := w.Every
	for range failures {
		if pause *= 2; pause >= longest {
			return longest
		}
	}
	return pause
}

func (w Worker) once(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil { // its value may hold memory text
			err = fmt.Errorf("panic of type %T\n%s", v, debug.Stack())
		}
	}()
	return w.Do(ctx)
}
