package copilot_test

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
	"codememory/internal/agent/copilot"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Suite{Open: func(t *testing.T) agenttest.Agent { return newAgent(t) }})
}

// data is an event in the making.
type data = map[string]any

// agent writes events as Copilot CLI 1.0 does.
type agent struct {
	t    testing.TB
	dir  string
	r    *copilot.Reader
	mu   sync.Mutex // the reader asks for the time while the test writes
	now  time.Time
	n    int
	live map[string]*live
}

// live is where a session stands.
type live struct {
	file, id, last, prompt string
}

func newAgent(t testing.TB) *agent {
	a := &agent{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC), live: map[string]*live{}}
	a.must(os.MkdirAll(filepath.Join(a.dir, "session-state"), 0o700))
	a.r = copilot.New(copilot.Options{Dir: a.dir, Now: a.clock, Env: func(string) string { return "" }})
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
	return fmt.Sprintf("63a757a0-9b43-4255-bf93-%012d", a.n)
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

func (a *agent) event(s *live, kind string, d data) string {
	a.Advance(time.Millisecond)
	id := a.id()
	b, err := json.Marshal(data{"type": kind, "data": d, "id": id, "timestamp": a.clock().Format("2006-01-02T15:04:05.000Z"), "parentId": s.last})
	a.must(err)
	a.raw(s, string(b)+"\n")
	s.last = id
	return id
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
	s := &live{id: a.id()}
	s.file = filepath.Join(a.dir, "session-state", s.id, "events.jsonl")
	a.must(os.MkdirAll(filepath.Dir(s.file), 0o700))
	a.live[s.id] = s
	a.event(s, "session.start", data{"sessionId": s.id, "version": 1, "copilotVersion": "1.0.102", "selectedModel": "claude-sonnet-4.5", "context": data{"cwd": dir}})
	return s.id
}

func (a *agent) Prompt(session, text string) {
	s := a.live[session]
	a.event(s, "hook.end", data{"hookType": "userPromptSubmitted", "success": true, "output": data{"additionalContext": "injected by a hook"}})
	s.prompt = a.event(s, "user.message", data{"content": text, "transformedContent": text + "\n\n<system_reminder>\ninjected by a hook\n</system_reminder>", "messageId": a.id(), "delivery": "idle"})
}

func (a *agent) answer(s *live, text string, requests ...data) {
	a.event(s, "assistant.turn_start", data{"turnId": "0"})
	a.event(s, "session.usage_record", data{"usage": data{"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 5}})
	a.event(s, "assistant.message", data{"messageId": a.id(), "model": "claude-sonnet-4.5", "content": text, "toolRequests": requests})
}

// Say writes an answer whose step has not ended yet.
func (a *agent) Say(session, text string) { a.answer(a.live[session], text) }

func (a *agent) Tool(session, name, target, output string) {
	a.use(a.live[session], "bash", data{"command": target, "description": "x"}, data{
		"success": true, "shellExecution": data{"exitCode": 0},
		"result": data{"content": output + "<shellId: 0 completed with exit code 0>"},
	})
}

func (a *agent) use(s *live, name string, args, outcome data) {
	id := "toolu_" + a.id()
	a.answer(s, "", data{"toolCallId": id, "name": name, "arguments": args, "intentionSummary": "x"})
	a.event(s, "tool.execution_start", data{"toolCallId": id, "toolName": name, "arguments": args})
	done := data{"toolCallId": id}
	for k, v := range outcome {
		done[k] = v
	}
	a.event(s, "tool.execution_complete", done)
	a.event(s, "assistant.turn_end", data{"turnId": "0"})
}

func (a *agent) Finish(session, text string) {
	s := a.live[session]
	a.answer(s, text)
	a.event(s, "assistant.turn_end", data{"turnId": "1"})
}

func (a *agent) Break(session string) {
	a.raw(a.live[session], `{"type":"user.message","data":{"content":"cut o`+"\n\x00\xff\n[1,2]\n")
}

func (a *agent) Abort(session string) {
	a.event(a.live[session], "abort", data{"reason": "user initiated"})
}

func (a *agent) Fail(session, message string) {
	a.event(a.live[session], "session.error", data{"errorType": "query", "message": message})
}

func (a *agent) Delete(session string) { a.must(os.RemoveAll(filepath.Dir(a.live[session].file))) }

func (a *agent) Undo(session string) {
	s := a.live[session]
	a.event(s, "session.snapshot_rewind", data{"upToEventId": s.prompt, "eventsRemoved": 5})
}

func (a *agent) Compact(session, summary string) {
	s := a.live[session]
	a.event(s, "session.compaction_start", data{})
	a.event(s, "session.compaction_complete", data{"success": true, "preCompactionTokens": 90000, "summaryContent": summary})
}

func (a *agent) Shell(session, command, output string) {
	s := a.live[session]
	a.event(s, "tool.user_requested", data{"toolCallId": "user_1", "toolName": "bash", "arguments": data{"command": command}})
	a.event(s, "tool.execution_start", data{"toolCallId": "user_1", "toolName": "bash", "arguments": data{"command": command}})
	a.event(s, "tool.execution_complete", data{"toolCallId": "user_1", "success": true, "result": data{"content": output + "<shellId: 0 completed with exit code 0>"}})
}
