package gemini_test

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
	"codememory/internal/agent/gemini"
)

// want checks the outline of a chat.
func want(t *testing.T, a *agent, session string, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, agenttest.Outline(t, a.r, session)); diff != "" {
		t.Error(diff)
	}
}

func TestTheLastVersionOfAMessageCounts(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "write it")
	a.call(s, "I will", data{"name": "write_file", "args": data{"file_path": "a.txt"}, "resultDisplay": data{"filePath": "/home/dev/app/a.txt", "fileDiff": "x", "isNewFile": false}}, "ok")
	a.Finish(s.id, "written")
	want(t, a, s.id, "prompt done: write it -> written")
	if diff := cmp.Diff([]string{"said: I will", "write_file a.txt [modified /home/dev/app/a.txt]", "said: written"}, agenttest.Steps(agenttest.Turns(t, a.r, s.id)[0])); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerMayBeFollowedByATool(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "run it")
	a.Say(s.id, "I will run it")
	a.Advance(settle / 2)
	want(t, a, s.id, "prompt open: run it -> I will run it")
	a.Tool(s.id, "bash", "make", "ok")
	a.Advance(settle * 2)
	want(t, a, s.id, "prompt open: run it -> I will run it")
	a.Say(s.id, "ran")
	a.Prompt(s.id, "next")
	want(t, a, s.id, "prompt done: run it -> ran", "prompt open: next -> ")
}

func TestWhatHooksPutIntoAPrompt(t *testing.T) {
	a := newAgent(t)
	a.r = gemini.New(gemini.Options{Dir: a.dir, Now: a.clock, Strip: func(s string) string { return strings.ReplaceAll(s, "<ours>memory</ours>", "") }})
	s := a.live[a.Session("/home/dev/app", "")]
	a.message(s, "user", []data{{"text": "<hook_context>of SessionStart</hook_context>\n\nfix it <ours>memory</ours>"}, {"text": "<hook_context>of BeforeAgent</hook_context>"}}, nil)
	a.Finish(s.id, "fixed <ours>memory</ours>")
	want(t, a, s.id, "prompt done: fix it -> fixed")
}

func TestFilesThatAPromptNames(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.message(s, "user", []data{{"text": "explain @main.go"}, {"text": "\n--- Content from referenced files ---"}, {"text": "package main"}, {"inlineData": data{"mimeType": "image/png", "data": "iVBOR"}}}, nil)
	a.Finish(s.id, "it is empty")
	want(t, a, s.id, "prompt done: explain @main.go\n[attached: image/png] -> it is empty")
}

func TestWhatGeminiSaysInTheUsersName(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "long work")
	a.Say(s.id, "half")
	a.message(s, "user", []data{{"text": "Please continue."}}, nil)
	want(t, a, s.id, "prompt open: long work -> half")
	a.Finish(s.id, "all")
	a.message(s, "info", "an update is available", nil)
	want(t, a, s.id, "prompt done: long work -> all")
}

func TestACompressionKeepsWhatHappened(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.Tool(s.id, "bash", "make", strings.Repeat("long ", 100))
	a.Finish(s.id, "first")
	a.Compact(s.id, "the first is done")
	// Later the whole list is written again with other ids, as when a session
	// is resumed.
	a.row(s, data{"$set": data{"messages": []data{
		{"id": a.id(), "timestamp": a.stamp(), "type": "user", "content": []data{{"text": "<state_snapshot>the first is done</state_snapshot>"}}},
		{"id": a.id(), "timestamp": a.stamp(), "type": "gemini", "content": []data{{"text": "first"}}},
	}}})
	a.Prompt(s.id, "two")
	a.Finish(s.id, "second")
	want(t, a, s.id, "prompt done: one -> first", "compaction done: auto -> the first is done", "prompt done: two -> second")
}

func TestMaskedOutputsDoNotReplaceWhatWasThere(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "one")
	a.Tool(s.id, "bash", "make", "the real output")
	a.Finish(s.id, "first")
	a.row(s, data{"$set": data{"messages": []data{{"id": s.prompt, "type": "user", "content": []data{{"text": "[masked]"}}}}}})
	want(t, a, s.id, "prompt done: one -> first")
}

func TestToolsThatFailOrAreCancelled(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "try")
	a.call(s, "", data{"name": "read_file", "args": data{"absolute_path": "/x"}, "status": "error", "result": []data{{"functionResponse": data{"response": data{"error": "File not found"}}}}}, "")
	a.call(s, "", data{"name": "run_shell_command", "args": data{"command": "exit 3"}}, "<untrusted_context>\nOutput: (empty)\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>")
	a.call(s, "", data{"name": "run_shell_command", "args": data{"command": "rm x"}, "status": "cancelled"}, "")
	want(t, a, s.id, "prompt aborted: try -> ")
	if diff := cmp.Diff([]string{"read_file /x error: File not found", "run_shell_command exit 3 exit 3 error: exit code 3", "run_shell_command rm x error: cancelled by the user"}, agenttest.Steps(agenttest.Turns(t, a.r, s.id)[0])); diff != "" {
		t.Error(diff)
	}
	a.Finish(s.id, "another way")
	want(t, a, s.id, "prompt done: try -> another way")
}

