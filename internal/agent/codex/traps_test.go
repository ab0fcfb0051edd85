package codex_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/codex"
)

// want checks the outline of a thread.
func want(t *testing.T, a *agent, session string, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, agenttest.Outline(t, a.r, session)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCodexWritesInTheUsersName(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "the only prompt")
	for _, text := range []string{
		"<environment_context>\n<cwd>/x</cwd>", "<turn_aborted>\nThe user interrupted", "<skill>\n<name>x</name>", `<hook_prompt hook_run_id="stop:2">go on</hook_prompt>`,
		"<subagent_notification>{}</subagent_notification>", "\n  <user_instructions>brief</user_instructions>",
	} {
		a.message(s, "user", "msg_"+a.id(), text, "unknown")
	}
	a.item(s, "HookPrompt", a.id(), data{"fragments": []data{{"text": "go on"}}})
	a.Finish(s.id, "done")
	want(t, a, s.id, "prompt done: the only prompt -> done")
}

func TestAPromptThatCodexDoesNotShow(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.begin(s)
	a.row(s, "response_item", data{"type": "message", "role": "user", "content": []data{
		{"type": "input_text", "text": `<image name=[Image #1] path="/tmp/x.png">`}, {"type": "input_image", "image_url": "data:image/png;base64,iVBOR"}, {"type": "input_text", "text": "</image>"}, {"type": "input_text", "text": "[Image #1] like this"},
	}, "internal_chat_message_metadata_passthrough": data{"content_item_kinds": []string{"user.text", "user.image", "user.text", "user.text"}}})
	want(t, a, s.id, "prompt open: [Image #1] like this -> ")
	a.item(s, "UserMessage", a.id(), data{"content": []data{{"type": "local_image", "path": "/tmp/x.png"}, {"type": "text", "text": "like this"}}})
	a.Finish(s.id, "done")
	want(t, a, s.id, "prompt done: like this\n[attached: /tmp/x.png] -> done")
}

func TestWhatTheUserSentWhileTheAgentWorked(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "fix it")
	a.Tool(s.id, "bash", "ls", "x")
	a.message(s, "user", "msg_"+a.id(), "and test it", "user.text")
	a.item(s, "UserMessage", a.id(), data{"content": []data{{"type": "text", "text": "and test it"}}})
	a.Finish(s.id, "done")
	want(t, a, s.id, "prompt done: fix it\nand test it -> done")
}

func TestOurOwnBlocksAreStripped(t *testing.T) {
	a := newAgent(t)
	a.r = codex.New(codex.Options{Dir: a.dir, Now: a.clock, Strip: func(s string) string { return strings.ReplaceAll(s, "<ours>memory</ours>", "") }})
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "fix it <ours>memory</ours>")
	a.Finish(s.id, "as said: <ours>memory</ours>done")
	want(t, a, s.id, "prompt done: fix it -> as said: done")
}

func TestAForkHasTheFirstRowOfItsOriginToo(t *testing.T) {
	a := newAgent(t)
	origin := a.Session("/home/dev/origin", "")
	a.Prompt(origin, "one")
	a.Finish(origin, "first")
	fork := a.Fork(origin)
	got, err := a.r.Session(t.Context(), fork)
	if err != nil || got.Dir != "/home/dev/app" || got.ID != fork || got.Parent != "" {
		t.Errorf("session %+v, %v", got, err)
	}
	want(t, a, fork, "prompt done: one -> first")
}

func TestWhoStartedAThread(t *testing.T) {
	a := newAgent(t)
	for _, tt := range []struct {
		name string
		meta data
		want string
	}{
		{"the user", nil, ""},
		{"the user in an older release", data{"source": "cli", "thread_source": nil}, ""},
		{"an agent", data{"thread_source": "subagent", "source": data{"subagent": data{"thread_spawn": data{"parent_thread_id": "p"}}}}, "p"},
		{"an agent, named beside", data{"thread_source": "subagent", "parent_thread_id": "p", "source": data{"subagent": data{"other": "x"}}}, "p"},
		{"an agent, named by the root", data{"thread_source": "subagent", "session_id": "root", "source": data{"subagent": "review"}}, "root"},
		{"Codex itself", data{"thread_source": "guardian_review", "source": data{"subagent": data{"other": "guardian"}}}, "codex"},
	} {
		id := a.start("/home/dev/app", tt.meta)
		if got, err := a.r.Session(t.Context(), id); err != nil || got.Parent != tt.want {
			t.Errorf("%s: parent %q, want %q, %v", tt.name, got.Parent, tt.want, err)
		}
	}
}

