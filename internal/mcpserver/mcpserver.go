// Package mcpserver offers the memory to agents that speak the Model Context
// Protocol: tools, resources and prompts, over standard input and output or
// over HTTP.
//
// It only translates. What a tool answers is decided by
// codememory.AgentService, and stored text reaches a model only in the form in
// which that service hands it out. Nothing is opened or connected before the
// first call, because agents give up on servers that start slowly.
package mcpserver

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory"
)

// Name is how the server introduces itself.
const Name = "codememory"

// The sets of tools for Options.Tools.
const (
	DefaultTools = "default"
	AllTools     = "all" // with the names that other memory systems used
)

// Options say what a server works with. Either Service and Agents are given,
// or Connect.
type Options struct {
	Service codememory.Service
	Agents  codememory.AgentService
	// Connect is called with the first call that needs the services, and again
	// with the next one when it failed.
	Connect func(ctx context.Context) (codememory.Service, codememory.AgentService, error)
	Version string
	Tools   string // DefaultTools, which is also meant by "", or AllTools
	// Env tells about the agent that started this process; nil where the
	// process serves many agents.
	Env func(string) string
	// Dir is the folder in which the process was started; empty where it says
	// nothing about the caller.
	Dir string
	Log *slog.Logger // nil: no log
}

// callTime is how long a call may take. Agents wait a minute and more, but a
// model is better off with an answer that says what is wrong.
const callTime = 30 * time.Second

// maxMessage is the most bytes that one message of a client may have.
const maxMessage = 8 << 20

//go:embed instructions.md
var instructions string

// server is what the handlers share.
type server struct {
	opts     Options
	services services
}

// New returns a server with its tools, resources and prompts.
func New(o Options) *mcp.Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	s := &server{opts: o, services: newServices(o)}
	m := mcp.NewServer(&mcp.Implementation{Name: Name, Title: "CodeMemory", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		// What is offered never changes while the server runs, so there is
		// nothing to notify about.
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{},
		},
		SetCacheable: setCacheable,
	})
	m.AddReceivingMiddleware(s.guard)
	s.addTools(m)
	s.addResources(m)
	s.addPrompts(m)
	return m
}

// Handler serves the protocol over HTTP without sessions. It checks that
// clients reach it under a local name; everything else that protects the
// daemon, such as its token, must come before it. Since one process serves many
// agents, neither its environment nor its folder says who is calling.
func Handler(o Options) http.Handler {
	o.Env, o.Dir = nil, ""
	m := New(o)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
	})
}

// listTTL is how long a client may keep what the server lists; a new version
// of the daemon may list something else.
const listTTL = 5 * time.Minute

// setCacheable says what clients may keep: lists, but never what is remembered.
func setCacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	if _, ok := req.(*mcp.ReadResourceRequest); ok {
		*c = mcp.Cacheable{CacheScope: "private"}
		return
	}
	*c = mcp.Cacheable{TTLMs: int(listTTL / time.Millisecond), CacheScope: "public"}
}
