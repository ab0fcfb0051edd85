// Package tool answers what a model asks of its memory: the router tool
// "memory" in both of its forms ({mode, …} with JSON answers about memories,
// {tool, args} with markdown about the agents' history) and the tools
// memory_search, memory_get and memory_transcript.
//
// Answers are texts for a model. What cannot be done is said in the answer,
// with the call that helps; an error is only what is wrong with this machine.
// Stored text in an answer is data: it cannot pose as the answer's own structure.
package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"codememory"
	"codememory/internal/history"
)

// Memories is the part of codememory.Service that the tools use.
type Memories interface {
	Add(ctx context.Context, r codememory.AddRequest) (codememory.AddResult, error)
	Get(ctx context.Context, ref codememory.Ref) (codememory.Memory, error)
	List(ctx context.Context, r codememory.ListRequest) (codememory.MemoryPage, error)
	Edit(ctx context.Context, ref codememory.Ref, e codememory.Edit) (codememory.Memory, error)
	Forget(ctx context.Context, ref codememory.Ref, reason string) (codememory.Memory, error)
	Undo(ctx context.Context, ref codememory.Ref) (codememory.Memory, string, error)
	History(ctx context.Context, ref codememory.Ref) ([]codememory.HistoryEntry, error)
	Search(ctx context.Context, r codememory.SearchRequest) (codememory.SearchAnswer, error)
	Project(ctx context.Context, ref string) (codememory.Project, error)
}

// TurnIndex finds turns of all agents by their words.
type TurnIndex interface {
	Search(ctx context.Context, q history.Query) ([]history.Hit, error)
}

// Options are what a router works with. Only Memories is required.
type Options struct {
	Memories Memories
	Agents   []codememory.Transcripts
	History  TurnIndex // nil: the newest transcripts are read instead
	// Store returns the folder of the store of a project, where its journal
	// is; nil means that there is none.
	Store func(ctx context.Context, project string) (string, error)
	// File returns the file that holds a memory; nil means that it is not told.
	File func(m codememory.Memory) string
	// Data is the folder where agents keep their data, such as ~/.local/share.
	Data string
	// Redact takes secrets out of what transcripts hold; nil leaves all in.
	Redact func(string) string
	Levels Levels // zero: DefaultLevels
	Now    func() time.Time
	// Location is the time zone in which times are shown; nil means local.
	Location *time.Location
}

// Router answers calls. It is safe for concurrent use.
type Router struct{ opts Options }

// New returns a router.
func New(o Options) *Router {
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Levels == (Levels{}) {
		o.Levels = DefaultLevels
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	return &Router{opts: o}
}

// Request is one call of a tool by a model.
type Request struct {
	Tool    string         `json:"tool"` // memory, memory_search, memory_get or memory_transcript
	Args    map[string]any `json:"args,omitempty"`
	Project string         `json:"project,omitempty"` // the folder the agent works in
	Session string         `json:"session,omitempty"` // the agent's own id of the conversation
	Agent   string         `json:"agent,omitempty"`
	Model   Model          `json:"model,omitzero"`
}

// Model is the model that calls, with its limits in tokens; 0 means unknown.
type Model struct {
	Provider string `json:"provider,omitempty"`
	ID       string `json:"id,omitempty"`
	Context  int    `json:"context,omitempty"` // the whole window
	Input    int    `json:"input,omitempty"`   // where the input has a limit of its own
	Output   int    `json:"output,omitempty"`
}

// The tools.
const (
	ToolMemory     = "memory"
	ToolSearch     = "memory_search"
	ToolGet        = "memory_get"
	ToolTranscript = "memory_transcript"
)

// call is a request with its arguments in a form that is easy to ask.
type call struct {
	Request
	args args
}

// Call answers a request. What the model did wrong, and what is not there, is
// told in the answer; the error is for what is wrong with this machine.
func (r *Router) Call(ctx context.Context, req Request) (string, error) {
	switch req.Tool {
	case ToolMemory, "":
		return r.memory(ctx, req)
	case ToolSearch:
		return r.asJSON(r.searchChunks(ctx, plainCall(req)))
	case ToolGet:
		return r.asText(r.getChunk(ctx, plainCall(req)))
	case ToolTranscript:
		return r.asText(r.turnsOf(ctx, plainCall(req)))
	}
	known := strings.Join([]string{ToolMemory, ToolSearch, ToolGet, ToolTranscript}, ", ")
	return fmt.Sprintf("Unknown tool: %s. Available: %s.", inline(req.Tool, 60), known), nil
}

func plainCall(req Request) call { return call{req, fold(req.Args)} }

// memory answers the router tool: mode asks for memories and JSON, tool for
// markdown, neither for help.
func (r *Router) memory(ctx context.Context, req Request) (string, error) {
	top := fold(req.Args)
	nested := top.nested("args")
	chosen := top
	if !top.has("mode") && !top.has("tool") {
		chosen = nested
	}
	mode, name := chosen.word("mode"), chosen.word("tool")
	if mode == "" && name == "" {
		name = "help"
	}
	// The arguments of {tool: "help", args: {tool: "search"}} are the inner ones.
	delete(chosen, "mode")
	delete(chosen, "tool")
	delete(top, "args")
	c := call{req, top.with(nested)}
	if mode != "" {
		return r.mode(ctx, mode, c)
	}
	o := findOp(name)
	if o == nil {
		return fmt.Sprintf("Unknown tool: %s. Call memory({tool: \"help\"}) for available operations.", inline(name, 60)), nil
	}
	return r.asText(o.run(r, ctx, c))
}

// asText bounds an answer, and turns an error that the model can do something
// about into one.
func (r *Router) asText(answer string, err error) (string, error) {
	if err == nil {
		return bounded(answer), nil
	}
	if told, ok := explain(err); ok {
		return "Error: " + told, nil
	}
	return "", err
}

// explain returns the message of an error that is not a defect of ours.
func explain(err error) (string, bool) {
	if codememory.CodeOf(err) == codememory.Internal {
		return "", false
	}
	return err.Error(), true
}

func missing(arg, example string) error {
	return codememory.Errorf(codememory.Invalid, "%s is required: %s", arg, example)
}
