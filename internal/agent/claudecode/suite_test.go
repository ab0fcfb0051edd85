package claudecode_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/claudecode"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Suite{Open: func(t *testing.T) agenttest.Agent { return newAgent(t) }})
}

// data is a row in the making.
type data = map[string]any

// agent writes transcripts as Claude Code 2.1 does.
type agent struct {
	t    testing.TB
	dir  string
	r    *claudecode.Reader
	mu   sync.Mutex // the reader asks for the time while the test writes
	now  time.Time
	n    int
	live map[string]*live
}

// live is where a session stands.
type live struct {
	file, id, agent string // agent of a subagent
	cwd, parent     string // of the last row
	prompts         []string
	before          map[string]string // what was the last row when a prompt came
}

func newAgent(t testing.TB) *agent {
	a := &agent{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC), live: map[string]*live{}}
	a.must(os.MkdirAll(filepath.Join(a.dir, "projects"), 0o700))
	a.r = claudecode.New(claudecode.Options{Dir: a.dir, Now: a.clock, Env: func(string) string { return "" }})
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

func (a *agent) uuid() string {
	a.n++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", a.n)
}

// raw appends bytes, at the time that the agent thinks it is.
func (a *agent) raw(s *live, text string) {
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	a.must(err)
	_, err = f.WriteString(text)
	a.must(err)
	a.must(f.Close())
	a.must(os.Chtimes(s.file, a.clock(), a.clock()))
}

// row appends a row after the last one and returns its id.
func (a *agent) row(s *live, kind string, d data) string {
	a.Advance(time.Millisecond)
	id := a.uuid()
	r := data{
		"parentUuid": s.parent, "isSidechain": s.agent != "", "type": kind, "uuid": id, "timestamp": a.clock().Format("2006-01-02T15:04:05.000Z"),
		"cwd": s.cwd, "sessionId": s.id, "version": "2.1.325", "userType": "external",
	}
	if s.parent == "" {
		r["parentUuid"] = nil
	}
	if s.agent != "" {
		r["agentId"] = s.agent
	}
	for k, v := range d {
		r[k] = v
	}
	b, err := json.Marshal(r)
	a.must(err)
	a.raw(s, string(b)+"\n")
	s.parent = id
	return id
}

