package codex_test

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
	"codememory/internal/agent/codex"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Suite{Open: func(t *testing.T) agenttest.Agent { return newAgent(t) }})
}

// data is a row in the making.
type data = map[string]any

// agent writes rollouts as Codex 0.166 does.
type agent struct {
	t    testing.TB
	dir  string
	r    *codex.Reader
	mu   sync.Mutex // the reader asks for the time while the test writes
	now  time.Time
	n    int
	live map[string]*live
}

// live is where a thread stands.
type live struct {
	file, id, turn string
	ordinal        int
}

func newAgent(t testing.TB) *agent {
	a := &agent{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC), live: map[string]*live{}}
	a.must(os.MkdirAll(filepath.Join(a.dir, "sessions"), 0o700))
	a.r = codex.New(codex.Options{Dir: a.dir, Now: a.clock, Env: func(string) string { return "" }})
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
	return fmt.Sprintf("01a1dccc-60f6-7d42-90f4-%012d", a.n)
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

func (a *agent) row(s *live, kind string, payload data) {
	a.Advance(time.Millisecond)
	b, err := json.Marshal(data{"timestamp": a.clock().Format("2006-01-02T15:04:05.000Z"), "ordinal": s.ordinal, "type": kind, "payload": payload})
	a.must(err)
	s.ordinal++
	a.raw(s, string(b)+"\n")
}

func (a *agent) event(s *live, kind string, d data) {
	p := data{"type": kind, "turn_id": s.turn}
	for k, v := range d {
		p[k] = v
	}
	a.row(s, "event_msg", p)
}

func (a *agent) item(s *live, kind, id string, d data) {
	it := data{"type": kind, "id": id}
	for k, v := range d {
		it[k] = v
	}
	a.event(s, "item_completed", data{"thread_id": s.id, "item": it})
}

func (a *agent) message(s *live, role, id, text string, kinds ...string) {
	a.row(s, "response_item", data{
		"type": "message", "id": id, "role": role, "content": []data{{"type": "input_text", "text": text}},
		"internal_chat_message_metadata_passthrough": data{"turn_id": s.turn, "content_item_kinds": kinds},
	})
}

func (a *agent) Transcripts() codememory.Transcripts { return a.r }
func (a *agent) Quiet() time.Duration                { return 15 * time.Minute }

func (a *agent) Files() (files []string) {
	for _, s := range a.live {
		files = append(files, s.file)
	}
	return files
}

func (a *agent) Session(dir, title string) string { return a.start(dir, nil) }

func (a *agent) start(dir string, meta data) string {
	s := &live{id: a.id()}
	s.file = filepath.Join(a.dir, "sessions", a.clock().Format("2006/01/02"), "rollout-"+a.clock().Format("2006-01-02T15-04-05")+"-"+s.id+".jsonl")
	a.must(os.MkdirAll(filepath.Dir(s.file), 0o700))
	a.live[s.id] = s
	m := data{"id": s.id, "session_id": s.id, "cwd": dir, "originator": "codex_exec", "cli_version": "0.166.0", "source": "exec", "thread_source": "user"}
	for k, v := range meta {
		m[k] = v
	}
	a.row(s, "session_meta", m)
	return s.id
}

func (a *agent) begin(s *live) {
	s.turn = a.id()
	a.event(s, "task_started", nil)
	a.message(s, "user", "msg_"+a.id(), "# AGENTS.md instructions for /x\n<INSTRUCTIONS>", "agents_md.instructions")
	a.row(s, "turn_context", data{"turn_id": s.turn, "model": "gpt-5.5"})
}

func (a *agent) Prompt(session, text string) {
	s := a.live[session]
	a.begin(s)
	a.message(s, "user", "msg_"+a.id(), text, "user.text")
	a.item(s, "UserMessage", a.id(), data{"content": []data{{"type": "text", "text": text}}})
	a.message(s, "developer", "msg_"+a.id(), "injected by a hook", "hooks.additional_context")
}

