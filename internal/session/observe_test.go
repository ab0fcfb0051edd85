package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// turn is a closed turn that began so many minutes into the session.
func turn(minute int, prompt, answer string, changes ...codememory.FileChange) codememory.Turn {
	at := begin.Add(time.Duration(minute) * time.Minute)
	t := codememory.Turn{
		Agent: "opencode", Session: "ses_1", ID: fmt.Sprintf("msg_%d", minute), Dir: "/work/app", Kind: codememory.PromptTurn,
		State: codememory.TurnDone, StartedAt: at, EndedAt: at.Add(30 * time.Second), Prompt: prompt,
	}
	for _, c := range changes {
		t.Steps = append(t.Steps, codememory.Step{Tool: &codememory.ToolCall{Name: "edit", Changed: []codememory.FileChange{c}}})
	}
	t.Steps = append(t.Steps, codememory.Step{Text: answer})
	return t
}

func created(p string) codememory.FileChange {
	return codememory.FileChange{Path: p, Change: codememory.FileCreated}
}

func modified(p string) codememory.FileChange {
	return codememory.FileChange{Path: p, Change: codememory.FileModified}
}

func deleted(p string) codememory.FileChange {
	return codememory.FileChange{Path: p, Change: codememory.FileDeleted}
}

func TestASessionThatNeverCalledTheToolStillHasARecord(t *testing.T) {
	var r Record
	r.Observe(turn(0, "Fix the login bug.\n```\nstack\n```", "Found it.", modified("/work/app/auth/login.go")), ObserveOptions{Root: "/work/app"})
	last := turn(5, "Now add a test", "Working on it.", created("/work/app/auth/login_test.go"))
	last.State = codememory.TurnAborted
	last.Steps = append(last.Steps, codememory.Step{Tool: &codememory.ToolCall{
		Name: "todowrite", Input: json.RawMessage(`{"todos":[{"content":"write it","status":"completed"},{"content":"run it","status":"pending"}]}`),
	}})
	r.Observe(last, ObserveOptions{Root: "/work/app"})
	got, err := Parse(Render(r))
	if err != nil {
		t.Fatal(err)
	}
	want := Record{
		ID: "ses_1", Agent: "opencode", Goal: "Fix the login bug.", Status: StatusOpen, Trigger: TriggerAuto,
		StartedAt: begin, UpdatedAt: begin.Add(5*time.Minute + 30*time.Second),
		Files: []codememory.FileChange{created("auth/login_test.go"), modified("auth/login.go")},
		Turns: []TurnNote{
			{ID: "msg_0", At: begin, Asked: "Fix the login bug.", Done: "Found it."},
			{ID: "msg_5", At: begin.Add(5 * time.Minute), Asked: "Now add a test", Done: "Working on it.", Open: "the user stopped it before it was done; run it"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if open := got.LeftOpen(); len(open) != 1 || !strings.Contains(open[0], "run it") {
		t.Errorf("left open: %q", open)
	}
}

func TestObserveLeavesWhatTheModelStated(t *testing.T) {
	var r Record
	if err := r.Apply(goldenCheckpoint()); err != nil {
		t.Fatal(err)
	}
	before := r.clone()
	if !r.Observe(turn(9, "go on", "Done with C."), ObserveOptions{}) {
		t.Fatal("nothing was observed")
	}
	r.Turns, r.UpdatedAt = nil, before.UpdatedAt
	if diff := cmp.Diff(before, r); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}

func TestTheNetEffectOnFiles(t *testing.T) {
	tests := map[string]struct {
		turns [][]codememory.FileChange
		want  []codememory.FileChange
	}{
		"created then modified is created":      {[][]codememory.FileChange{{created("a")}, {modified("a")}}, []codememory.FileChange{created("a")}},
		"created then deleted is gone":          {[][]codememory.FileChange{{created("a"), modified("b")}, {deleted("a")}}, []codememory.FileChange{modified("b")}},
		"created, deleted, created is created":  {[][]codememory.FileChange{{created("a"), deleted("a")}, {created("a")}}, []codememory.FileChange{created("a")}},
		"modified then deleted is deleted":      {[][]codememory.FileChange{{modified("a")}, {deleted("a")}}, []codememory.FileChange{deleted("a")}},
		"deleted then created is modified":      {[][]codememory.FileChange{{deleted("a")}, {created("a")}}, []codememory.FileChange{modified("a")}},
		"written though it was there":           {[][]codememory.FileChange{{modified("a")}, {created("a")}}, []codememory.FileChange{modified("a")}},
		"our own files are not the session's":   {[][]codememory.FileChange{{modified("/work/app/.codememory/sessions/x.md"), modified("/work/app/a")}}, []codememory.FileChange{modified("a")}},
		"outside of the project stays absolute": {[][]codememory.FileChange{{modified("/etc/hosts"), modified("/work/application/x")}}, []codememory.FileChange{modified("/etc/hosts"), modified("/work/application/x")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var r Record
			for i, changes := range tt.turns {
				r.Observe(turn(i, "x", "y", changes...), ObserveOptions{Root: "/work/app"})
			}
			if diff := cmp.Diff(tt.want, clean(r).Files); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestAReplayChangesNothing(t *testing.T) {
	var r Record
	var turns []codememory.Turn
	for i := range 15 {
		turns = append(turns, turn(i, fmt.Sprintf("prompt %d", i), "ok", created(fmt.Sprint("f", i)), deleted(fmt.Sprint("f", i-1))))
	}
	compaction := turn(20, "", "summary")
	compaction.Kind = codememory.CompactionTurn
	turns = append(turns, compaction)
	for _, x := range turns {
		if !r.Observe(x, ObserveOptions{}) {
			t.Fatalf("turn %s is news", x.ID)
		}
	}
	if len(r.Turns) != maxTurns || r.Turns[0].Asked != "prompt 5" || r.Trigger != TriggerCompaction {
		t.Errorf("%d turns from %q, trigger %s", len(r.Turns), r.Turns[0].Asked, r.Trigger)
	}
	before := r.clone()
	for _, x := range turns {
		if r.Observe(x, ObserveOptions{}) {
			t.Errorf("turn %s was taken twice", x.ID)
		}
	}
	if diff := cmp.Diff(before, r); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
	open := turn(30, "still going", "")
	open.State = codememory.TurnOpen
	if r.Observe(open, ObserveOptions{}) {
		t.Error("an open turn may still change")
	}
}

func TestObserveRedactsWhatItKeeps(t *testing.T) {
	var r Record
	x := turn(0, "use hunter2", "hunter2 works")
	x.State, x.Error = codememory.TurnFailed, "hunter2 refused"
	x.Steps = append(x.Steps, codememory.Step{Tool: &codememory.ToolCall{Name: "TodoWrite", Input: json.RawMessage(`{"todos":[{"content":"rotate hunter2"}]}`)}})
	r.Observe(x, ObserveOptions{Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }})
	if text := Render(r); strings.Contains(text, "hunter2") || strings.Count(text, "[secret]") != 5 {
		t.Errorf("got\n%s", text)
	}
}
