package opencode_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
)

type data = opencodetest.Data

// TestTurns scripts what the real program was seen to write, and some that it
// may write.
func TestTurns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		script func(s *scene, ses *opencodetest.Session)
		want   []string
	}{
		{"text that is not yet there", func(_ *scene, ses *opencodetest.Session) {
			ses.Assistant(ses.User("go")).Text("")
		}, []string{"prompt open: go -> "}},
		{"a stop with tool calls goes on", func(_ *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("go"))
			m.Tool("bash", data{"command": "ls"}).Complete("x", nil)
			m.Finish("stop")
		}, []string{"prompt open: go -> "}},
		{"tools that the provider ran do not", func(_ *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("go"))
			tool := m.Tool("websearch", data{"query": "go"})
			tool.Data["metadata"] = data{"providerExecuted": true}
			tool.Complete("x", nil)
			m.Text("found")
			m.Finish("stop")
		}, []string{"prompt done: go -> found"}},
		{"nor tools that were left behind by a retry", func(_ *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("go"))
			tool := m.Tool("bash", data{"command": "ls"})
			tool.State()["metadata"] = data{"interrupted": true}
			tool.Fail("Tool execution aborted")
			m.Text("well")
			m.Finish("stop")
		}, []string{"prompt done: go -> well"}},
		{"an unknown reason is an end only when nothing follows", func(s *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("go"))
			m.Text("hm")
			m.Finish("unknown")
		}, []string{"prompt open: go -> hm"}},
		{"an unknown reason is an end after a while", func(s *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("go"))
			m.Text("hm")
			m.Finish("unknown")
			s.Now = s.Now.Add(5 * time.Second)
		}, []string{"prompt done: go -> hm"}},
		{"a question that waits in the queue does not end the running turn", func(_ *scene, ses *opencodetest.Session) {
			ses.Assistant(ses.User("first")).Text("working")
			ses.User("second")
		}, []string{"prompt open: first -> working", "prompt open: second -> "}},
		{"a question sent meanwhile is answered in the next step", func(_ *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("first"))
			second := ses.User("second")
			m.Tool("bash", data{"command": "ls"}).Complete("x", nil)
			m.Finish("tool-calls")
			m = ses.Assistant(second)
			m.Text("both")
			m.Finish("stop")
		}, []string{"prompt done: first -> ", "prompt done: second -> both"}},
		{"a killed process leaves a turn that the next one ends", func(_ *scene, ses *opencodetest.Session) {
			ses.Assistant(ses.User("first")).Tool("bash", data{"command": "sleep 9"})
			ses.Turn("second", "answer")
		}, []string{"prompt aborted: first -> ", "prompt done: second -> answer"}},
		{"so does one between two steps", func(_ *scene, ses *opencodetest.Session) {
			ses.Assistant(ses.User("first")).Finish("tool-calls")
			ses.Turn("second", "answer")
		}, []string{"prompt aborted: first -> ", "prompt done: second -> answer"}},
		{"a refused tool ends the turn", func(s *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("go"))
			m.Tool("bash", data{"command": "rm -rf /"}).Fail("The user rejected permission to use this specific tool call.")
			m.Finish("tool-calls")
			s.Now = s.Now.Add(5 * time.Second)
		}, []string{"prompt aborted: go -> "}},
		{"a turn waits for its subagent", func(s *scene, ses *opencodetest.Session) {
			tool := ses.Assistant(ses.User("go")).Tool("task", data{"description": "explore"})
			child := ses.Child("explore")
			tool.State()["metadata"] = data{"sessionId": child.ID}
			tool.Save()
			s.Now = s.Now.Add(20 * time.Minute)
			child.User("explore")
		}, []string{"prompt open: go -> "}},
		{"synthetic, ignored and our own text are not the user's words", func(_ *scene, ses *opencodetest.Session) {
			m := ses.User("<codememory>remember this</codememory>what\n")
			m.Part(data{"type": "text", "text": "[MEMORY] injected", "synthetic": true})
			m.Part(data{"type": "text", "text": "only shown", "ignored": true})
			m.Part(data{"type": "text", "text": " and why "})
			a := ses.Assistant(m)
			a.Text("because")
			a.Finish("stop")
		}, []string{"prompt done: what\nand why -> because"}},
		{"a message of ours alone opens no turn", func(_ *scene, ses *opencodetest.Session) {
			ses.Turn("one", "first")
			ses.User("<codememory>block</codememory>")
			ses.Synthetic("note")
		}, []string{"prompt done: one -> first"}},
		{"an attachment alone goes with the turn before it", func(_ *scene, ses *opencodetest.Session) {
			ses.Turn("one", "first")
			m := ses.Message("user", nil)
			m.File("shot.png", "data:image/png;base64,AAAA")
			a := ses.Assistant(m)
			a.Text("a picture")
			a.Finish("stop")
		}, []string{"prompt done: one -> a picture"}},
		{"an attachment alone that is the first is kept", func(_ *scene, ses *opencodetest.Session) {
			m := ses.Message("user", nil)
			m.File("shot.png", "data:image/png;base64,AAAA")
			a := ses.Assistant(m)
			a.Text("a picture")
			a.Finish("stop")
		}, []string{"prompt done: [attached: shot.png] -> a picture"}},
		{"files are named by their address too", func(_ *scene, ses *opencodetest.Session) {
			m := ses.User("look")
			m.Part(data{"type": "file", "url": "file:///home/dev/a%20b.txt?start=1"})
			m.Part(data{"type": "file", "url": "data:text/plain,x"})
		}, []string{"prompt open: look\n[attached: a%20b.txt] -> "}},
		{"a command that runs as a subtask", func(_ *scene, ses *opencodetest.Session) {
			m := ses.Message("user", nil)
			m.Part(data{"type": "subtask", "prompt": "review the diff", "description": "review", "agent": "general", "command": "review"})
			step := ses.Assistant(m)
			step.Tool("task", data{"description": "review"}).Complete("fine", nil)
			step.Finish("tool-calls")
			m = ses.Synthetic("Summarize the task tool output above and continue with your task.")
			step = ses.Assistant(m)
			step.Text("reviewed")
			step.Finish("stop")
		}, []string{"prompt done: review the diff -> reviewed"}},
		{"auto compaction in the middle of a turn", func(_ *scene, ses *opencodetest.Session) {
			ses.Assistant(ses.User("big")).Finish("tool-calls")
			ses.Compact("auto", "summary")
			a := ses.Assistant(ses.Synthetic(opencodetest.ContinueText))
			a.Text("went on")
			a.Finish("stop")
		}, []string{"prompt done: big -> went on", "compaction done: auto -> summary"}},
		{"a compaction that waits for its model", func(_ *scene, ses *opencodetest.Session) {
			ses.Assistant(ses.User("big")).Finish("tool-calls")
			m := ses.Message("user", nil)
			m.Part(data{"type": "compaction", "auto": true})
			ses.Message("assistant", data{"parentID": m.ID, "summary": true, "agent": "compaction"})
		}, []string{"prompt open: big -> ", "compaction open: auto -> "}},
		{"a compaction that never got to its model", func(s *scene, ses *opencodetest.Session) {
			ses.Turn("one", "first")
			ses.Message("user", nil).Part(data{"type": "compaction", "auto": false})
			ses.Turn("two", "second")
		}, []string{"prompt done: one -> first", "compaction aborted: manual -> ", "prompt done: two -> second"}},
		{"the same words after an overflow are one turn", func(_ *scene, ses *opencodetest.Session) {
			ses.Assistant(ses.User("too long"))
			ses.Compact("overflow", "summary")
			ses.Turn("too long", "recovered")
		}, []string{"prompt done: too long -> recovered", "compaction done: overflow -> summary"}},
		{"the same words after another compaction are two", func(_ *scene, ses *opencodetest.Session) {
			ses.Turn("again", "one")
			ses.Compact("manual", "summary")
			ses.Turn("again", "two")
		}, []string{"prompt done: again -> one", "compaction done: manual -> summary", "prompt done: again -> two"}},
		{"undo hides from a message on", func(_ *scene, ses *opencodetest.Session) {
			ses.Turn("one", "first")
			user, _ := ses.Turn("two", "second")
			ses.Turn("three", "third")
			ses.Revert(user.ID, "")
		}, []string{"prompt done: one -> first"}},
		{"undo of a part keeps what was before it", func(s *scene, ses *opencodetest.Session) {
			m := ses.Assistant(ses.User("one"))
			m.Text("kept")
			gone := m.Text("gone")
			m.Finish("stop")
			ses.Turn("two", "second")
			ses.Revert(m.ID, gone.ID)
		}, []string{"prompt done: one -> kept"}},
		{"an undo that was taken back", func(_ *scene, ses *opencodetest.Session) {
			user, _ := ses.Turn("one", "first")
			ses.Revert(user.ID, "")
			ses.Unrevert()
		}, []string{"prompt done: one -> first"}},
		{"an undo of a message that has gone", func(_ *scene, ses *opencodetest.Session) {
			ses.Turn("one", "first")
			ses.Revert("msg_gone", "")
		}, []string{"prompt done: one -> first"}},
		{"a question that cannot be read keeps its answer", func(s *scene, ses *opencodetest.Session) {
			ses.Turn("one", "first")
			user, _ := ses.Turn("two", "second")
			s.Exec("UPDATE message SET data = '{' WHERE id = ?", user.ID)
		}, []string{"prompt done: one -> first", "prompt done:  -> second"}},
		{"a compaction that cannot be read keeps its summary", func(s *scene, ses *opencodetest.Session) {
			user, _ := ses.Compact("manual", "summary")
			s.Exec("UPDATE message SET data = '{' WHERE id = ?", user.ID)
		}, []string{"compaction done:  -> summary"}},
		{"a command of the user that still runs", func(_ *scene, ses *opencodetest.Session) {
			m := ses.Message("assistant", data{"parentID": ses.Synthetic(opencodetest.ShellText).ID})
			m.Tool("bash", data{"command": "make"})
		}, []string{"shell open: make -> "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			ses := s.Session("/home/dev/app", "work")
			tt.script(s, ses)
			if diff := cmp.Diff(tt.want, outline(turns(t, s.r, ses.ID))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOrderSurvivesTheWrapOfIDs(t *testing.T) {
	s := newScene(t)
	// Every 2^48 / 4096 milliseconds the ids begin again at zero, last in August 2026.
	wrap := time.UnixMilli(26 << 36)
	s.Now = wrap.Add(-time.Second)
	ses := s.Session("/home/dev/app", "work")
	one, _ := ses.Turn("before", "one")
	s.Now = wrap.Add(time.Second)
	two, _ := ses.Turn("after", "two")
	if one.ID < two.ID {
		t.Fatalf("ids %s and %s do not wrap", one.ID, two.ID)
	}
	want := []string{"prompt done: before -> one", "prompt done: after -> two"}
	if diff := cmp.Diff(want, outline(turns(t, s.r, ses.ID))); diff != "" {
		t.Error(diff)
	}
}

func TestChangedFiles(t *testing.T) {
	s := newScene(t)
	ses := s.Session("/home/dev/app", "work")
	user := ses.User("change things")
	m := ses.Assistant(user)
	m.Tool("write", data{"filePath": "new.go"}).Complete("", data{"exists": false})
	m.Tool("write", data{"filePath": "/home/dev/app/old.go"}).Complete("", data{"exists": true})
	m.Tool("edit", data{"filePath": "/home/dev/app/e.go"}).Complete("", data{"diff": "--- e.go\n+++ e.go\n@@ -1,1 +1,1 @@\n"})
	m.Tool("edit", data{"filePath": "/home/dev/app/born.go"}).Complete("", data{"diff": "--- b\n+++ b\n@@ -0,0 +1,1 @@\n"})
	m.Tool("apply_patch", data{"patchText": "*** Begin Patch\n*** Add File: p/a.go\n+x\n*** Update File: p/u.go\n*** Delete File: p/d.go\n"}).Complete("", nil)
	m.Tool("apply_patch", data{}).Complete("", data{"files": []data{{"filePath": "/home/dev/app/x.go", "movePath": "/home/dev/app/y.go", "type": "move"}}})
	m.Tool("edit", data{"filePath": "/home/dev/app/no.go"}).Fail("no match")
	m.Tool("bash", data{"command": "rm gone.go && touch made.go"}).Complete("", data{"exit": 0})
	m.Part(data{"type": "patch", "hash": "1", "files": []string{"/home/dev/app/gone.go", "/home/dev/app/made.go", "/home/dev/app/e.go", "/home/dev/app/touched.go"}})
	m.Finish("tool-calls")
	user.Data["summary"] = data{"diffs": []data{{"file": "app/gone.go", "status": "deleted"}, {"file": "app/made.go", "status": "added"}}}
	user.Save()
	var got []string
	for _, step := range turns(t, s.r, ses.ID)[0].Steps {
		for _, c := range step.Tool.Changed {
			got = append(got, step.Tool.Name+" "+string(c.Change)+" "+strings.TrimPrefix(c.Path, "/home/dev/app/"))
		}
	}
	want := []string{
		"write created new.go", "write modified old.go", "edit modified e.go", "edit created born.go", "apply_patch created p/a.go", "apply_patch modified p/u.go",
		"apply_patch deleted p/d.go", "apply_patch deleted x.go", "apply_patch created y.go", "bash deleted gone.go", "bash created made.go", "bash modified touched.go",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestQuietTimeIsConfigurable(t *testing.T) {
	s := newScene(t)
	ses := s.Session("/home/dev/app", "work")
	ses.Assistant(ses.User("go"))
	r := reader(t, opencode.Options{Path: s.Path, Quiet: time.Hour, Now: func() time.Time { return s.Now }})
	for _, tt := range []struct {
		after time.Duration
		want  codememory.TurnState
	}{{30 * time.Minute, codememory.TurnOpen}, {31 * time.Minute, codememory.TurnAborted}} {
		s.Now = s.Now.Add(tt.after)
		if got := turns(t, r, ses.ID)[0].State; got != tt.want {
			t.Errorf("after another %v the turn is %s, want %s", tt.after, got, tt.want)
		}
	}
}

func TestLongOutputIsCutWhileReading(t *testing.T) {
	s := newScene(t)
	ses := s.Session("/home/dev/app", "work")
	m := ses.Assistant(ses.User("go"))
	const size = 4 << 20 // 50 MB take the same memory, and a minute with the race detector
	// SQLite makes the output, so that the test does not hold it either.
	tool := m.Tool("bash", data{"command": "yes"})
	tool.Complete("OUTPUT", data{"exit": 141, "output": "OUTPUT"})
	s.Exec("UPDATE part SET data = replace(data, 'OUTPUT', printf('%.*c', ?, 'y')) WHERE id = ?", size/2, tool.ID)
	m.Finish("tool-calls")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := s.r.Turns(t.Context(), ses.ID, 2000)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 2<<20 {
		t.Errorf("reading 2 KB of a long output took %d bytes of memory", taken)
	}
	call := got[0].Steps[0].Tool
	if len(call.Output) > 2000 || !strings.HasSuffix(call.Output, fmt.Sprintf("[… cut, %d bytes in all]", size/2)) {
		t.Errorf("%d bytes of output: …%s", len(call.Output), call.Output[max(0, len(call.Output)-60):])
	}
	if call.Exit == nil || *call.Exit != 141 || call.Target != "yes" || call.Name != "bash" {
		t.Errorf("call %+v", call)
	}
	got, err = s.r.Turns(t.Context(), ses.ID, 0)
	if err != nil || len(got[0].Steps[0].Tool.Output) != size/2 {
		t.Errorf("without a limit: %v", err)
	}
}

func TestBigRowsOfOtherKinds(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ses := s.Session("/home/dev/app", "work")
	big := strings.Repeat("ä", 150<<10)
	user := ses.User("start " + big)
	user.Part(data{"type": "file", "mime": "image/png", "filename": "shot.png", "url": "data:image/png;base64," + big})
	user.Data["summary"] = data{"diffs": []data{{"file": "made.go", "status": "added", "patch": big}}}
	user.Save()
	m := ses.Assistant(user)
	m.Tool("write", data{"filePath": "/home/dev/app/big.txt", "content": big}).Complete("ok", data{"exists": false, "sessionId": "ses_x", "diff": big})
	m.Tool("bash", data{"command": "touch made.go"}).Complete("", nil)
	m.Part(data{"type": "patch", "files": []string{"/home/dev/app/made.go"}})
	m.Part(`{"type":"text","text":"` + big) // broken, and big
	m.Text("end " + big)
	m.Finish("stop")
	got := turns(t, s.r, ses.ID)
	if len(got) != 1 {
		t.Fatalf("%d turns", len(got))
	}
	if p := got[0].Prompt; !strings.HasPrefix(p, "start ä") || !strings.HasSuffix(p, "\n[attached: shot.png]") {
		t.Errorf("prompt %.20s … %s", p, p[len(p)-40:])
	}
	write, bash := got[0].Steps[0].Tool, got[0].Steps[1].Tool
	if write.Target != "/home/dev/app/big.txt" || len(write.Input) > 64<<10 || write.Child != "ses_x" || write.Changed[0].Change != codememory.FileCreated {
		t.Errorf("write %.300s", fmt.Sprintf("%+v", write))
	}
	if diff := cmp.Diff([]codememory.FileChange{{Path: "/home/dev/app/made.go", Change: codememory.FileCreated}}, bash.Changed); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(got[0].Answer(), "end ä") {
		t.Errorf("answer %.20s", got[0].Answer())
	}
}
