package mcpserver

import (
	"context"
	"errors"
	"io"
	"time"
)

// errParentGone ends a server whose agent died without closing its input,
// which another process may hold open.
var errParentGone = errors.New("the process that started this one is gone")

// closeTime is how long calls may take to notice that the server ends.
const closeTime = 2 * time.Second

// ServeStdio serves one agent over a pair of streams, one message on each line,
// until the input ends, the agent dies or ctx ends. Nothing but messages is
// written to out. Calls that are under way when the input ends are answered.
func ServeStdio(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go watchParent(ctx, func() { cancel(errParentGone) })

	ended := make(chan error, 1)
	go func() { ended <- New(o).Run(ctx, newLines(in, out)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(closeTime):
			err = ctx.Err()
		}
	}
	// The end of the input and of the agent are how a server is meant to end.
	if errors.Is(err, io.EOF) || errors.Is(context.Cause(ctx), errParentGone) {
		return nil
	}
	return err
}
