// Package httpapi is the daemon's door: HTTP on the loopback address, guarded
// by a token and against web pages, with a native API under /v1 and the routes
// that clients of older systems know. Handlers decode, call the service and
// encode; they hold no logic of their own but the ingestion of conversations,
// which only the older routes have.
package httpapi

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"codememory"
)

// Options is what a Server needs.
type Options struct {
	Service codememory.Service
	Token   string // every caller must know it
	Version string
	Log     *slog.Logger
	// Shutdown is called once the answer to POST /v1/shutdown is written. It
	// must not block. Without it the route is unavailable.
	Shutdown func()
	// Agents serves the integrations with agents.
	Agents codememory.AgentService
	// LLM serves what language models do; nil: nothing.
	LLM codememory.LLMService
	// View serves people who look at CodeMemory.
	View codememory.ViewService
	// Pages are the files of the web pages; nil: there are none.
	Pages http.Handler
	// MCP answers at /mcp; nil: there is none.
	MCP http.Handler
	// EmbeddingQueue reports how many memories wait for a vector, for
	// /metrics; nil leaves the number out.
	EmbeddingQueue func(context.Context) (int, error)
	Limits         Limits // zero fields mean the defaults
}

// Limits bound what one request can take.
type Limits struct {
	Body       int64         // bytes of a body; default 4 MiB
	ImportBody int64         // bytes of an import; default 64 MiB
	BodyTime   time.Duration // for a body to arrive; default 10 s, six times that for an import
	Answer     time.Duration // for an ordinary request; default 30 s
	LongAnswer time.Duration // for work on whole stores; default 30 min
	Heartbeat  time.Duration // between signs of life of an event stream; default 15 s
	Events     int           // events a slow reader may lag behind; default 256
}

func (l Limits) withDefaults() Limits {
	orDefault(&l.Body, 4<<20)
	orDefault(&l.ImportBody, 64<<20)
	orDefault(&l.BodyTime, 10*time.Second)
	orDefault(&l.Answer, 30*time.Second)
	orDefault(&l.LongAnswer, 30*time.Minute)
	orDefault(&l.Heartbeat, 15*time.Second)
	orDefault(&l.Events, 256)
	return l
}

func orDefault[T int | int64 | time.Duration](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// Server answers requests for one service on any number of listeners.
type Server struct {
	Options
	activity activity
	codes    codes
	metrics  *metrics
	openAPI  func() ([]byte, error)
	stop     sync.Once
	stopping chan struct{}
}

// New makes a server.
func New(o Options) *Server {
	o.Limits = o.Limits.withDefaults()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{
		Options:  o,
		activity: activity{last: time.Now()},
		metrics:  newMetrics(time.Now()),
		openAPI:  sync.OnceValues(func() ([]byte, error) { return describe(routes(), o.Version) }),
		stopping: make(chan struct{}),
	}
}

// Handler answers every route for the listener at addr.
func (s *Server) Handler(addr net.Addr) http.Handler {
	g := newGuard(addr, s.Token)
	return s.withPages(s.handler(routes(), g), g)
}

// CompatHandler answers only the routes of older systems for the listener at
// addr. Their clients know no token; withoutToken lets them in without one.
func (s *Server) CompatHandler(addr net.Addr, withoutToken bool) http.Handler {
	token := s.Token
	if withoutToken {
		token = ""
	}
	return s.handler(compatRoutes(), newGuard(addr, token))
}

// HTTPServer returns a server of h with limits on time and size. Its caller
// runs Serve and Shutdown; Shutdown ends the event streams by itself.
func (s *Server) HTTPServer(h http.Handler) *http.Server {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(s.Stop)
	return server
}

// Stop ends the event streams, which would otherwise last as long as their readers.
func (s *Server) Stop() { s.stop.Do(func() { close(s.stopping) }) }

// IdleFor returns for how long nobody has asked anything; an open event stream
// counts as asking.
func (s *Server) IdleFor() time.Duration { return s.activity.idleFor() }

// Busy reports whether a request is being answered.
func (s *Server) Busy() bool { return s.activity.busy() }
