package opencode_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Suite{Open: func(t *testing.T) agenttest.Agent { return newAgent(t, false) }})
}

// TestSuiteWithoutEvents is an OpenCode from before the event tables.
func TestSuiteWithoutEvents(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Suite{Open: func(t *testing.T) agenttest.Agent { return newAgent(t, true) }})
}

// agent is a scripted OpenCode as the suite wants it.
type agent struct {
	t        *testing.T
	db       *opencodetest.DB
	r        *opencode.Reader
	mu       sync.Mutex // the reader asks for the time while the test writes
	now      time.Time
	sessions map[string]*live
}

// live is where a session stands.
type live struct {
	*opencodetest.Session
	user *opencodetest.Message // the last of the user
	step *opencodetest.Message // the open one, if any
}

func newAgent(t *testing.T, noEvents bool) *agent {
	a := &agent{t: t, db: opencodetest.Create(t, filepath.Join(t.TempDir(), "opencode.db")), sessions: map[string]*live{}}
	a.db.NoEvents = noEvents
	a.now = a.db.Now
	a.r = reader(t, opencode.Options{Path: a.db.Path, Now: a.clock})
	return a
}

func (a *agent) clock() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now
}

// tick lets the reader see the time that the database has come to.
func (a *agent) tick() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = a.db.Now
}

func (a *agent) Transcripts() codememory.Transcripts { return a.r }
func (a *agent) Quiet() time.Duration                { return opencode.DefaultQuiet }

func (a *agent) Files() []string {
	var files []string
	for _, file := range []string{a.db.Path, a.db.Path + "-wal"} {
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	return files
}

func (a *agent) Advance(d time.Duration) {
	a.db.Now = a.db.Now.Add(d)
	a.tick()
}

func (a *agent) add(s *opencodetest.Session) string {
	a.sessions[s.ID] = &live{Session: s}
	a.tick()
	return s.ID
}

func (a *agent) Session(dir, title string) string { return a.add(a.db.Session(dir, title)) }

func (a *agent) Prompt(session, text string) {
	s := a.sessions[session]
	s.user, s.step = s.User(text), nil
	a.tick()
}

// open returns the step that the agent is in.
func (a *agent) open(session string) *opencodetest.Message {
	s := a.sessions[session]
	if s.step == nil {
		s.step = s.Assistant(s.user)
	}
	return s.step
}

func (a *agent) end(session string) {
	a.sessions[session].step = nil
	a.tick()
}

func (a *agent) Say(session, text string) {
	p := a.open(session).Text("")
	p.Data["text"] = text
	p.Save()
	a.tick()
}

func (a *agent) Tool(session, name, target, output string) {
	m := a.open(session)
	m.Tool(name, opencodetest.Data{"command": target}).Complete(output, opencodetest.Data{"exit": 0, "output": output})
	m.Finish("tool-calls")
	a.end(session)
}

func (a *agent) Finish(session, text string) {
	m := a.open(session)
	m.Text(text)
	m.Finish("stop")
	a.end(session)
}

func (a *agent) Break(session string) {
	s := a.sessions[session]
	s.user.Part(`{"type":"text","text":"cut o`)
	a.db.Exec("INSERT INTO message VALUES ('msg_broken', ?, ?, ?, 'no json')", session, a.db.Now.UnixMilli(), a.db.Now.UnixMilli())
	a.tick()
}

func (a *agent) Abort(session string) { a.open(session).Abort(); a.end(session) }

func (a *agent) Fail(session, message string) {
	a.open(session).Fail("APIError", message)
	a.end(session)
}

func (a *agent) Delete(session string) { a.sessions[session].Delete(); a.tick() }

func (a *agent) Undo(session string) {
	s := a.sessions[session]
	s.Revert(s.user.ID, "")
	a.tick()
}

func (a *agent) Fork(session string) string { return a.add(a.sessions[session].Session.Fork()) }

func (a *agent) Compact(session, summary string) {
	a.sessions[session].Session.Compact("manual", summary)
	a.tick()
}

func (a *agent) Delegate(session, task string) string {
	child := a.sessions[session].Child(task)
	m := a.open(session)
	m.Tool("task", opencodetest.Data{"description": task}).Complete("<task_result>", opencodetest.Data{"sessionId": child.ID})
	m.Finish("tool-calls")
	a.end(session)
	return a.add(child)
}

func (a *agent) Archive(session string) { a.sessions[session].Session.Archive(); a.tick() }

func (a *agent) Shell(session, command, output string) {
	a.sessions[session].Session.Shell(command, output)
	a.tick()
}