func (a *agent) Say(session, text string) {
	s := a.live[session]
	id := "msg_" + a.id()
	a.item(s, "AgentMessage", id, data{"content": []data{{"type": "Text", "text": text}}})
	a.message(s, "assistant", id, text, "unknown")
}

func (a *agent) Tool(session, name, target, output string) {
	s := a.live[session]
	call := "call_" + a.id()
	args, err := json.Marshal(data{"cmd": target})
	a.must(err)
	a.row(s, "response_item", data{"type": "function_call", "id": "fc_" + call, "name": "exec_command", "arguments": string(args), "call_id": call})
	a.item(s, "CommandExecution", call, data{"command": []string{"/bin/bash", "-lc", target}, "source": "unified_exec_startup", "status": "completed", "aggregated_output": output, "exit_code": 0})
	a.row(s, "response_item", data{"type": "function_call_output", "call_id": call, "output": "Chunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\n" + output})
}

func (a *agent) Finish(session, text string) {
	a.Say(session, text)
	a.event(a.live[session], "task_complete", data{"last_agent_message": text})
}

func (a *agent) Break(session string) {
	a.raw(a.live[session], `{"timestamp":"2026-11-15T01:22:24.225Z","type":"event_msg","payload":{"type":"ite`+"\n\x00\xff\n[1,2]\n")
}

func (a *agent) Abort(session string) {
	a.event(a.live[session], "turn_aborted", data{"reason": "interrupted"})
}

func (a *agent) Fail(session, message string) {
	s := a.live[session]
	a.event(s, "error", data{"message": message, "codex_error_info": "other"})
	a.event(s, "task_complete", data{"last_agent_message": nil})
}

func (a *agent) Delete(session string) { a.must(os.Remove(a.live[session].file)) }

func (a *agent) Undo(session string) {
	a.event(a.live[session], "thread_rolled_back", data{"num_turns": 1})
}

func (a *agent) Fork(session string) string {
	s := a.live[session]
	id := a.start("/home/dev/app", data{"forked_from_id": s.id})
	b, err := os.ReadFile(s.file)
	a.must(err)
	a.raw(a.live[id], string(b))
	return id
}

func (a *agent) Compact(session, summary string) {
	s := a.live[session]
	s.turn = a.id()
	a.event(s, "task_started", nil)
	a.row(s, "compacted", data{"message": "Another language model started to solve this problem and produced a summary of its thinking process. Use the information, use the information in this summary to assist with your own analysis:\n" + summary, "window_id": a.id()})
	a.item(s, "ContextCompaction", a.id(), nil)
	a.event(s, "task_complete", data{"last_agent_message": nil})
}

func (a *agent) Delegate(session, task string) string {
	s := a.live[session]
	child := a.start("/home/dev/app", data{"session_id": s.id, "thread_source": "subagent", "source": data{"subagent": data{"thread_spawn": data{"parent_thread_id": s.id, "depth": 1}}}})
	call := "call_" + a.id()
	a.row(s, "response_item", data{"type": "function_call", "id": "fc_" + call, "name": "spawn_agent", "arguments": `{"message":"` + task + `"}`, "call_id": call})
	a.row(s, "response_item", data{"type": "function_call_output", "call_id": call, "output": `{"agent_id":"` + child + `"}`})
	return child
}

func (a *agent) Archive(session string) {
	s := a.live[session]
	to := filepath.Join(a.dir, "archived_sessions", filepath.Base(s.file))
	a.must(os.MkdirAll(filepath.Dir(to), 0o700))
	a.must(os.Rename(s.file, to))
	s.file = to
}

func (a *agent) Shell(session, command, output string) {
	s := a.live[session]
	s.turn = a.id()
	a.event(s, "task_started", nil)
	a.item(s, "CommandExecution", "call_"+a.id(), data{"command": []string{"/bin/bash", "-lc", command}, "source": "user_shell", "status": "completed", "aggregated_output": output, "exit_code": 0})
	a.message(s, "user", "msg_"+a.id(), "<user_shell_command>\n<command>\n"+command+"\n</command>", "unknown")
	a.event(s, "task_complete", data{"last_agent_message": nil})
}
