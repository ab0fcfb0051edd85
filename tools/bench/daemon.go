package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"codememory"
	"codememory/internal/client"
)

// daemon is a running one.
type daemon struct {
	*client.Client
	pid   int
	cmd   *exec.Cmd
	ended chan error
}

// startDaemon runs a daemon and returns when it answers.
func (w *world) startDaemon(ctx context.Context) (*daemon, error) {
	if w.daemon != nil {
		return w.daemon, nil
	}
	cmd := exec.Command(w.binary, "daemon", "--detached")
	cmd.Env, cmd.Dir, cmd.Stderr = w.env(), w.layout.Data, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &daemon{pid: cmd.Process.Pid, cmd: cmd, ended: make(chan error, 1)}
	go func() { d.ended <- cmd.Wait() }()
	w.daemon = d
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		c, err := client.Find(ctx, w.layout)
		if err == nil {
			d.Client = c
			return d, nil
		}
		select {
		case err := <-d.ended:
			w.daemon = nil
			return nil, fmt.Errorf("the daemon ended: %w; see %s", err, w.layout.LogFile())
		case <-ctx.Done():
			return nil, ctx.Err()
		default:
		}
	}
	return nil, errors.New("the daemon did not come up within a minute")
}

// stopDaemon ends the daemon, if there is one, and waits for it.
func (w *world) stopDaemon() {
	d := w.daemon
	if d == nil {
		return
	}
	w.daemon = nil
	if d.Client != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if d.Shutdown(ctx) == nil {
			select {
			case <-d.ended:
				return
			case <-time.After(30 * time.Second):
			}
		}
	}
	_ = d.cmd.Process.Kill() // it may be gone already
	<-d.ended
}

// warmDaemon returns a daemon that has everything loaded and nothing left to do.
func (w *world) warmDaemon(ctx context.Context) (*daemon, error) {
	d, err := w.startDaemon(ctx)
	if err != nil {
		return nil, err
	}
	return d, warm(ctx, d.pid, d, w)
}

// warm asks until the process has loaded what it needs and is idle.
func warm(ctx context.Context, pid int, s codememory.SearchService, w *world) error {
	if _, err := s.Retrieve(ctx, w.retrieval()); err != nil {
		return err
	}
	if err := awaitIdle(ctx, pid); err != nil {
		return err
	}
	for range 20 {
		if _, err := s.Retrieve(ctx, w.retrieval()); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) retrieval() codememory.RetrieveRequest {
	return codememory.RetrieveRequest{QueryExpansion: w.question(), ProjectRoot: w.root}
}

// awaitIdle waits until a process uses less than a twentieth of a core.
func awaitIdle(ctx context.Context, pid int) error {
	const look = 300 * time.Millisecond
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); {
		before, err := cpuTime(pid)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		after, err := cpuTime(pid)
		if err != nil {
			return err
		}
		if after-before < look/20 {
			return nil
		}
	}
	return fmt.Errorf("process %d does not come to rest", pid)
}

// measure repeats an operation and takes the time of each, and the processor
// time of the process that does the work.
func measure(ctx context.Context, times, pid int, op func() error) (series, error) {
	out := make(series, 0, times)
	for range times {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cpu, err := cpuTime(pid)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := op(); err != nil {
			return nil, err
		}
		took := time.Since(began)
		after, err := cpuTime(pid)
		if err != nil {
			return nil, err
		}
		out = append(out, sample{wall: took, cpu: after - cpu})
	}
	return out, nil
}
