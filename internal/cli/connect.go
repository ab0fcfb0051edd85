package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"codememory"
	"codememory/internal/agent"
	"codememory/internal/cli/term"
	"codememory/internal/client"
	"codememory/internal/config"
	"codememory/internal/daemon/rendezvous"
	"codememory/internal/paths"
	"codememory/internal/service"
)

// lockWait is how long a command without a daemon waits for another one.
const lockWait = 10 * time.Second

// connector opens the road to the service. The returned function must be
// called when the command is done with it.
type connector func(ctx context.Context) (codememory.Service, func(), error)

// connectReal asks the daemon, which is started when need be. When there can
// be none, the stores are opened in this process.
func (p *program) connectReal(ctx context.Context) (codememory.Service, func(), error) {
	loaded, layout, err := p.settings()
	if err != nil {
		return nil, nil, err
	}
	if p.NoDaemon {
		return p.inProcess(ctx, loaded, layout)
	}
	c, err := client.Ensure(ctx, client.EnsureOptions{
		Layout: layout, Version: p.version, NoStart: !loaded.Config.Daemon.Autostart || loaded.Config.Disable,
	})
	if err == nil {
		return c, func() { _ = c.Close() }, nil
	}
	start, ok := errors.AsType[*client.StartError](err)
	if !ok || !start.InProcess() {
		return nil, nil, err
	}
	if start.Reason != client.NotRunning && start.Reason != client.Disabled {
		p.say("codememory: working without the daemon: %s", term.OneLine(start.Error()))
	}
	return p.inProcess(ctx, loaded, layout)
}

// connectRunning is for commands that look at how things are: it uses a
// running daemon and starts none. Wrong settings do not stop it.
func (p *program) connectRunning(ctx context.Context) (codememory.Service, func(), error) {
	loaded, layout, err := p.settings()
	if loaded == nil {
		return nil, nil, err
	}
	if !p.NoDaemon {
		c, err := client.Find(ctx, layout)
		if err == nil {
			return c, func() { _ = c.Close() }, nil
		}
		if start, ok := errors.AsType[*client.StartError](err); !ok || !start.InProcess() {
			return nil, nil, err
		}
	}
	return p.inProcess(ctx, loaded, layout)
}

// inProcess opens the stores here. It holds the daemon's lock meanwhile, so
// that nobody else, daemon or command, has them open too.
func (p *program) inProcess(ctx context.Context, loaded *config.Loaded, layout paths.Layout) (codememory.Service, func(), error) {
	unlock, err := lockStores(ctx, layout)
	if err != nil {
		return nil, nil, err
	}
	svc, err := service.Open(ctx, service.Options{
		Layout: layout, Config: loaded, Version: p.version, Now: p.now, Log: slog.New(slog.DiscardHandler),
		Transcripts: agent.Transcripts(os.Getenv), AgentData: agent.DataDir(os.Getenv),
	})
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return svc, func() {
		if err := svc.Close(); err != nil {
			p.warn("close the stores: %v", err)
		}
		unlock()
	}, nil
}

// lockStores waits for other commands without a daemon to finish. A place that
// cannot be written cannot be locked either, and needs no lock to be read.
func lockStores(ctx context.Context, layout paths.Layout) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		lock, err := rendezvous.LockDaemon(layout)
		switch {
		case err == nil:
			return func() { _ = lock.Unlock() }, nil
		case codememory.CodeOf(err) != codememory.Conflict:
			return func() {}, nil
		}
		if _, err := client.Find(ctx, layout); err == nil {
			return nil, codememory.Errorf(codememory.Unavailable, `the daemon has the stores open: leave out --no-daemon, or end it with "codememory stop"`)
		}
		select {
		case <-ctx.Done():
			return nil, codememory.Errorf(codememory.Unavailable, `another process has the stores open: try again, or see "codememory doctor"`)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// daemonState finds out about the daemon without starting it.
func (p *program) daemonState(ctx context.Context, layout paths.Layout) daemonState {
	c, err := client.Find(ctx, layout)
	if err != nil {
		if start, ok := errors.AsType[*client.StartError](err); ok && start.Reason == client.NotRunning {
			return daemonState{}
		}
		return daemonState{Problem: term.OneLine(err.Error())}
	}
	defer c.Close()
	d := daemonState{Running: true, Version: c.DaemonVersion()}
	if info, err := rendezvous.ReadInfo(layout); err == nil {
		d.PID, d.Port, d.Started = info.PID, info.Port, info.Started
	}
	return d
}