// answer appends one block of a message of the model.
func (a *agent) answer(s *live, stop any, block data) string {
	a.n++
	return a.row(s, "assistant", data{"message": data{
		"id": fmt.Sprintf("msg_%d", a.n), "role": "assistant", "model": "claude-opus-5-5", "content": []data{block}, "stop_reason": stop,
		"usage": data{"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 5},
	}})
}

func (a *agent) user(s *live, content any, more data) string {
	d := data{"message": data{"role": "user", "content": content}}
	for k, v := range more {
		d[k] = v
	}
	return a.row(s, "user", d)
}

func (a *agent) Transcripts() codememory.Transcripts { return a.r }
func (a *agent) Quiet() time.Duration                { return 15 * time.Minute }

func (a *agent) Files() (files []string) {
	for _, s := range a.live {
		files = append(files, s.file)
	}
	return files
}

func (a *agent) Session(dir, title string) string {
	s := &live{id: a.uuid(), cwd: dir, before: map[string]string{}}
	s.file = filepath.Join(a.dir, "projects", "-slug-of-"+filepath.Base(dir), s.id+".jsonl")
	a.must(os.MkdirAll(filepath.Dir(s.file), 0o700))
	a.live[s.id] = s
	a.raw(s, `{"type":"queue-operation","operation":"enqueue","sessionId":"`+s.id+`"}`+"\n")
	a.row(s, "attachment", data{"attachment": data{"type": "hook_success", "content": "injected by a hook", "hookEvent": "SessionStart"}})
	return s.id
}

func (a *agent) Prompt(session, text string) {
	s := a.live[session]
	before := s.parent
	id := a.user(s, text, data{"promptId": a.uuid()})
	s.prompts, s.before[id] = append(s.prompts, id), before
}

func (a *agent) Say(session, text string) {
	a.answer(a.live[session], "tool_use", data{"type": "text", "text": text})
}

func (a *agent) Tool(session, name, target, output string) {
	s := a.live[session]
	id := a.use(s, "Bash", data{"command": target})
	a.result(s, id, output, false, data{"toolUseResult": data{"stdout": output, "stderr": "", "interrupted": false}})
}

func (a *agent) use(s *live, name string, input data) string {
	a.n++
	id := fmt.Sprintf("toolu_%d", a.n)
	a.answer(s, "tool_use", data{"type": "tool_use", "id": id, "name": name, "input": input})
	return id
}

func (a *agent) result(s *live, id string, output any, failed bool, more data) {
	a.user(s, []data{{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}}, more)
}

func (a *agent) Finish(session, text string) {
	a.answer(a.live[session], "end_turn", data{"type": "text", "text": text})
}

func (a *agent) Break(session string) {
	a.raw(a.live[session], `{"type":"user","message":{"role":"user","content":"cut o`+"\n\x00\xff\n[1,2]\n")
}

func (a *agent) Abort(session string) {
	a.user(a.live[session], []data{{"type": "text", "text": "[Request interrupted by user]"}}, nil)
}

func (a *agent) Fail(session, message string) {
	s := a.live[session]
	a.row(s, "assistant", data{"isApiErrorMessage": true, "message": data{
		"id": a.uuid(), "model": "<synthetic>", "role": "assistant", "stop_reason": "stop_sequence",
		"content": []data{{"type": "text", "text": "API Error: 500 " + message}}, "usage": data{"input_tokens": 0},
	}})
}

func (a *agent) Delete(session string) { a.must(os.Remove(a.live[session].file)) }

// Undo goes back to before the last prompt, which shows with the next one.
func (a *agent) Undo(session string) {
	s := a.live[session]
	last := s.prompts[len(s.prompts)-1]
	s.prompts = s.prompts[:len(s.prompts)-1]
	s.parent = s.before[last]
	a.user(s, "<command-name>/rewind</command-name><command-message>rewind</command-message><command-args></command-args>", nil)
}

func (a *agent) Fork(session string) string {
	s := a.live[session]
	fork := *s
	fork.id = a.uuid()
	fork.file = filepath.Join(filepath.Dir(s.file), fork.id+".jsonl")
	b, err := os.ReadFile(s.file)
	a.must(err)
	a.live[fork.id] = &fork
	a.raw(&fork, string(b))
	return fork.id
}

func (a *agent) Compact(session, summary string) {
	s := a.live[session]
	logical := s.parent
	s.parent = ""
	a.row(s, "system", data{"subtype": "compact_boundary", "logicalParentUuid": logical, "content": "Conversation compacted", "compactMetadata": data{"trigger": "manual"}})
	a.user(s, "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n"+
		summary+"\n\nIf you need specific details from before compaction, read the full transcript at: /x.jsonl", data{"isCompactSummary": true, "isVisibleInTranscriptOnly": true})
}

func (a *agent) Delegate(session, task string) string {
	s := a.live[session]
	a.n++
	child := &live{id: s.id, agent: fmt.Sprintf("a%016x", a.n), cwd: s.cwd, before: map[string]string{}}
	child.file = filepath.Join(s.file[:len(s.file)-len(".jsonl")], "subagents", "agent-"+child.agent+".jsonl")
	a.must(os.MkdirAll(filepath.Dir(child.file), 0o700))
	a.live[child.agent] = child
	id := a.use(s, "Agent", data{"description": task, "prompt": task, "subagent_type": "general-purpose"})
	a.result(s, id, []data{{"type": "text", "text": "done"}}, false, data{"toolUseResult": data{"status": "completed", "agentId": child.agent}})
	return child.agent
}

func (a *agent) Shell(session, command, output string) {
	s := a.live[session]
	a.user(s, "<bash-input>"+command+"</bash-input>", nil)
	a.user(s, "<bash-stdout>"+output+"</bash-stdout><bash-stderr></bash-stderr>", nil)
}