func TestTheFolderOfAProject(t *testing.T) {
	a := newAgent(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(a.dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("projects.json", `{"projects":{"/home/dev/by-registry":"registry","/home/dev/wrong":"root"}}`)
	write("tmp/root/.project_root", "/home/dev/by-root\n")
	context := `{"$set":{"messages":[{"id":"c","type":"user","content":[{"text":"<session_context>\n- **Workspace Directories:**\n  - /home/dev/elsewhere\n  - /home/dev/in-file\n- **Directory Structure:**"}]}]}}`
	for i, tt := range []struct{ slug, project, context, want string }{
		{"registry", hash("/home/dev/by-registry"), "", "/home/dev/by-registry"},
		{"root", hash("/home/dev/by-root"), "", "/home/dev/by-root"},
		{"file", hash("/home/dev/in-file"), context, "/home/dev/in-file"},
		{"old", "no hash", context, "/home/dev/elsewhere"},
		{"root", hash("/home/dev/wrong"), context, "/home/dev/wrong"},
		{"unknown", hash("/home/dev/x"), "", ""},
	} {
		id := fmt.Sprintf("%08d-x", i)
		write("tmp/"+tt.slug+"/chats/session-1-"+id[:8]+".jsonl", `{"sessionId":"`+id+`","projectHash":"`+tt.project+`"}`+"\n"+tt.context+"\n"+`{"id":"p","type":"user","content":"hi","timestamp":"2026-11-15T01:26:22.015Z"}`+"\n")
		if got, err := a.r.Session(t.Context(), id); err != nil || got.Dir != tt.want {
			t.Errorf("%s: folder %q, want %q, %v", tt.slug, got.Dir, tt.want, err)
		}
	}
}

func TestAFileWhoseFirstRowIsBeingWritten(t *testing.T) {
	a := newAgent(t)
	chats := filepath.Join(a.dir, "tmp", "x", "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(chats, "session-1-abcdefgh.jsonl")
	if err := os.WriteFile(file, []byte(`{"sessionId":"abcdefgh-1","pro`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, mark, err := a.r.Changed(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"sessionId":"abcdefgh-1","projectHash":"x"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed, _, _, err := a.r.Changed(t.Context(), mark); err != nil || len(changed) != 1 || changed[0] != "abcdefgh-1" {
		t.Errorf("changed %q, %v", changed, err)
	}
}

func TestASummaryIsTheTitle(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "fix the parser")
	a.row(s, data{"$set": data{"summary": "Parser fixed"}})
	if got, err := a.r.Session(t.Context(), s.id); err != nil || got.Title != "Parser fixed" {
		t.Errorf("session %+v, %v", got, err)
	}
}

func TestASubagentIsNoSessionOfTheUser(t *testing.T) {
	a := newAgent(t)
	id := a.Session("/home/dev/app", "")
	a.Prompt(id, "look")
	child := a.Delegate(id, "explore")
	a.Prompt(child, "explore")
	a.Finish(child, "found")
	a.Advance(time.Minute)
	list, err := a.r.Sessions(t.Context(), codememory.SessionQuery{})
	if err != nil || len(list) != 1 || list[0].ID != id {
		t.Errorf("sessions %+v, %v", list, err)
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
		text.WriteString(strings.ReplaceAll(string(exchange), "-caf9-4932-", fmt.Sprintf("-%08d-4932-", i)))
	}
	s.file = file
	a.raw(s, text.String())
	b.SetBytes(20 << 20)
	for b.Loop() {
		if got, err := gemini.New(gemini.Options{Dir: a.dir}).Turns(b.Context(), id, 4<<10); err != nil || len(got) < 100 {
			b.Fatal(len(got), err)
		}
	}
}

// Gemini CLI records no end of a turn; its hook AfterAgent tells it at once.
func TestAHookSaysThatATurnIsOver(t *testing.T) {
	a := newAgent(t)
	s := a.live[a.Session("/home/dev/app", "")]
	a.Prompt(s.id, "run it")
	a.Say(s.id, "I will run it")
	want(t, a, s.id, "prompt open: run it -> I will run it")
	a.r.TurnEnded(s.id, a.clock())
	want(t, a, s.id, "prompt done: run it -> I will run it")
	a.Advance(time.Second)
	a.Tool(s.id, "bash", "make", "ok") // a hook of somebody else's had it go on
	want(t, a, s.id, "prompt open: run it -> I will run it")
	a.r.TurnEnded(s.id, a.clock())
	want(t, a, s.id, "prompt open: run it -> I will run it") // the answer is not written yet
	a.Say(s.id, "ran")
	a.r.TurnEnded(s.id, a.clock())
	want(t, a, s.id, "prompt done: run it -> ran")
	a.Advance(time.Second)
	a.Prompt(s.id, "next")
	a.r.SessionEnded(s.id, a.clock())
	want(t, a, s.id, "prompt done: run it -> ran", "prompt aborted: next -> ")
}
