package mcpserver

import (
	"context"
	"maps"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The names under which a client can say for whom it calls: in the _meta of a
// call, or in the headers of an HTTP request.
const (
	MetaProject   = "codememory/project"
	MetaSession   = "codememory/session"
	HeaderProject = "Codememory-Project"
	HeaderSession = "Codememory-Session"
)

// caller is on whose behalf a call is made.
type caller struct {
	project, session, agent string
}

// incoming is what the requests of all methods have in common.
type incoming struct {
	session *mcp.ServerSession
	meta    map[string]any
	extra   *mcp.RequestExtra
}

// caller finds out for whom a call is made. The protocol does not say it, so it
// is taken from the call's _meta, from the environment (or the headers, where
// the environment is that of a daemon), from the client's roots, and only then
// from an argument, since models guess.
func (s *server) caller(ctx context.Context, in incoming, args arguments) caller {
	a := agentOf(in.client())
	c := caller{session: in.metaSession()}
	if a != nil {
		c.agent = a.name
	}
	if c.session == "" {
		c.session = s.envSession(a, in)
	}
	for _, find := range []func() string{
		func() string { return in.metaProject(s.opts.Dir) },
		func() string { return s.envProject(a, in) },
		func() string { return in.root(ctx) },
		func() string { return args.text("project") },
		func() string { return s.opts.Dir },
	} {
		if c.project = find(); c.project != "" {
			break
		}
	}
	return c
}

// client returns the name by which the client introduced itself.
func (in incoming) client() string {
	if info, ok := in.meta[mcp.MetaKeyClientInfo].(map[string]any); ok {
		if name := arguments(info).text("name"); name != "" {
			return name
		}
	}
	if in.session == nil {
		return ""
	}
	if p := in.session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return p.ClientInfo.Name
	}
	return ""
}

// codexTurn is the key under which Codex describes the turn that calls.
const codexTurn = "x-codex-turn-metadata"

func (in incoming) metaSession() string {
	meta := arguments(in.meta)
	if s := meta.text(MetaSession); s != "" {
		return s
	}
	if turn, ok := meta[codexTurn].(map[string]any); ok {
		if s := arguments(turn).text("session_id"); s != "" {
			return s
		}
	}
	return meta.text("sessionId", "threadId")
}

// metaProject returns the project that the call names; of several workspaces
// the one in which the server was started.
func (in incoming) metaProject(dir string) string {
	if p := arguments(in.meta).text(MetaProject); p != "" {
		return p
	}
	turn, _ := in.meta[codexTurn].(map[string]any)
	workspaces, _ := turn["workspaces"].(map[string]any)
	var first string
	for _, w := range slices.Sorted(maps.Keys(workspaces)) {
		if !filepath.IsAbs(w) {
			continue
		}
		if within(dir, w) {
			return w
		}
		if first == "" {
			first = w
		}
	}
	return first
}

// within reports whether dir is a folder or below it.
func within(dir, folder string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(folder, dir)
	return err == nil && filepath.IsLocal(rel)
}

// envSession returns the session that the agent's own variable names. Agents
// leave their variables to the agents they start, so those of another agent
// mean nothing.
func (s *server) envSession(a *agent, in incoming) string {
	if session := in.header(HeaderSession); session != "" {
		return session
	}
	if a != nil {
		return s.env(a.session)
	}
	for _, k := range knownAgents() {
		if session := s.env(k.session); session != "" {
			return session
		}
	}
	return ""
}

func (s *server) envProject(a *agent, in incoming) string {
	if p := in.header(HeaderProject); p != "" {
		return p
	}
	if p := s.env(sharedProjectVars[0]); p != "" {
		return p
	}
	var names []string
	if a != nil {
		names = append(names, a.project)
	} else {
		for _, k := range knownAgents() {
			names = append(names, k.project)
		}
	}
	for _, name := range append(names, sharedProjectVars[1:]...) {
		if p := s.env(name); filepath.IsAbs(p) {
			return p
		}
	}
	return ""
}

func (s *server) env(name string) string {
	if name == "" {
		return ""
	}
	return strings.TrimSpace(s.opts.Env(name))
}

func (in incoming) header(name string) string {
	if in.extra == nil {
		return ""
	}
	return strings.TrimSpace(in.extra.Header.Get(name))
}

// rootsTime is how long a client may take to tell its roots.
const rootsTime = 500 * time.Millisecond

// root returns the first folder that the client works in, when it offers to tell.
func (in incoming) root(ctx context.Context) string {
	if in.session == nil {
		return ""
	}
	p := in.session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil { //nolint:staticcheck // deprecated, but Cursor has nothing else
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTime)
	defer cancel()
	// A client of the newest protocol cannot be asked, which is an error at once.
	list, err := in.session.ListRoots(ctx, nil) //nolint:staticcheck // see above
	if err != nil {
		return ""
	}
	for _, r := range list.Roots {
		if folder := folderOf(r.URI); folder != "" {
			return folder
		}
	}
	return ""
}

// folderOf returns the path that a file URI names.
func folderOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		return ""
	}
	return path
}
