package cli

import (
	"context"

	"codememory"
	"codememory/internal/cli/term"
)

// watched reports whether somebody looks at what goes to stderr.
func (p *program) watched() bool { return !p.Quiet && !p.JSON && term.IsTerminal(p.err) }

// progress returns a progress line when somebody is there to see it.
func (p *program) progress() *term.Progress {
	if !p.watched() {
		return &term.Progress{}
	}
	columns, _ := term.Columns(p.err, p.getenv)
	return term.NewProgress(p.err, columns)
}

// watch shows the progress that the service reports for one kind of job while
// a long call runs. The returned function ends it.
func (p *program) watch(ctx context.Context, svc codememory.Service, job string) (stop func()) {
	if !p.watched() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	events, err := svc.Events(ctx)
	if err != nil {
		cancel()
		return func() {} // the work itself goes on without a progress line
	}
	progress := p.progress()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for e := range events {
			if e.Kind == "job.progress" && e.Job == job {
				progress.Set(e.Job, e.Done, e.Total)
			}
		}
	}()
	return func() {
		cancel()
		<-finished
		progress.Done()
	}
}
