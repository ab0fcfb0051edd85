package hook

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"codememory"
)

// DefaultBudget is how long an agent is kept waiting at most.
const DefaultBudget = 300 * time.Millisecond

// endBudget is the same for the end of a turn or a session: no model waits
// then, and nothing says later what is not said now.
const endBudget = time.Second

// Options say how a hook runs.
type Options struct {
	Agent  string
	Args   []string
	Stdin  io.Reader // nil: nothing
	Stdout io.Writer
	Stderr io.Writer           // for the reason of a refusal
	Env    func(string) string // os.Getenv outside of tests
	// Connect finds the daemon. It must not wait for one to start.
	Connect func(ctx context.Context) (codememory.Service, codememory.AgentService, func(), error)
	// Claim reports whether an event with this key is ours to answer, as
	// Claims.Take does; nil: all are.
	Claim  func(key string) bool
	Budget time.Duration // 0: DefaultBudget
	Log    *slog.Logger  // nil: none, or stderr with CODEMEMORY_DEBUG
}

// Run is one hook from its payload to its output. It returns the exit code,
// which is 0 unless the user wants checkpoints enforced and one is due.
func Run(ctx context.Context, o Options) (code int) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
		if isSet(o.Env("CODEMEMORY_DEBUG")) {
			o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
		}
	}
	defer func() {
		if r := recover(); r != nil {
			o.Log.Error("hook panicked", "agent", o.Agent, "err", r)
		}
	}()
	parent := ctx
	ctx, cancel := context.WithTimeout(parent, orBudget(o.Budget))
	defer cancel()
	in, err := o.read(ctx)
	if err != nil {
		o.Log.Warn("hook got no payload in time", "agent", o.Agent, "err", err)
		return 0
	}
	defer func() { // at last, since the agent need not wait for it to read our answer
		select {
		case <-in.drained:
		case <-ctx.Done():
		}
	}()
	e, err := Parse(o.Agent, o.Args, in.data, o.Env)
	if err != nil {
		o.Log.Warn("hook does nothing", "agent", o.Agent, "err", err)
		return 0
	}
	if o.Budget == 0 && (e.Kind == TurnEnd || e.Kind == SessionEnd) {
		ctx, cancel = context.WithTimeout(parent, endBudget)
		defer cancel()
	}
	answer := o.answer(ctx, e)
	if answer.Refuse != "" {
		fmt.Fprintln(o.Stderr, answer.Refuse)
		return refused
	}
	if out := Reply(e.Agent, e, answer); len(out) > 0 {
		if _, err := o.Stdout.Write(out); err != nil {
			o.Log.Warn("hook could not print its answer", "agent", e.Agent, "event", e.Name, "err", err)
		}
	}
	return 0
}

// read waits for the payload as long as it is worth it.
func (o Options) read(ctx context.Context) (input, error) {
	cmd, err := parseCommand(o.Agent, o.Args)
	if err != nil || !cmd.complete() {
		return read(ctx, o.Stdin)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	in, err := read(ctx, o.Stdin)
	if err != nil { // a pipe that nobody writes to is not waited for at the end either
		return input{drained: ctx.Done()}, nil
	}
	return in, nil
}

// answer asks the daemon, and is empty when that fails or takes too long.
func (o Options) answer(ctx context.Context, e Event) Answer {
	log := o.Log.With("agent", e.Agent, "event", e.Name, "session", e.Session)
	if e.Kind == Other || isSet(o.Env("CODEMEMORY_DISABLE")) || isSet(o.Env("CODEMEMORY_INTERNAL")) {
		return Answer{}
	}
	key := e.Key
	if e.Kind == SessionStart {
		key += callerProcess()
	}
	if claimed(e) && o.Claim != nil && !o.Claim(key) {
		return Answer{}
	}
	began := time.Now()
	done := make(chan Answer, 1)
	go func() {
		var a Answer
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
			if err != nil {
				log.Warn("hook could not do everything", "took", time.Since(began), "err", err)
			}
			done <- a
		}()
		a, err = o.handle(ctx, e)
	}()
	select {
	case a := <-done:
		log.Debug("hook asked the daemon", "took", time.Since(began))
		return a
	case <-ctx.Done():
		log.Warn("hook ran out of time", "took", time.Since(began))
		return Answer{}
	}
}

func (o Options) handle(ctx context.Context, e Event) (Answer, error) {
	svc, agents, closeAll, err := o.Connect(ctx)
	if err != nil {
		return Answer{}, err
	}
	defer closeAll()
	return Handle(ctx, e, svc, agents)
}

// claimed reports whether an event must be taken only once. To hear of the
// others twice changes nothing, unless what is heard is all that there is.
func claimed(e Event) bool {
	return e.Kind == SessionStart || e.Kind == Prompt || e.Kind == SubagentStart || unread(e.Agent)
}

func orBudget(given time.Duration) time.Duration {
	if given > 0 {
		return given
	}
	return DefaultBudget
}

// isSet reads a variable that switches something.
func isSet(value string) bool {
	switch value {
	case "", "0", "f", "F", "false", "FALSE", "False":
		return false
	}
	return true
}
