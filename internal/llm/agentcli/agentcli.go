// Package agentcli asks a model through a coding agent that is installed on this
// machine, with the user's own login: `opencode run`, `claude -p`, `codex exec`.
//
// The run is on its own: it has no tools, no hooks, no plugins and no MCP
// servers, works in an empty folder, and leaves no session in the agent's
// history. A variable tells our own hook and plugin to stay silent inside it,
// so that nothing is ever captured from it or injected into it.
package agentcli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codememory/internal/llm"
)

// Internal is the variable that is set in every run; hook, plugin and MCP
// server do nothing where it is.
const Internal = "CODEMEMORY_INTERNAL"

// The agents that can be asked.
const (
	OpenCode = "opencode"
	Claude   = "claude"
	Codex    = "codex"
)

// Config says which agent to run.
type Config struct {
	Agent   string
	Command string   // its program; empty: looked for in PATH
	Model   string   // empty: the one that the user chose there
	Environ []string // nil: that of this process
}

// maxOutput is far beyond any real answer.
const maxOutput = 8 << 20

// New returns a provider. It fails when the agent is none that can be asked.
func New(c Config) (llm.Provider, error) {
	d, ok := dialects[c.Agent]
	if !ok {
		return nil, fmt.Errorf("%q is no agent that can be asked: use opencode, claude or codex", c.Agent)
	}
	return &provider{Config: c, dialect: d, one: make(chan struct{}, 1)}, nil
}

// dialect is how one agent is run.
type dialect struct {
	args func(run) []string
	env  func(run) []string
	// read takes the output apart.
	read func(out []byte) (llm.Response, error)
	// prompt is what goes to standard input.
	prompt func(llm.Request) string
}

// run is one call of an agent.
type run struct {
	llm.Request
	dir    string // empty, its working folder
	getenv func(string) string
}

var dialects = map[string]dialect{OpenCode: openCode, Claude: claude, Codex: codex}

type provider struct {
	Config
	dialect dialect
	one     chan struct{} // an agent takes a core and a lot of memory: one at a time
}

func (p *provider) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	select {
	case p.one <- struct{}{}:
		defer func() { <-p.one }()
	case <-ctx.Done():
		return llm.Response{}, llm.FromContext(ctx.Err())
	}
	program, err := p.program()
	if err != nil {
		return llm.Response{}, err
	}
	dir, err := os.MkdirTemp("", "codememory-agent-")
	if err != nil {
		return llm.Response{}, llm.Errorf(llm.Infrastructure, "make a folder to run %s in: %w", p.Agent, err)
	}
	defer os.RemoveAll(dir)
	r.Model = cmp.Or(r.Model, p.Model)
	environ := p.environ()
	one := run{Request: r, dir: dir, getenv: getenv(environ)}
	cmd := exec.CommandContext(ctx, program, p.dialect.args(one)...)
	cmd.Dir = dir
	cmd.Env = append(environ, "PWD="+dir, Internal+"=1")
	if p.dialect.env != nil {
		cmd.Env = append(cmd.Env, p.dialect.env(one)...)
	}
	cmd.Stdin = strings.NewReader(p.dialect.prompt(r))
	out, complaints := &limited{most: maxOutput}, &limited{most: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, complaints
	killWithChildren(cmd)
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return llm.Response{}, llm.FromContext(ctx.Err())
	}
	response, readErr := p.dialect.read(out.Bytes())
	switch {
	case readErr != nil && llm.ClassOf(readErr) != llm.Infrastructure:
		return response, readErr
	case err != nil:
		return response, failed(p.Agent, err, errorText(readErr)+" "+complaints.String())
	case readErr != nil:
		return response, readErr
	case strings.TrimSpace(response.Text) == "":
		return response, llm.Errorf(llm.BadOutput, "%s gave no answer", p.Agent)
	}
	return response, nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// program finds the agent.
func (p *provider) program() (string, error) {
	name := cmp.Or(p.Command, p.Agent)
	path, err := exec.LookPath(name)
	if err != nil {
		e := llm.Errorf(llm.Auth, "%s is not installed, or not in the daemon's PATH: set the provider's command to its program", name)
		e.Unreachable = true
		return "", e
	}
	return filepath.Abs(path)
}

// Check finds out whether the agent is there.
func (p *provider) Check(context.Context) error {
	_, err := p.program()
	return err
}

// environ is the user's environment, in which the agent finds its login,
// without what is meant for ourselves.
func (p *provider) environ() []string {
	all := p.Environ
	if all == nil {
		all = os.Environ()
	}
	return slices.DeleteFunc(slices.Clone(all), func(line string) bool {
		return strings.HasPrefix(line, "CODEMEMORY_") || strings.HasPrefix(line, "PWD=")
	})
}

func getenv(environ []string) func(string) string {
	return func(name string) string {
		for _, line := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(line, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// failed classifies the end of an agent by what it said.
func failed(agent string, err error, said string) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() < 0 {
		return llm.Errorf(llm.Infrastructure, "%s did not run to its end: %w", agent, err)
	}
	return classify(agent, said)
}

// classify reads an agent's own words about a failure. They may repeat what it
// was asked, so only their meaning is passed on.
func classify(agent, said string) *llm.Error {
	said = strings.ToLower(said)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
	}
	switch {
	case has("rate limit", "rate_limit", "overloaded", "too many requests", "usage limit", "limit reached", "429", "529"):
		return llm.Errorf(llm.Infrastructure, "%s is over its limit for now", agent)
	case has("unauthorized", "401", "403", "api key", "api_key", "apikey", "/login", "log in", "not logged in", "authenticat", "credential", "credit balance"):
		return llm.Errorf(llm.Auth, "%s is not logged in, or its key is not accepted: run it once by hand", agent)
	case has("model not found", "unknown model", "providermodelnotfound", "invalid model", "model_not_found", "does not exist", "no such model"):
		return llm.Errorf(llm.Refused, "%s does not know the model", agent)
	}
	return llm.Errorf(llm.Infrastructure, "%s failed", agent)
}

// limited keeps the beginning of what is written to it.
type limited struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := l.most - l.buf.Len(); room > 0 {
		l.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (l *limited) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Bytes()
}

func (l *limited) String() string { return string(l.Bytes()) }
