package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func TestAnUndoneTurnLeavesNothing(t *testing.T) {
	first, second := turn(0, "Add a cache", "Added.", created("cache.go")), turn(1, "Drop the cache table", "Dropped it.", modified("schema.sql"), modified("cache.go"))
	var r Record
	r.Observe(first, ObserveOptions{})
	r.Observe(second, ObserveOptions{})
	r.Decisions = []string{"Stated by the model."}
	// What a file keeps is what counts.
	r, err := Parse(Render(r))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Retract([]string{second.ID, "unknown"}, []codememory.Turn{first}, "") {
		t.Error("nothing changed")
	}
	if text := Render(r); strings.Contains(text, "Drop the cache table") || strings.Contains(text, "schema.sql") || !strings.Contains(text, "Stated by the model.") {
		t.Errorf("left:\n%s", text)
	}
	if diff := cmp.Diff([]codememory.FileChange{created("cache.go")}, r.Files); diff != "" || r.Goal != "Add a cache" || len(r.Turns) != 1 {
		t.Errorf("%+v %s", r, diff)
	}
	if r.Retract([]string{second.ID}, []codememory.Turn{first}, "") {
		t.Error("a second time changes something")
	}

	// The turn that gave the goal.
	if !r.Retract([]string{first.ID}, nil, "") || r.Goal != "" || len(r.Turns) != 0 || len(r.Files) != 0 {
		t.Errorf("%+v", r)
	}
	if r.SaysNothing() {
		t.Error("a decision is something")
	}
	r.Decisions = nil
	if !r.SaysNothing() {
		t.Errorf("%+v", r)
	}
	// It is undone no more.
	r.Observe(first, ObserveOptions{})
	if r.Goal != "Add a cache" || len(r.Turns) != 1 || len(r.Files) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestTheNextTurnGivesTheGoalOfAnUndoneOne(t *testing.T) {
	long := "Rewrite the importer so that it streams. " + strings.Repeat("It must not hold a whole file in memory, whatever happens. ", 8)
	var r Record
	first, second := turn(0, long, "Done."), turn(1, "Fix the exporter", "Fixed.")
	r.Observe(first, ObserveOptions{})
	r.Observe(second, ObserveOptions{})
	r.Retract([]string{first.ID}, []codememory.Turn{second}, "")
	if r.Goal != "Fix the exporter" {
		t.Errorf("goal %q", r.Goal)
	}
	r.Goal = "What the model stated"
	r.Retract([]string{second.ID}, nil, "")
	if r.Goal != "What the model stated" {
		t.Errorf("goal %q", r.Goal)
	}
}

func TestATurnThatChangedIsNotedAnew(t *testing.T) {
	x := turn(0, "Fix the flaky test", "")
	x.State, x.Error = codememory.TurnFailed, "overflow"
	var r Record
	r.Observe(x, ObserveOptions{})
	again := turn(0, "Fix the flaky test", "It was the clock.", modified("clock.go"))
	if !r.Observe(again, ObserveOptions{}) || r.Observe(again, ObserveOptions{}) {
		t.Error("not noted once")
	}
	if len(r.Turns) != 1 || r.Turns[0].Done != "It was the clock." || r.Turns[0].Open != "" || len(r.Files) != 1 {
		t.Errorf("%+v", r)
	}
}