func TestSubagents(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "delegate")
	a.row(s, "response_item", data{"type": "function_call", "id": "fc_1", "name": "spawn_agent", "arguments": "{}", "call_id": "c1"})
	a.item(s, "CollabAgentToolCall", "c1", data{"tool": "spawnAgent", "status": "completed", "receiver_thread_ids": []string{"child-1"}})
	a.row(s, "response_item", data{"type": "function_call_output", "call_id": "c1", "output": "started"})
	a.item(s, "CollabAgentToolCall", "c2", data{"tool": "spawnAgent", "status": "completed", "receiverThreadIds": []string{"child-2"}})
	a.Finish(s.id, "done")
	if diff := cmp.Diff([]string{"spawn_agent  child child-1", "spawnAgent  child child-2", "said: done"}, agenttest.Steps(agenttest.Turns(t, a.r, s.id)[0])); diff != "" {
		t.Error(diff)
	}
}

func TestPatchesThatDoMore(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "refactor")
	a.item(s, "FileChange", "c1", data{"status": "completed", "changes": data{"/a.go": data{"type": "delete"}, "/b.go": data{"type": "update", "unified_diff": "x", "move_path": "/c.go"}, "d.go": data{"type": "update"}}})
	a.item(s, "FileChange", "c2", data{"status": "failed", "stderr": "does not apply", "changes": data{"/e.go": data{"type": "add"}}})
	if diff := cmp.Diff([]string{"apply_patch  [deleted /a.go] [deleted /b.go] [created /c.go] [modified /home/dev/app/d.go]", "apply_patch  error: does not apply"}, agenttest.Steps(agenttest.Turns(t, a.r, s.id)[0])); diff != "" {
		t.Error(diff)
	}
}

