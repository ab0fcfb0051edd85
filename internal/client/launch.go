package client

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"codememory/internal/atomicfile"
	"codememory/internal/daemon/rendezvous"
)

// launch starts a daemon and waits until it answers. While another one has the
// lock without answering, it is coming up or going away: then none is started
// before it has decided.
func (o EnsureOptions) launch(ctx context.Context, token string) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	for {
		for rendezvous.Running(o.Layout) {
			if c, state := probe(ctx, o.Layout, token); state == alive {
				return c, nil
			}
			if pause(ctx, 20*time.Millisecond); ctx.Err() != nil {
				return nil, failed(TooSlow, "another daemon is running but does not answer yet; %s may say why", o.Layout.LogFile())
			}
		}
		exited, err := o.spawn()
		if err != nil {
			return nil, failed(CannotStart, "start the daemon: %w", err)
		}
		if c, err := o.await(ctx, token, exited); !errors.Is(err, errLocked) {
			return c, err
		}
	}
}

// errLocked says that the daemon ended because another one was faster.
var errLocked = errors.New("another daemon has the lock")

// await returns once the daemon answers, has ended, or ctx ends.
func (o EnsureOptions) await(ctx context.Context, token string, exited <-chan error) (*Client, error) {
	for {
		if c, state := probe(ctx, o.Layout, token); state == alive {
			return c, nil
		}
		select {
		case err := <-exited:
			return nil, o.explain(err)
		case <-ctx.Done():
			return nil, failed(TooSlow, "the daemon did not come up within %v; %s may say why", o.Wait, o.Layout.LogFile())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// explain says why a daemon ended, in its own words where it left some.
func (o EnsureOptions) explain(err error) error {
	status := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	}
	switch status {
	case rendezvous.ExitRunning:
		return errLocked
	case rendezvous.ExitPortBusy:
		return failed(PortBusy, "the daemon could not start: %s", o.lastWords("its port is used by another program; set http.port to another one"))
	default:
		return failed(CannotStart, "the daemon ended at once: %s", o.lastWords("it gave no reason; "+o.Layout.LogFile()+" may say more"))
	}
}

// wordsFile takes what a daemon prints: nothing, unless it fails. It is apart
// from the log, which a running daemon rotates.
func (o EnsureOptions) wordsFile() string { return filepath.Join(o.Layout.State, "daemon.stderr.log") }

func (o EnsureOptions) lastWords(otherwise string) string {
	data, err := os.ReadFile(o.wordsFile())
	data = bytes.TrimSpace(data)
	if err != nil || len(data) == 0 {
		return otherwise
	}
	const most = 1000
	return strings.ToValidUTF8(string(data[max(0, len(data)-most):]), "")
}

// spawn starts a daemon that outlives this process and its terminal. The
// channel gets its end, so that a parent that lives on leaves no zombie.
func (o EnsureOptions) spawn() (<-chan error, error) {
	command := o.Command
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{self, "daemon", "--detached"}
	}
	if err := atomicfile.MkdirAll(o.Layout.State, 0o700); err != nil {
		return nil, err
	}
	words, err := os.OpenFile(o.wordsFile(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer words.Close()
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // it outlives whoever started it
	cmd.Stdout, cmd.Stderr = words, words
	cmd.Dir = o.Layout.Data // not the project, which its owner may want to move
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	return exited, nil
}
