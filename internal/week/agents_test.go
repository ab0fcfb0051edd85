package week_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"codememory/internal/agent/opencode/opencodetest"
)

// talker writes the records of one session as its agent does.
type talker interface {
	id() string
	prompt(text string)
	say(text string)
	run(command string, exit int, output string)
	edit(file string)
	fetch(url, text string)
	finish(text string)
}

type data = map[string]any

// openCode writes to OpenCode's database.
type openCode struct {
	w    *world
	s    *opencodetest.Session
	user *opencodetest.Message
	step *opencodetest.Message // the open one
}

func (w *world) openCode(dir string) talker {
	return &openCode{w: w, s: w.db.Session(dir, "New session")}
}

func (o *openCode) id() string { return o.s.ID }

func (o *openCode) prompt(text string) {
	o.w.db.Now = o.w.clock.now()
	o.user = o.s.User(text)
}

func (o *openCode) open() *opencodetest.Message {
	if o.step == nil {
		o.step = o.s.Assistant(o.user)
	}
	return o.step
}

func (o *openCode) say(text string) { o.open().Text(text) }

func (o *openCode) tool(name string, input data, output string, meta data) {
	m := o.open()
	m.Tool(name, input).Complete(output, meta)
	m.Finish("tool-calls")
	o.step = nil
}

func (o *openCode) run(command string, exit int, output string) {
	o.tool("bash", data{"command": command, "description": "Runs a command"}, output, data{"exit": exit, "output": output})
}

func (o *openCode) edit(file string) {
	o.tool("edit", data{"filePath": filepath.Join(o.s.Dir, file), "oldString": "a", "newString": "b"}, "ok", data{"diff": "-a\n+b"})
}

func (o *openCode) fetch(url, text string) {
	o.tool("webfetch", data{"url": url, "format": "markdown"}, text, nil)
}

func (o *openCode) finish(text string) {
	m := o.open()
	m.Text(text)
	m.Finish("stop")
	o.step = nil
}

// lines appends rows to a file at the time of the world.
type lines struct {
	w    *world
	t    testing.TB
	file string
}

func (l lines) row(d data) {
	l.t.Helper()
	b, err := json.Marshal(d)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(l.file), 0o700)
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(l.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	_, err = f.Write(append(b, '\n'))
	if closed := f.Close(); err != nil || closed != nil {
		l.t.Fatal(err, closed)
	}
	if err := os.Chtimes(l.file, l.w.clock.now(), l.w.clock.now()); err != nil {
		l.t.Fatal(err)
	}
}

// claude writes a transcript of Claude Code.
type claude struct {
	lines
	dir, session, parent string
}

func (w *world) claude(dir string) talker {
	id := w.uuid()
	return &claude{lines: lines{w, w.t, filepath.Join(w.root, "claude", "projects", "-slug-"+filepath.Base(dir), id+".jsonl")}, dir: dir, session: id}
}

func (c *claude) id() string { return c.session }

func (c *claude) write(kind string, d data) {
	c.w.clock.tick()
	id := c.w.uuid()
	row := data{
		"parentUuid": c.parent, "isSidechain": false, "type": kind, "uuid": id, "timestamp": c.w.clock.now().Format("2006-01-02T15:04:05.000Z"),
		"cwd": c.dir, "sessionId": c.session, "version": "2.1.325", "userType": "external",
	}
	if c.parent == "" {
		row["parentUuid"] = nil
	}
	maps.Copy(row, d)
	c.row(row)
	c.parent = id
}

func (c *claude) answer(stop string, block data) {
	c.write("assistant", data{"message": data{
		"id": "msg_" + c.w.uuid(), "role": "assistant", "model": "claude-opus-5-5", "content": []data{block}, "stop_reason": stop,
		"usage": data{"input_tokens": 100, "output_tokens": 20},
	}})
}

func (c *claude) prompt(text string) {
	c.write("user", data{"promptId": c.w.uuid(), "message": data{"role": "user", "content": text}})
}

func (c *claude) say(text string)    { c.answer("tool_use", data{"type": "text", "text": text}) }
func (c *claude) finish(text string) { c.answer("end_turn", data{"type": "text", "text": text}) }

func (c *claude) use(name string, input data, output string, failed bool, result any) {
	id := "toolu_" + c.w.uuid()
	c.answer("tool_use", data{"type": "tool_use", "id": id, "name": name, "input": input})
	c.write("user", data{
		"message":       data{"role": "user", "content": []data{{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}}},
		"toolUseResult": result,
	})
}

func (c *claude) run(command string, exit int, output string) {
	if exit != 0 {
		output = fmt.Sprintf("Exit code %d\n%s", exit, output)
		c.use("Bash", data{"command": command}, output, true, "Error: "+output)
		return
	}
	c.use("Bash", data{"command": command}, output, false, data{"stdout": output, "stderr": "", "interrupted": false})
}

