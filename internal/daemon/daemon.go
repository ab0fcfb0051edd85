// Package daemon is where the parts are put together: it takes the lock that
// makes it the only one, opens the service, serves it over HTTP, runs the
// background workers, and shuts everything down in order when it is told to,
// when a newer program asks for its place, or when nobody needs it any more.
package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"codememory"
	"codememory/internal/agent"
	"codememory/internal/config"
	"codememory/internal/daemon/rendezvous"
	"codememory/internal/httpapi"
	"codememory/internal/mcpserver"
	"codememory/internal/paths"
	"codememory/internal/service"
	"codememory/internal/webui"
)

// drainTime is how long requests in progress may take once the daemon ends.
const drainTime = 5 * time.Second

// Options is what a daemon needs.
type Options struct {
	Layout  paths.Layout
	Config  *config.Loaded
	Version string
	// Console gets the log as text besides the log file; nil when detached.
	Console io.Writer
	// Workers are run beside the service.
	Workers []Worker
	// Ready is called once requests are answered; nil is fine.
	Ready func(rendezvous.Info)
	// Embedder replaces the configured one, for tests.
	Embedder codememory.Embedder
}

// ExitCode is the exit code for what Run returned; whoever started the daemon
// reads from it whether another one runs or the port is taken.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, rendezvous.ErrRunning):
		return rendezvous.ExitRunning
	case errors.Is(err, httpapi.ErrPortBusy):
		return rendezvous.ExitPortBusy
	default:
		return 1
	}
}

// Run is the daemon. It returns nil when it ended because it was to: ctx or a
// signal ended it, a client asked for it, or it was idle. It fails with
// Conflict when another daemon runs or another program has the port.
func Run(ctx context.Context, o Options) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A process that runs all day should be small: the heap is a few tens of
	// megabytes, and collecting it four times as often costs next to nothing.
	debug.SetGCPercent(25)
	lock, err := rendezvous.LockDaemon(o.Layout)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }() // it goes with the process otherwise
	log, closeLog, err := openLog(o)
	if err != nil {
		return err
	}
	defer closeLog()
	defer func() {
		if err != nil { // whoever started us may be gone: the log is where people look
			log.Error("daemon failed", "err", err)
		}
	}()
	token, err := rendezvous.Token(o.Layout, log)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, o, log)
	if err != nil {
		return err
	}
	defer listener.Close()
	s, err := service.Open(ctx, service.Options{
		Layout: o.Layout, Config: o.Config, Log: log, Version: o.Version, Watch: true, Embedder: o.Embedder,
		Transcripts: agent.Transcripts(os.Getenv), AgentData: agent.DataDir(os.Getenv),
	})
	if err != nil {
		return err
	}
	d := &daemon{Options: o, log: log, service: s, leave: make(chan struct{}, 1)}
	err = d.serve(ctx, listener, token)
	return errors.Join(err, s.Close())
}

// listen takes the configured port. The standard one may be taken by the daemon
// of another user of this machine: unless somebody insists on it, any other
// does, since clients look the port up.
func listen(ctx context.Context, o Options, log *slog.Logger) (net.Listener, error) {
	port := o.Config.Config.HTTP.Port
	listener, err := httpapi.Listen(ctx, rendezvous.Host, port)
	if !errors.Is(err, httpapi.ErrPortBusy) {
		return listener, err
	}
	if why, explainErr := o.Config.Explain("http.port"); explainErr != nil || why.From.Layer != config.LayerDefault {
		return nil, err
	}
	log.Warn("the standard port is taken, using another", "port", port)
	return httpapi.Listen(ctx, rendezvous.Host, 0)
}

// daemon is a running one.
type daemon struct {
	Options
	log     *slog.Logger
	service *service.Service
	api     *httpapi.Server
	leave   chan struct{}
}

// serve answers requests until there is a reason to end.
func (d *daemon) serve(ctx context.Context, listener net.Listener, token string) error {
	d.api = httpapi.New(httpapi.Options{
		Service: d.service, Agents: d.service, LLM: d.service, View: d.service, Pages: webui.Handler(), MCP: mcpserver.Handler(mcpserver.Options{
			Service: d.service, Agents: d.service, Version: d.Version, Tools: d.Config.Config.MCP.Tools, Log: d.log,
		}), Token: token, Version: d.Version, Log: d.log, EmbeddingQueue: d.service.EmbeddingQueue,
		Shutdown: func() {
			select {
			case d.leave <- struct{}{}:
			default: // it is on its way already
			}
		},
	})
	failed := make(chan error, 2)
	servers := []*http.Server{d.start(listener, d.api.Handler(listener.Addr()), failed)}
	if compat := d.listenCompat(ctx); compat != nil {
		handler := d.api.CompatHandler(compat.Addr(), d.Config.Config.HTTP.CompatWithoutToken)
		servers = append(servers, d.start(compat, handler, failed))
	}

	working, endWork := context.WithCancel(ctx)
	defer endWork()
	worked := runWorkers(working, d.log, append(d.Workers, d.upkeep()))
	idle := d.whenIdle(working)

	info := rendezvous.Info{
		PID: os.Getpid(), Port: listener.Addr().(*net.TCPAddr).Port, Version: d.Version, Started: time.Now().UTC(),
	}
	err := rendezvous.WriteInfo(d.Layout, info)
	if err == nil {
		d.log.Info("daemon ready", "address", info.Address(), "version", info.Version, "pid", info.PID)
		if d.Ready != nil {
			d.Ready(info)
		}
		err = d.wait(ctx, idle, failed)
		err = errors.Join(err, rendezvous.RemoveInfo(d.Layout)) // from now on clients start another one
	}
	endWork()
	d.drain(servers)
	<-worked
	d.log.Info("daemon ended")
	return err
}

// wait returns when there is a reason to end; a server that broke is an error.
func (d *daemon) wait(ctx context.Context, idle <-chan struct{}, failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		d.log.Info("daemon ends", "reason", "it was told to")
	case <-d.leave:
		d.log.Info("daemon ends", "reason", "a client asked for it")
	case <-idle:
		d.log.Info("daemon ends", "reason", "nobody has asked for long", "idle", d.Config.Config.Daemon.IdleExit.String())
	}
	return nil
}

func (d *daemon) start(l net.Listener, h http.Handler, failed chan<- error) *http.Server {
	server := d.api.HTTPServer(h)
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- codememory.Errorf(codememory.Internal, "serve %s: %w", l.Addr(), err)
		}
	}()
	return server
}

// listenCompat opens the port for clients of older systems, if there is to be
// one. A taken port is no reason to do without the rest.
func (d *daemon) listenCompat(ctx context.Context) net.Listener {
	port := d.Config.Config.HTTP.CompatPort
	if port == 0 {
		return nil
	}
	l, err := httpapi.Listen(ctx, rendezvous.Host, port)
	if err != nil {
		d.log.Warn("no port for clients of older systems", "setting", "http.compat_port", "err", err)
		return nil
	}
	d.log.Info("answering clients of older systems", "address", l.Addr().String(), "token", !d.Config.Config.HTTP.CompatWithoutToken)
	return l
}

// drain lets the requests in progress finish, then breaks them off and waits
// until their handlers have noticed: the stores are closed after this.
func (d *daemon) drain(servers []*http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	for _, server := range servers {
		if err := server.Shutdown(ctx); err != nil {
			d.log.Warn("requests were broken off", "err", err)
			server.Close()
		}
	}
	for deadline := time.Now().Add(time.Second); d.api.Busy() && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
}
