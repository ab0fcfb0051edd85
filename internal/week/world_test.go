// Package week_test plays a week of work with three agents in two projects and
// asserts, memory by memory, what is left of it.
package week_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/claudecode"
	"codememory/internal/agent/codex"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
	"codememory/internal/config"
	"codememory/internal/history"
	"codememory/internal/paths"
	"codememory/internal/render"
	"codememory/internal/service"
)

// clock is the time of the week: it stands still unless somebody writes.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

func (c *clock) tick() { c.set(c.now().Add(time.Second)) }

// monday is when the week begins, and CodeMemory is installed.
var monday = time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)

// world is a machine with three agents, two projects and CodeMemory.
type world struct {
	t      testing.TB
	root   string
	clock  *clock
	n      int
	db     *opencodetest.DB
	dirs   map[string]string // of projects, by name
	layout paths.Layout
	svc    *service.Service

	unread   bool     // no model can be asked, so that turns wait
	sessions []played // in the order in which they were played
}

// newWorld makes the projects and the agents' folders.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir(), clock: &clock{at: monday}, dirs: map[string]string{}}
	w.layout = paths.Layout{Data: filepath.Join(w.root, "cm"), State: filepath.Join(w.root, "state"), ConfigFile: filepath.Join(w.root, "config.toml")}
	w.db = opencodetest.Create(t, filepath.Join(w.root, "opencode.db"))
	w.db.Now = monday
	for name, files := range projectFiles {
		w.repository(name, files)
	}
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) uuid() string {
	w.n++
	return fmt.Sprintf("019a8e00-60f6-7d42-90f4-%012d", w.n)
}

// repository makes a project under git.
func (w *world) repository(name string, files map[string]string) {
	w.t.Helper()
	dir := filepath.Join(w.root, "work", name)
	w.dirs[name] = dir
	for file, text := range files {
		path := filepath.Join(dir, file)
		w.must(os.MkdirAll(filepath.Dir(path), 0o700))
		w.must(os.WriteFile(path, []byte(text), 0o600))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "Begin " + name}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_COUNT=0",
			"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
			"GIT_AUTHOR_DATE="+monday.Format(time.RFC3339), "GIT_COMMITTER_DATE="+monday.Format(time.RFC3339))
		if out, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// open starts CodeMemory with these settings; it stays until the test ends or
// close is called.
func (w *world) open(settings string) {
	w.t.Helper()
	w.must(os.WriteFile(w.layout.ConfigFile, []byte(settings), 0o600))
	loaded, err := config.Load(config.Sources{UserFile: w.layout.ConfigFile})
	if err != nil || len(loaded.Warnings) > 0 {
		w.t.Fatal(err, loaded.Warnings)
	}
	w.must(os.MkdirAll(w.layout.Data, 0o700))
	h, err := history.Open(w.t.Context(), w.layout.HistoryDB())
	w.must(err)
	_, err = h.Since(w.t.Context(), monday) // installed on Monday morning
	w.must(err)
	w.must(h.Close())
	env := func(string) string { return "" }
	w.svc, err = service.Open(w.t.Context(), service.Options{
		Layout: w.layout, Config: loaded, Watch: true, Now: w.clock.now, AgentData: w.root,
		Transcripts: []codememory.Transcripts{
			opencode.New(opencode.Options{Path: w.db.Path, Strip: render.Strip, Now: w.clock.now}),
			claudecode.New(claudecode.Options{Dir: filepath.Join(w.root, "claude"), Strip: render.Strip, Now: w.clock.now, Env: env}),
			codex.New(codex.Options{Dir: filepath.Join(w.root, "codex"), Strip: render.Strip, Now: w.clock.now, Env: env}),
		},
	})
	w.must(err)
	w.t.Cleanup(w.close)
}

func (w *world) close() {
	if w.svc != nil {
		if err := w.svc.Close(); err != nil {
			w.t.Error(err)
		}
		w.svc = nil
	}
}

