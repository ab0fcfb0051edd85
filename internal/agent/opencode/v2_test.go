package opencode_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory/internal/agent/opencode/opencodetest"
)

// TestTurnsOfTheSecondStore reads rows as the schema of session_message has
// them, in its older and its newer form.
func TestTurnsOfTheSecondStore(t *testing.T) {
	s := newScene(t)
	ses := s.Session("/home/dev/app", "work")
	big := strings.Repeat("x", 300<<10)
	ses.V2("agent-switched", data{"agent": "build"})
	ses.V2("user", data{"text": "look at it", "files": []data{{"name": "a.txt", "uri": "file:///a.txt"}}, "time": data{"created": s.Now.UnixMilli()}})
	ses.V2("assistant", data{
		"agent": "build", "model": data{"id": "m", "providerID": "scripted"}, "finish": "tool-calls", "tokens": data{"input": 10, "output": 2, "cache": data{"read": 5}},
		"content": []data{
			{"type": "reasoning", "text": "thinking"},
			{"type": "text", "text": "reading"},
			{"type": "tool", "id": "c1", "name": "bash", "time": data{"created": s.Now.UnixMilli()}, "state": data{
				"status": "completed", "input": data{"command": "cat a.txt"},
				"content": []data{{"type": "text", "text": "hello"}}, "structured": data{"exit": 0},
			}},
			{"type": "tool", "id": "c2", "name": "read", "state": data{"status": "error", "input": data{"filePath": "/x"}, "error": data{"type": "unknown", "message": "no such file"}}},
		}, "time": data{"created": s.Now.UnixMilli(), "completed": s.Now.UnixMilli() + 5},
	})
	ses.V2("assistant", data{
		"model": data{"id": "m", "providerID": "scripted"}, "finish": "stop", "tokens": data{"input": 20, "output": 2, "cache": data{"read": 5}},
		"content": []data{{"type": "text", "text": "it says hello"}}, "time": data{"created": s.Now.UnixMilli(), "completed": s.Now.UnixMilli() + 5},
	})
	ses.V2("compaction", data{"reason": "auto", "summary": "they read a file", "recent": ""})
	ses.V2("synthetic", data{"text": "Continue"})
	ses.V2("shell", data{"callID": "c3", "command": "make", "output": "ok\n", "time": data{"created": s.Now.UnixMilli(), "completed": s.Now.UnixMilli()}})
	ses.V2("shell", data{"shellID": "s", "command": "make test", "status": "exited", "exit": 2, "output": data{"output": "bad\n"}, "time": data{"created": s.Now.UnixMilli()}})
	ses.V2("user", "{broken")
	ses.V2("user", data{"text": "stop this"})
	ses.V2("assistant", data{"content": []data{{"type": "text", "text": "half"}, {
		"type": "tool", "id": "c4", "name": "bash",
		"state": data{"status": "completed", "input": data{"command": "yes"}, "content": []data{{"type": "text", "text": big}}},
	}}})
	ses.V2("idle", data{"outcome": "interrupted"})
	ses.V2("compaction", data{"status": "running", "reason": "manual", "summary": "", "recent": ""})
	ses.V2("from-the-future", data{"text": "?"})

	got, err := s.r.Turns(t.Context(), ses.ID, 1000)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"prompt done: look at it\n[attached: a.txt] -> it says hello",
		"compaction done: auto -> they read a file",
		"shell done: make -> ",
		"shell done: make test -> ",
		"prompt aborted: stop this -> half",
		"compaction open: manual -> ",
	}
	if diff := cmp.Diff(want, outline(got)); diff != "" {
		t.Fatal(diff)
	}
	first := got[0]
	if first.Model != "scripted/m" || first.Tokens.Total != 27 || len(first.Steps) != 4 {
		t.Errorf("turn %+v", first)
	}
	if bash := first.Steps[1].Tool; bash.Output != "hello" || bash.Target != "cat a.txt" || bash.Exit == nil {
		t.Errorf("bash %+v", bash)
	}
	if read := first.Steps[2].Tool; read.Error != "no such file" {
		t.Errorf("read %+v", read)
	}
	if shell := got[3].Steps[0].Tool; shell.Output != "bad\n" || *shell.Exit != 2 {
		t.Errorf("shell %+v", shell)
	}
	if long := got[4].Steps[1].Tool; len(long.Output) > 1000 || !strings.Contains(long.Output, "307200 bytes in all") || long.Target != "yes" {
		t.Errorf("long output %+v", long)
	}
	c, err := s.r.Compactions(t.Context(), ses.ID)
	if err != nil || len(c) != 2 || !c[0].Auto || c[0].Summary != "they read a file" || c[1].Auto {
		t.Errorf("compactions %+v, %v", c, err)
	}
	if _, err := s.r.Usage(t.Context(), ses.ID); err != nil {
		t.Error(err)
	}
	if line, err := s.r.Check(t.Context()); err != nil || !strings.Contains(line, "1 row with damaged JSON skipped") {
		t.Errorf("check %q, %v", line, err)
	}
}

func TestTheStoreThatHasRowsIsRead(t *testing.T) {
	s := newScene(t)
	first, second, both := s.Session("/app", "v1"), s.Session("/app", "v2"), s.Session("/app", "both")
	first.Turn("one", "v1")
	second.V2("user", data{"text": "two"})
	both.Turn("old", "v1")
	both.V2("user", data{"text": "new"})
	both.V2("assistant", data{"finish": "stop", "content": []data{{"type": "text", "text": "v2"}}})
	for ses, want := range map[*opencodetest.Session]string{first: "prompt done: one -> v1", second: "prompt open: two -> ", both: "prompt done: new -> v2"} {
		if diff := cmp.Diff([]string{want}, outline(turns(t, s.r, ses.ID))); diff != "" {
			t.Error(diff)
		}
	}
	_, _, mark, err := s.r.Changed(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	second.V2("assistant", data{"finish": "stop", "content": []data{{"type": "text", "text": "answer"}}})
	changed, _, _, err := s.r.Changed(t.Context(), mark)
	if diff := cmp.Diff([]string{second.ID}, changed); diff != "" || err != nil {
		t.Error(diff, err)
	}
	got, err := s.r.Session(t.Context(), second.ID)
	if err != nil || got.Messages != 2 || got.ActiveAt.Before(got.CreatedAt) {
		t.Errorf("session %+v, %v", got, err)
	}
}
