package agenttest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func changes(t *testing.T, a Agent) {
	_, _, mark := changedSince(t, a, "")
	one := a.Session("/home/dev/app", "one")
	exchange(a, one, "first", "answer")
	a.Advance(pause)
	two := a.Session("/home/dev/app", "two")
	exchange(a, two, "second", "answer")

	changed, deleted, mark := changedSince(t, a, mark)
	if diff := cmp.Diff([]string{one, two}, changed); diff != "" || len(deleted) > 0 {
		t.Errorf("new sessions, oldest first: %s deleted %q", diff, deleted)
	}
	for range 3 {
		var next string
		if changed, deleted, next = changedSince(t, a, mark); len(changed)+len(deleted) > 0 || next != mark {
			t.Errorf("nothing happened, but changed %q, deleted %q, same mark %v", changed, deleted, next == mark)
		}
		mark = next
	}
	// Each of these writes to one session, some of them in place.
	for i, write := range []func(){
		func() { a.Prompt(one, "third") },
		func() { a.Say(one, "working") },
		func() { a.Tool(one, "bash", "ls", "x") },
		func() { a.Finish(one, "done") },
	} {
		a.Advance(pause)
		write()
		changed, deleted, mark = changedSince(t, a, mark)
		if diff := cmp.Diff([]string{one}, changed); diff != "" || len(deleted) > 0 {
			t.Errorf("write %d: %s deleted %q", i, diff, deleted)
		}
	}
	a.Advance(pause)
	exchange(a, two, "fourth", "answer")
	a.Advance(pause)
	exchange(a, one, "fifth", "answer")
	if changed, _, _ = changedSince(t, a, mark); !slices.Equal(changed, []string{two, one}) {
		t.Errorf("changed %q, want the oldest change first: %q", changed, []string{two, one})
	}
}

func oldMarks(t *testing.T, a Agent) {
	var sessions, marks []string
	for i := range 4 {
		s := a.Session("/home/dev/app", fmt.Sprint("session ", i))
		exchange(a, s, "question", "answer")
		a.Advance(pause)
		_, _, mark := changedSince(t, a, "")
		sessions, marks = append(sessions, s), append(marks, mark)
	}
	for i, mark := range marks {
		changed, _, _ := changedSince(t, a, mark)
		if !slices.Equal(changed, sessions[i+1:]) {
			t.Errorf("after mark %d changed %q, want %q", i, changed, sessions[i+1:])
		}
	}
}

func strangeMarks(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "question", "answer")
	for _, mark := range []string{"nonsense", "1.", "1.AAAA", "{}", "\x00"} {
		changed, deleted, next := changedSince(t, a, mark)
		if !slices.Equal(changed, []string{s}) || len(deleted) > 0 {
			t.Errorf("mark %q: changed %q, deleted %q", mark, changed, deleted)
		}
		if changed, _, _ := changedSince(t, a, next); len(changed) > 0 {
			t.Errorf("mark %q: the next one tells %q again", mark, changed)
		}
	}
}

func deletes(t *testing.T, a Agent) {
	deleter := can[Deleter](t, a)
	one, two := a.Session("/home/dev/app", "one"), a.Session("/home/dev/app", "two")
	exchange(a, one, "question", "answer")
	exchange(a, two, "question", "answer")
	_, _, mark := changedSince(t, a, "")
	deleter.Delete(one)
	changed, deleted, next := changedSince(t, a, mark)
	if !slices.Equal(deleted, []string{one}) || len(changed) > 0 {
		t.Errorf("changed %q, deleted %q, want %q deleted", changed, deleted, one)
	}
	if changed, deleted, _ = changedSince(t, a, next); len(changed)+len(deleted) > 0 {
		t.Errorf("told again: changed %q, deleted %q", changed, deleted)
	}
	if changed, deleted, _ = changedSince(t, a, ""); !slices.Equal(changed, []string{two}) || len(deleted) > 0 {
		t.Errorf("from the beginning: changed %q, deleted %q", changed, deleted)
	}
}