// play has the sessions of the week happen, as the plugins and hooks of the
// agents tell it: the stable block at the start, the HUD with each message, each
// turn captured when it is over. ended is told about each session; it may wait
// for what becomes of it.
func (w *world) play(ended func(s played)) {
	w.t.Helper()
	for _, s := range week {
		w.clock.set(s.begins)
		dir := w.dirs[s.project]
		p := played{session: s, dir: dir}
		var talk talker
		switch s.agent {
		case opencode.Agent:
			w.db.Now = w.clock.now()
			talk = w.openCode(dir)
		case claudecode.Agent:
			talk = w.claude(dir)
		default:
			talk = w.codex(dir)
		}
		p.id = talk.id()
		w.sessions = append(w.sessions, p)
		w.poke(p, "created")
		w.context(codememory.ContextRequest{Project: dir, Agent: s.agent, Session: p.id, Parts: []codememory.Part{codememory.StablePart}})
		for i, turn := range s.turns {
			w.clock.set(w.clock.now().Add(7 * time.Minute))
			w.poke(p, "prompt")
			w.context(codememory.ContextRequest{Project: dir, Agent: s.agent, Session: p.id, Goal: turn.says, Parts: []codememory.Part{codememory.HUDPart}})
			talk.prompt(turn.says)
			for _, do := range turn.does {
				do(talk)
			}
			talk.finish(turn.answer)
			if s.agent == opencode.Agent {
				w.clock.set(w.db.Now)
			}
			w.clock.tick()
			w.poke(p, "idle")
			if !w.unread { // what a model reads at once depends on when it looks
				w.await("turn "+turn.says, func() bool { return w.captured(p) == i+1 })
			}
		}
		w.clock.set(w.clock.now().Add(time.Minute))
		w.poke(p, "ended")
		w.await("the end of a session of "+s.agent, func() bool { return strings.Contains(w.record(p), "ended_at: 2") })
		if ended != nil {
			ended(p)
		}
	}
}

// captured counts the turns of a session's day in the journal and, where a
// model is to read them, in its queue.
func (w *world) captured(p played) int {
	w.t.Helper()
	day, err := w.svc.Journal(w.t.Context(), p.dir, p.begins.Format(time.DateOnly))
	if err != nil {
		if codememory.CodeOf(err) != codememory.NotFound {
			w.t.Fatal(err)
		}
		return 0
	}
	n := strings.Count(day.Text, "### ")
	st, err := w.svc.LLM(w.t.Context())
	w.must(err)
	if st.Configured && (st.Waiting < n || st.Queued > 0) {
		return -1
	}
	return n
}

func (w *world) context(r codememory.ContextRequest) codememory.ContextAnswer {
	w.t.Helper()
	ans, err := w.svc.Context(w.t.Context(), r)
	w.must(err)
	return ans
}

// played is a session that happened.
type played struct {
	session
	id, dir string
}

func (w *world) poke(p played, event string) {
	w.t.Helper()
	w.must(w.svc.Poke(w.t.Context(), codememory.Poke{Agent: p.agent, Session: p.id, Dir: p.dir, Event: event}))
}

// record returns the record of a session, or "".
func (w *world) record(p played) string {
	w.t.Helper()
	text, err := w.svc.SessionText(w.t.Context(), codememory.SessionTextRequest{Project: p.dir, Session: p.id})
	if err != nil && codememory.CodeOf(err) != codememory.NotFound {
		w.t.Fatal(err)
	}
	return text
}

func (w *world) await(what string, ok func() bool) {
	w.t.Helper()
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			w.t.Fatalf("%s did not come", what)
		}
	}
}

// memories returns the memories of a project in some states.
func (w *world) memories(project string, states ...codememory.State) []codememory.Memory {
	w.t.Helper()
	ref := w.dirs[project]
	if ref == "" {
		ref = codememory.UserProject
	}
	page, err := w.svc.List(w.t.Context(), codememory.ListRequest{Project: ref, Filter: codememory.Filter{States: states}, PageRequest: codememory.PageRequest{Limit: 200}})
	w.must(err)
	return page.Memories
}