func (c *claude) edit(file string) {
	path := filepath.Join(c.dir, file)
	c.use("Edit", data{"file_path": path, "old_string": "a", "new_string": "b"}, "The file has been updated.", false, data{"filePath": path, "originalFile": "a"})
}

func (c *claude) fetch(url, text string) {
	c.use("WebFetch", data{"url": url, "prompt": "What does it say?"}, text, false, data{"code": 200, "result": text, "url": url})
}

// codexRollout writes a rollout of Codex.
type codexRollout struct {
	lines
	dir, thread, turn string
	ordinal           int
}

func (w *world) codex(dir string) talker {
	id := w.uuid()
	at := w.clock.now()
	c := &codexRollout{lines: lines{w, w.t, filepath.Join(w.root, "codex", "sessions", at.Format("2006/01/02"), "rollout-"+at.Format("2006-01-02T15-04-05")+"-"+id+".jsonl")}, dir: dir, thread: id}
	c.write("session_meta", data{"id": id, "session_id": id, "cwd": dir, "originator": "codex_cli_rs", "cli_version": "0.166.0", "source": "cli", "thread_source": "user"})
	return c
}

func (c *codexRollout) id() string { return c.thread }

func (c *codexRollout) write(kind string, payload data) {
	c.w.clock.tick()
	c.row(data{"timestamp": c.w.clock.now().Format("2006-01-02T15:04:05.000Z"), "ordinal": c.ordinal, "type": kind, "payload": payload})
	c.ordinal++
}

func (c *codexRollout) event(kind string, d data) {
	payload := data{"type": kind, "turn_id": c.turn}
	maps.Copy(payload, d)
	c.write("event_msg", payload)
}

func (c *codexRollout) item(kind, id string, d data) {
	it := data{"type": kind, "id": id}
	maps.Copy(it, d)
	c.event("item_completed", data{"thread_id": c.thread, "item": it})
}

func (c *codexRollout) message(role, id, text, kind string) {
	c.write("response_item", data{
		"type": "message", "id": id, "role": role, "content": []data{{"type": "input_text", "text": text}},
		"internal_chat_message_metadata_passthrough": data{"turn_id": c.turn, "content_item_kinds": []string{kind}},
	})
}

func (c *codexRollout) prompt(text string) {
	c.turn = c.w.uuid()
	c.event("task_started", nil)
	c.write("turn_context", data{"turn_id": c.turn, "model": "gpt-5.5"})
	c.message("user", "msg_"+c.w.uuid(), text, "user.text")
	c.item("UserMessage", c.w.uuid(), data{"content": []data{{"type": "text", "text": text}}})
}

func (c *codexRollout) say(text string) {
	id := "msg_" + c.w.uuid()
	c.item("AgentMessage", id, data{"content": []data{{"type": "Text", "text": text}}})
	c.message("assistant", id, text, "unknown")
}

func (c *codexRollout) call(name string, args data) string {
	call := "call_" + c.w.uuid()
	b, err := json.Marshal(args)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write("response_item", data{"type": "function_call", "id": "fc_" + call, "name": name, "arguments": string(b), "call_id": call})
	return call
}

func (c *codexRollout) run(command string, exit int, output string) {
	status := "completed"
	if exit != 0 {
		status = "failed"
	}
	call := c.call("exec_command", data{"cmd": command})
	c.item("CommandExecution", call, data{"command": []string{"/bin/bash", "-lc", command}, "source": "unified_exec_startup", "status": status, "aggregated_output": output, "exit_code": exit})
	c.write("response_item", data{"type": "function_call_output", "call_id": call, "output": fmt.Sprintf("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code %d\nOutput:\n%s", exit, output)})
}

func (c *codexRollout) edit(file string) {
	call := "call_" + c.w.uuid()
	c.write("response_item", data{"type": "custom_tool_call", "id": "ctc_" + call, "name": "apply_patch", "call_id": call, "input": "*** Begin Patch\n*** Update File: " + file + "\n@@\n-a\n+b\n*** End Patch"})
	c.item("FileChange", call, data{"status": "completed", "changes": data{filepath.Join(c.dir, file): data{"type": "update", "unified_diff": "@@\n-a\n+b"}}, "stdout": "Success."})
	c.write("response_item", data{"type": "custom_tool_call_output", "call_id": call, "output": "Success."})
}

func (c *codexRollout) fetch(url, text string) { c.run("curl -fsSL "+url, 0, text) }

func (c *codexRollout) finish(text string) {
	c.say(text)
	c.event("task_complete", data{"last_agent_message": text})
}
