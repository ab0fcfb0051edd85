package gemini_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/gemini"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Suite{Open: func(t *testing.T) agenttest.Agent { return newAgent(t) }})
}

// data is a row in the making.
type data = map[string]any

// settle is how long after the last answer a turn is over: nothing in the
// records says so.
const settle = 2 * time.Minute

// agent writes chats as Gemini CLI 0.61 does.
type agent struct {
	t    testing.TB
	dir  string
	r    *gemini.Reader
	mu   sync.Mutex // the reader asks for the time while the test writes
	now  time.Time
	n    int
	live map[string]*live
}

// live is where a chat stands.
type live struct {
	file, id, prompt string
}

func newAgent(t testing.TB) *agent {
	a := &agent{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC), live: map[string]*live{}}
	a.must(os.MkdirAll(filepath.Join(a.dir, "tmp"), 0o700))
	a.r = gemini.New(gemini.Options{Dir: a.dir, Now: a.clock, Env: func(string) string { return "" }})
	return a
}

func (a *agent) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *agent) clock() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now
}

func (a *agent) Advance(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = a.now.Add(d)
}

func (a *agent) id() string {
	a.n++
	return fmt.Sprintf("%08d-caf9-4932-9860-ebfa638ca88c", a.n)
}

func (a *agent) stamp() string { return a.clock().Format("2006-01-02T15:04:05.000Z") }

// raw appends bytes, at the time that the agent thinks it is.
func (a *agent) raw(s *live, text string) {
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	a.must(err)
	_, err = f.WriteString(text)
	a.must(err)
	a.must(f.Close())
	a.must(os.Chtimes(s.file, a.clock(), a.clock()))
}

func (a *agent) row(s *live, d data) {
	b, err := json.Marshal(d)
	a.must(err)
	a.raw(s, string(b)+"\n")
}

// message appends a message and the time of it.
func (a *agent) message(s *live, kind string, content any, more data) string {
	a.Advance(time.Millisecond)
	d := data{"id": a.id(), "timestamp": a.stamp(), "type": kind, "content": content}
	for k, v := range more {
		d[k] = v
	}
	a.row(s, d)
	a.row(s, data{"$set": data{"lastUpdated": a.stamp()}})
	return d["id"].(string)
}

func (a *agent) Transcripts() codememory.Transcripts { return a.r }
func (a *agent) Quiet() time.Duration                { return 15 * time.Minute }

func (a *agent) Files() (files []string) {
	for _, s := range a.live {
		files = append(files, s.file)
	}
	return files
}

func hash(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:])
}

func (a *agent) Session(dir, title string) string {
	s := &live{id: a.id()}
	s.file = filepath.Join(a.dir, "tmp", "slug-"+filepath.Base(dir), "chats", "session-2026-11-15T08-00-"+s.id[:8]+".jsonl")
	a.begin(s, dir, "main")
	return s.id
}

func (a *agent) begin(s *live, dir, kind string) {
	a.must(os.MkdirAll(filepath.Dir(s.file), 0o700))
	a.live[s.id] = s
	a.row(s, data{"sessionId": s.id, "projectHash": hash(dir), "startTime": a.stamp(), "lastUpdated": a.stamp(), "kind": kind})
	a.row(s, data{"$set": data{"messages": []data{{
		"id": a.id(), "timestamp": a.stamp(), "type": "user",
		"content": []data{{"text": "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - " + dir + "\n- **Directory Structure:**\n"}},
	}}}})
}

func (a *agent) Prompt(session, text string) {
	s := a.live[session]
	s.prompt = a.message(s, "user", []data{{"text": text}, {"text": "<hook_context>injected by a hook</hook_context>"}}, data{"displayContent": []data{{"text": text}}})
}

func (a *agent) answer(s *live, text string) data {
	more := data{"thoughts": []any{}, "tokens": data{"input": 100, "output": 20, "cached": 5, "total": 120}, "model": "gemini-2.5-pro"}
	more["id"] = a.message(s, "gemini", text, more)
	return more
}

func (a *agent) Say(session, text string) { a.answer(a.live[session], text) }

func (a *agent) Tool(session, name, target, output string) {
	a.call(a.live[session], "", data{"name": "run_shell_command", "args": data{"command": target}}, "<untrusted_context>\nOutput: "+output+"\nProcess Group PGID: 1\n</untrusted_context>")
}

// call appends a message without and then with its tool, and the result.
func (a *agent) call(s *live, text string, call data, output string) {
	m := a.answer(s, text)
	id := call["name"].(string) + "_" + a.id()
	result := []data{{"functionResponse": data{"id": id, "name": call["name"], "response": data{"output": output + "\n\n<hook_context>injected by a hook</hook_context>"}}}}
	c := data{"id": id, "status": "success", "timestamp": a.stamp(), "result": result}
	for k, v := range call {
		c[k] = v
	}
	m["type"], m["content"], m["timestamp"], m["toolCalls"] = "gemini", text, a.stamp(), []data{c}
	a.row(s, m)
	a.message(s, "user", result, nil)
}

func (a *agent) Finish(session, text string) {
	a.answer(a.live[session], text)
	a.Advance(settle)
}

func (a *agent) Break(session string) {
	a.raw(a.live[session], `{"id":"x","type":"user","content":"cut o`+"\n\x00\xff\n[1,2]\n")
}

func (a *agent) Abort(session string) {
	a.message(a.live[session], "info", "Request cancelled.", nil)
}

func (a *agent) Fail(session, message string) {
	a.message(a.live[session], "error", "[API Error: "+message+"]", nil)
}

func (a *agent) Delete(session string) { a.must(os.Remove(a.live[session].file)) }

func (a *agent) Undo(session string) {
	s := a.live[session]
	a.row(s, data{"$rewindTo": s.prompt})
}

func (a *agent) Compact(session, summary string) {
	a.Advance(time.Millisecond)
	a.row(a.live[session], data{"$set": data{"lastUpdated": a.stamp(), "messages": []data{
		{"id": a.id(), "timestamp": a.stamp(), "type": "user", "content": []data{{"text": "<state_snapshot>" + summary + "</state_snapshot>"}}},
		{"id": a.id(), "timestamp": a.stamp(), "type": "gemini", "content": []data{{"text": "Got it. Thanks for the additional context!"}}},
	}}})
}

func (a *agent) Delegate(session, task string) string {
	s := a.live[session]
	child := &live{id: a.id()}
	child.file = filepath.Join(filepath.Dir(s.file), s.id, child.id+".jsonl")
	a.begin(child, "/home/dev/app", "subagent")
	a.call(s, "", data{"name": "codebase_investigator", "args": data{"objective": task}, "agentId": child.id}, "found")
	return child.id
}

func (a *agent) Shell(session, command, output string) {
	a.message(a.live[session], "user", []data{{"text": "I ran the following shell command:\n```sh\n" + command + "\n```\n\nThis produced the following output:\n```\n" + output + "```\n"}}, nil)
}