// TestARolloutOfAnOlderRelease has no record of where turns begin and end, and
// tools only as the model saw them.
func TestARolloutOfAnOlderRelease(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	item := func(d data) { a.row(s, "response_item", d) }
	user := func(text string) {
		item(data{"type": "message", "role": "user", "content": []data{{"type": "input_text", "text": text}}})
		a.row(s, "event_msg", data{"type": "user_message", "message": text})
	}
	say := func(text string) {
		a.row(s, "event_msg", data{"type": "agent_message", "message": text})
		item(data{"type": "message", "role": "assistant", "content": []data{{"type": "output_text", "text": text}}})
	}
	item(data{"type": "message", "role": "user", "content": []data{{"type": "input_text", "text": "<environment_context>\n<cwd>/x</cwd>"}}})
	user("one")
	say("I will look")
	item(data{"type": "function_call", "name": "shell", "arguments": `{"command":["bash","-lc","ls"]}`, "call_id": "c1"})
	item(data{"type": "function_call_output", "call_id": "c1", "output": `{"output":"main.go\n","metadata":{"exit_code":0,"duration_seconds":0.1}}`})
	item(data{"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** Update File: main.go\n@@\n+x\n*** End Patch", "call_id": "c2"})
	item(data{"type": "custom_tool_call_output", "call_id": "c2", "output": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."})
	say("done")
	user("two")
	user("three")
	want(t, a, s.id, "prompt done: one -> done", "prompt aborted: two -> ", "prompt open: three -> ")
	a.row(s, "event_msg", data{"type": "turn_aborted", "reason": "interrupted"})
	user("four")
	say("fourth")
	want(t, a, s.id, "prompt done: one -> done", "prompt aborted: two -> ", "prompt aborted: three -> ", "prompt open: four -> fourth")
	a.Advance(time.Hour)
	want(t, a, s.id, "prompt done: one -> done", "prompt aborted: two -> ", "prompt aborted: three -> ", "prompt done: four -> fourth")
	if diff := cmp.Diff([]string{"said: I will look", "shell ls exit 0", "apply_patch main.go exit 0 [modified /home/dev/app/main.go]", "said: done"}, agenttest.Steps(agenttest.Turns(t, a.r, s.id)[0])); diff != "" {
		t.Error(diff)
	}
}

func TestEndsOfTurns(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.event(s, "turn_aborted", data{"reason": "replaced"})
	a.Prompt(s.id, "two")
	a.event(s, "task_complete", data{"error": data{"message": "usage limit"}})
	a.Prompt(s.id, "three")
	a.event(s, "error", data{"message": "a hiccup"})
	a.Finish(s.id, "went on")
	a.Prompt(s.id, "four")
	a.Say(s.id, "half")
	a.Prompt(s.id, "five")
	want(t, a, s.id, "prompt aborted: one -> ", "prompt failed: two -> ", "prompt done: three -> went on", "prompt aborted: four -> half", "prompt open: five -> ")
	got := agenttest.Turns(t, a.r, s.id)
	if got[0].Error != "replaced" || got[1].Error != "usage limit" || got[3].Error == "" {
		t.Errorf("errors %q %q %q", got[0].Error, got[1].Error, got[3].Error)
	}
}

func TestANameOfAThread(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.event(s, "thread_name_updated", data{"thread_name": "my thread"})
	a.Prompt(s.id, "two")
	if got, err := a.r.Session(t.Context(), s.id); err != nil || got.Title != "my thread" {
		t.Errorf("session %+v, %v", got, err)
	}
}

func TestACompactionWithoutASummary(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.row(s, "compacted", data{"message": "", "replacement_history": []data{{"type": "compaction", "encrypted_content": "gAAAA"}}})
	a.Finish(s.id, "first")
	want(t, a, s.id, "prompt done: one -> first")
}

func TestAFileWithAnotherName(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	to := filepath.Join(filepath.Dir(s.file), "rollout-mine.jsonl")
	if err := os.Rename(s.file, to); err != nil {
		t.Fatal(err)
	}
	want(t, a, s.id, "prompt open: one -> ")
}

func TestCommandsThatKeepRunning(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "serve")
	a.row(s, "response_item", data{"type": "function_call", "id": "fc_1", "name": "exec_command", "arguments": `{"cmd":"serve"}`, "call_id": "c1"})
	a.row(s, "response_item", data{"type": "function_call_output", "call_id": "c1", "output": "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\nlistening\n"})
	a.Finish(s.id, "it runs")
	a.item(s, "CommandExecution", "c1", data{"command": []string{"bash", "-lc", "serve"}, "status": "failed", "aggregated_output": "listening\nkilled\n", "exit_code": 137})
	want(t, a, s.id, "prompt done: serve -> it runs")
	got := agenttest.Turns(t, a.r, s.id)[0].Steps[0].Tool
	if got.Exit == nil || *got.Exit != 137 || got.Output != "listening\nkilled\n" {
		t.Errorf("tool %+v", got)
	}
	if agenttest.Turns(t, a.r, s.id)[0].State != codememory.TurnDone {
		t.Error("what comes later opened the turn again")
	}
}

func BenchmarkRead20MB(b *testing.B) {
	a := newAgent(b)
	id := a.Session("/home/dev/app", "")
	s := a.live[id]
	file := s.file
	s.file = filepath.Join(b.TempDir(), "some.jsonl")
	a.Prompt(id, "question")
	for range 3 {
		a.Tool(id, "bash", "go test ./...", strings.Repeat("some output of a tool\n", 100))
	}
	a.Finish(id, "answer")
	exchange, err := os.ReadFile(s.file)
	if err != nil {
		b.Fatal(err)
	}
	world, err := json.Marshal(data{"type": "world_state", "payload": data{"full": true, "state": strings.Repeat("state ", 1500)}})
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := 0; text.Len() < 20<<20; i++ {
		text.WriteString(strings.ReplaceAll(string(exchange), "01a1dccc-60f6-", fmt.Sprintf("%08d-60f6-", i)))
		text.Write(append(world, '\n'))
	}
	s.file = file
	a.raw(s, text.String())
	b.SetBytes(20 << 20)
	for b.Loop() {
		if got, err := codex.New(codex.Options{Dir: a.dir}).Turns(b.Context(), id, 4<<10); err != nil || len(got) < 100 {
			b.Fatal(len(got), err)
		}
	}
}
