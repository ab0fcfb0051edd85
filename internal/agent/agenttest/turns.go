package agenttest

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func ordered(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	a.Prompt(s, "add a greeting")
	a.Say(s, "I will look first")
	a.Tool(s, "bash", "ls -la", "main.go\n")
	a.Tool(s, "bash", "cat main.go", "package main\n")
	a.Finish(s, "added")
	exchange(a, s, "thanks — großartig", "gern")
	turns := turnsOf(t, a, s)
	want := []string{"prompt done: add a greeting -> added", "prompt done: thanks — großartig -> gern"}
	if diff := cmp.Diff(want, outline(turns)); diff != "" {
		t.Fatal(diff)
	}
	var steps []string
	for _, step := range turns[0].Steps {
		if step.Tool != nil {
			steps = append(steps, step.Tool.Target+" => "+step.Tool.Output)
		} else {
			steps = append(steps, step.Text)
		}
		if step.At.IsZero() || step.Message == "" {
			t.Errorf("step %+v has no time or message", step)
		}
	}
	if diff := cmp.Diff([]string{"I will look first", "ls -la => main.go\n", "cat main.go => package main\n", "added"}, steps); diff != "" {
		t.Error(diff)
	}
	for i, turn := range turns {
		wellFormed(t, a, turn, s)
		if turn.Index != i+1 {
			t.Errorf("turn %d has index %d", i+1, turn.Index)
		}
		if i > 0 && turn.StartedAt.Before(turns[i-1].StartedAt) {
			t.Errorf("turn %d starts before the one before it", i+1)
		}
	}
}

// wellFormed checks what holds for every turn.
func wellFormed(t *testing.T, a Agent, turn codememory.Turn, session string) {
	t.Helper()
	if turn.Agent != a.Transcripts().Agent() || turn.Session != session || turn.ID == "" || turn.Dir == "" || turn.StartedAt.IsZero() {
		t.Errorf("turn %+v lacks something", turn)
	}
	if over := turn.State != codememory.TurnOpen; over == turn.EndedAt.IsZero() {
		t.Errorf("turn in state %s ended at %v", turn.State, turn.EndedAt)
	}
	if !turn.EndedAt.IsZero() && turn.EndedAt.Before(turn.StartedAt) {
		t.Errorf("turn ended %v before it started %v", turn.EndedAt, turn.StartedAt)
	}
	if !utf8.ValidString(turn.Prompt) || !utf8.ValidString(turn.Answer()) {
		t.Errorf("turn %s has text that is not UTF-8", turn.ID)
	}
}

func apart(t *testing.T, a Agent) {
	one, two := a.Session("/home/dev/one", "one"), a.Session("/home/dev/two", "two")
	a.Prompt(one, "first of one")
	a.Prompt(two, "first of two")
	a.Finish(one, "answer of one")
	a.Finish(two, "answer of two")
	for session, want := range map[string]string{one: "prompt done: first of one -> answer of one", two: "prompt done: first of two -> answer of two"} {
		turns := turnsOf(t, a, session)
		if diff := cmp.Diff([]string{want}, outline(turns)); diff != "" {
			t.Error(diff)
		}
	}
	if dir := turnsOf(t, a, two)[0].Dir; dir != "/home/dev/two" {
		t.Errorf("the second session works in %s", dir)
	}
}

func states(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	var want []string
	expect := func(last string) {
		t.Helper()
		if diff := cmp.Diff(append(slices.Clone(want), last), outline(turnsOf(t, a, s))); diff != "" {
			t.Error(diff)
		}
	}
	a.Prompt(s, "one")
	expect("prompt open: one -> ")
	a.Tool(s, "bash", "ls", "x")
	expect("prompt open: one -> ")
	a.Say(s, "so far")
	expect("prompt open: one -> so far")
	a.Finish(s, "done one")
	expect("prompt done: one -> done one")
	want = append(want, "prompt done: one -> done one")
	if aborter, ok := a.(Aborter); ok {
		a.Prompt(s, "two")
		a.Say(s, "half")
		aborter.Abort(s)
		expect("prompt aborted: two -> half")
		want = append(want, "prompt aborted: two -> half")
	}
	if failer, ok := a.(Failer); ok {
		a.Prompt(s, "three")
		failer.Fail(s, "the provider is on fire")
		expect("prompt failed: three -> ")
		turns := turnsOf(t, a, s)
		if got := turns[len(turns)-1].Error; !strings.Contains(got, "on fire") {
			t.Errorf("the failed turn says %q", got)
		}
		want = append(want, "prompt failed: three -> ")
	}
	a.Prompt(s, "four")
	expect("prompt open: four -> ")
}

func quiet(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	a.Prompt(s, "one")
	a.Tool(s, "bash", "ls", "x")
	a.Advance(a.Quiet() / 2)
	if got := turnsOf(t, a, s)[0].State; got != codememory.TurnOpen {
		t.Errorf("before the quiet time the turn is %s", got)
	}
	a.Advance(a.Quiet())
	turn := turnsOf(t, a, s)[0]
	if turn.State != codememory.TurnAborted || turn.Error == "" {
		t.Errorf("after the quiet time the turn is %s: %q", turn.State, turn.Error)
	}
	wellFormed(t, a, turn, s)
	for _, step := range turn.Steps {
		if step.Tool != nil && step.Tool.Running {
			t.Error("a tool still runs in a turn that is over")
		}
	}
	exchange(a, s, "two", "answer")
	if diff := cmp.Diff([]string{"prompt aborted: one -> ", "prompt done: two -> answer"}, outline(turnsOf(t, a, s))); diff != "" {
		t.Error(diff)
	}
}

