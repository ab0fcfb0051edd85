package copilot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/agenttest"
	"codememory/internal/agent/copilot"
)

// want checks the outline of a session.
func want(t *testing.T, a *agent, session string, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, agenttest.Outline(t, a.r, session)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatSkillsSayInTheUsersName(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "the only prompt")
	a.event(s, "user.message", data{"content": "text of a skill", "source": "skill-pdf"})
	a.event(s, "user.message", data{"content": "<system_reminder>remember</system_reminder>"})
	a.event(s, "system.message", data{"role": "system", "content": "You are Copilot"})
	a.Finish(s.id, "done")
	want(t, a, s.id, "prompt done: the only prompt -> done")
}

func TestOurOwnBlocksAreStripped(t *testing.T) {
	a := newAgent(t)
	a.r = copilot.New(copilot.Options{Dir: a.dir, Now: a.clock, Strip: func(s string) string { return strings.ReplaceAll(s, "<ours>memory</ours>", "") }})
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "fix it <ours>memory</ours>")
	a.Finish(s.id, "as said: <ours>memory</ours>done")
	want(t, a, s.id, "prompt done: fix it -> as said: done")
}

func TestWhatTheUserSentWhileTheAgentWorked(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "fix it")
	a.Tool(s.id, "bash", "ls", "x")
	a.event(s, "user.message", data{"content": "and test it", "delivery": "steering", "attachments": []data{{"type": "file", "path": "/a.go"}, {"displayName": "b.png"}}})
	a.Finish(s.id, "done")
	want(t, a, s.id, "prompt done: fix it\nand test it\n[attached: /a.go, b.png] -> done")
}

func TestWhatASubagentDoesIsNotTheTurns(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "look around")
	a.answer(s, "", data{"toolCallId": "t1", "name": "task", "arguments": data{"description": "explore", "prompt": "explore all"}})
	a.event(s, "subagent.started", data{"toolCallId": "t1", "agentName": "explore"})
	a.event(s, "assistant.message", data{"parentToolCallId": "t1", "content": "the subagent says", "toolRequests": []data{{"toolCallId": "t2", "name": "bash", "arguments": data{"command": "ls"}}}})
	a.event(s, "tool.execution_start", data{"parentToolCallId": "t1", "toolCallId": "t2", "toolName": "bash"})
	a.Advance(20 * time.Minute)
	a.event(s, "tool.execution_complete", data{"parentToolCallId": "t1", "toolCallId": "t2", "success": true})
	a.raw(s, `{"type":"assistant.turn_end","agentId":"t1","data":{"turnId":"0"},"id":"x","timestamp":"`+a.clock().Format(time.RFC3339)+`"}`+"\n")
	want(t, a, s.id, "prompt open: look around -> ")
	a.event(s, "tool.execution_complete", data{"toolCallId": "t1", "success": true, "result": data{"content": "two files"}})
	a.Finish(s.id, "seen")
	want(t, a, s.id, "prompt done: look around -> seen")
	if got := agenttest.Turns(t, a.r, s.id)[0].Steps; len(got) != 2 || got[0].Tool.Output != "two files" {
		t.Errorf("steps %+v", got)
	}
}

func TestToolsThatFail(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "try")
	a.use(s, "bash", data{"command": "exit 3"}, data{"success": true, "result": data{"content": "oops\n<shellId: 1 completed with exit code 3>"}})
	a.use(s, "view", data{"path": "/x"}, data{"success": false, "error": data{"message": "no such file", "code": "failure"}})
	a.use(s, "view", data{"path": "/y"}, data{"success": false, "error": "denied"})
	a.use(s, "edit", data{"path": "b.go"}, data{"success": true})
	a.use(s, "apply_patch", data{}, data{"success": true, "fileEdits": []data{{"path": "/c.go", "kind": "delete"}, {"path": "/d.go", "kind": "edit"}}})
	if diff := cmp.Diff([]string{"bash exit 3 exit 3 error: exit code 3", "view /x error: no such file", "view /y error: denied", "edit b.go [modified /home/dev/app/b.go]", "apply_patch  [deleted /c.go] [modified /d.go]"}, agenttest.Steps(agenttest.Turns(t, a.r, s.id)[0])); diff != "" {
		t.Error(diff)
	}
}

func TestEndsOfTurns(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.Tool(s.id, "bash", "ls", "x")
	a.event(s, "session.shutdown", data{"shutdownType": "routine"})
	a.event(s, "session.resume", data{"context": data{"cwd": "/home/dev/elsewhere"}})
	a.Prompt(s.id, "two")
	a.Say(s.id, "second")
	a.event(s, "session.shutdown", data{"shutdownType": "routine"})
	want(t, a, s.id, "prompt aborted: one -> ", "prompt open: two -> second")
	a.Advance(time.Minute)
	want(t, a, s.id, "prompt aborted: one -> ", "prompt done: two -> second")
	if dir := agenttest.Turns(t, a.r, s.id)[1].Dir; dir != "/home/dev/app" {
		t.Errorf("works in %s", dir)
	}
}

func TestASessionOfAnOlderRelease(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.Finish(s.id, "first")
	if err := os.Rename(s.file, filepath.Join(a.dir, "session-state", s.id+".jsonl")); err != nil {
		t.Fatal(err)
	}
	want(t, a, s.id, "prompt done: one -> first")
}

func TestCopiedEventsCountOnce(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.Finish(s.id, "first")
	b, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	a.raw(s, string(b))
	want(t, a, s.id, "prompt done: one -> first")
}

func TestGoingBackRewritesTheFile(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.Finish(s.id, "first")
	b, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	a.Prompt(s.id, "two")
	a.Finish(s.id, "second")
	want(t, a, s.id, "prompt done: one -> first", "prompt done: two -> second")
	if err := os.WriteFile(s.file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	a.Prompt(s.id, "a better way")
	want(t, a, s.id, "prompt done: one -> first", "prompt open: a better way -> ")
}

func TestATitle(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.event(s, "session.title_changed", data{"title": "my session"})
	a.event(s, "session.model_change", data{"newModel": "gpt-6"})
	a.Prompt(s.id, "two")
	if got, err := a.r.Session(t.Context(), s.id); err != nil || got.Title != "my session" {
		t.Errorf("session %+v, %v", got, err)
	}
	if got := agenttest.Turns(t, a.r, s.id)[1]; got.Model != "gpt-6" || got.State != codememory.TurnOpen {
		t.Errorf("turn %+v", got)
	}
}

func TestOtherFilesOfASession(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	for _, name := range []string{"other.jsonl", "files/deep.jsonl"} {
		path := filepath.Join(filepath.Dir(s.file), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if changed, _, _, err := a.r.Changed(t.Context(), ""); err != nil || !cmp.Equal(changed, []string{s.id}) {
		t.Errorf("changed %q, %v", changed, err)
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
	var text strings.Builder
	for i := 0; text.Len() < 20<<20; i++ {
		text.WriteString(strings.ReplaceAll(string(exchange), "63a757a0-", fmt.Sprintf("%08d-", i)))
	}
	s.file = file
	a.raw(s, text.String())
	b.SetBytes(20 << 20)
	for b.Loop() {
		if got, err := copilot.New(copilot.Options{Dir: a.dir}).Turns(b.Context(), id, 4<<10); err != nil || len(got) < 100 {
			b.Fatal(len(got), err)
		}
	}
}