func replay(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	for range 3 {
		a.Prompt(s, "again")
		a.Tool(s, "bash", "ls", "x")
		a.Finish(s, "same")
	}
	exchange(a, s, "other", "different")
	before := turnsOf(t, a, s)
	exchange(a, s, "later", "on")
	after := turnsOf(t, a, s)
	if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
		t.Errorf("turns that were over changed: %s", diff)
	}
	for i := range before {
		if before[i].Hash() != after[i].Hash() {
			t.Errorf("turn %d has another hash", i+1)
		}
	}
	ids := map[string]bool{}
	for _, turn := range after {
		ids[turn.ID] = true
	}
	if len(ids) != len(after) {
		t.Errorf("%d ids for %d turns", len(ids), len(after))
	}
	if before[0].Hash() == before[3].Hash() {
		t.Error("different turns have one hash")
	}
}

func cuts(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	long := strings.Repeat("0123456789äöü\n", 2000)
	a.Prompt(s, "run it")
	a.Tool(s, "bash", "make", long)
	a.Tool(s, "bash", "true", "short")
	a.Finish(s, "ran")
	outputs := func(limit int) (out []string) {
		t.Helper()
		turns, err := a.Transcripts().Turns(t.Context(), s, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range turns[0].Steps {
			if step.Tool != nil {
				out = append(out, step.Tool.Output)
			}
		}
		return out
	}
	all := outputs(0)
	if len(all) != 2 || all[0] != long {
		t.Fatalf("without a limit %d outputs, the first of %d bytes, want %d", len(all), len(all[0]), len(long))
	}
	for _, limit := range []int{1, 100, 1000} {
		got := outputs(limit)
		if len(got[0]) > limit || !utf8.ValidString(got[0]) {
			t.Errorf("limit %d gave %d bytes: %q", limit, len(got[0]), got[0])
		}
		if limit >= len("short") && got[1] != "short" {
			t.Errorf("limit %d changed a short output to %q", limit, got[1])
		}
	}
}

func undone(t *testing.T, a Agent) {
	undoer := can[Undoer](t, a)
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "one", "first")
	exchange(a, s, "two", "second")
	undoer.Undo(s)
	if diff := cmp.Diff([]string{"prompt done: one -> first"}, outline(turnsOf(t, a, s))); diff != "" {
		t.Error(diff)
	}
}

func forked(t *testing.T, a Agent) {
	forker := can[Forker](t, a)
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "one", "first")
	exchange(a, s, "two", "second")
	fork := forker.Fork(s)
	exchange(a, fork, "three", "third")
	origin, copied := turnsOf(t, a, s), turnsOf(t, a, fork)
	if len(origin) != 2 || len(copied) != 3 {
		t.Fatalf("%d and %d turns", len(origin), len(copied))
	}
	for i := range origin {
		if origin[i].Hash() != copied[i].Hash() || copied[i].Session != fork {
			t.Errorf("turn %d of the fork: %+v", i+1, copied[i])
		}
	}
}

func compacted(t *testing.T, a Agent) {
	compacter := can[Compacter](t, a)
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "one", "first")
	compacter.Compact(s, "what happened so far")
	exchange(a, s, "two", "second")
	turns := turnsOf(t, a, s)
	var kinds []codememory.TurnKind
	for _, turn := range turns {
		kinds = append(kinds, turn.Kind)
	}
	if diff := cmp.Diff([]codememory.TurnKind{codememory.PromptTurn, codememory.CompactionTurn, codememory.PromptTurn}, kinds); diff != "" {
		t.Fatal(diff)
	}
	if got := turns[1]; got.Answer() != "what happened so far" || got.State != codememory.TurnDone || len(got.Steps) != 1 {
		t.Errorf("compaction %+v", got)
	}
}

func delegated(t *testing.T, a Agent) {
	delegator := can[Delegator](t, a)
	s := a.Session("/home/dev/app", "work")
	a.Prompt(s, "find it")
	child := delegator.Delegate(s, "explore")
	exchange(a, child, "explore the folder", "two files")
	a.Finish(s, "found")
	var children []string
	for _, step := range turnsOf(t, a, s)[0].Steps {
		if step.Tool != nil && step.Tool.Child != "" {
			children = append(children, step.Tool.Child)
		}
	}
	if diff := cmp.Diff([]string{child}, children); diff != "" {
		t.Error(diff)
	}
	if got := turnsOf(t, a, child)[0]; got.Parent != s {
		t.Errorf("the child's turn has the parent %q, want %q", got.Parent, s)
	}
}

func shell(t *testing.T, a Agent) {
	sheller := can[Sheller](t, a)
	s := a.Session("/home/dev/app", "work")
	sheller.Shell(s, "make test", "ok\n")
	turn := turnsOf(t, a, s)[0]
	if turn.Kind != codememory.ShellTurn || turn.Prompt != "make test" || turn.State != codememory.TurnDone || len(turn.Steps) != 1 || turn.Steps[0].Tool.Output != "ok\n" {
		t.Errorf("turn %+v", turn)
	}
}

// pause is long enough that records written before and after differ in time.
const pause = 2 * time.Second
