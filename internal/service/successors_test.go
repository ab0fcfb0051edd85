package service

import (
	"testing"
	"time"

	"codememory"
)

func TestTheSessionAfterAClearedOneTakesItsPlace(t *testing.T) {
	now := time.Now()
	var x successors
	hear := func(after time.Duration, event, session, dir string) {
		now = now.Add(after)
		x.heard(codememory.Poke{Agent: "claude-code", Session: session, Dir: dir, Event: event}, now)
	}
	wants := func(session, want string) {
		t.Helper()
		if got := x.of("claude-code", session); got != want {
			t.Errorf("%s goes on as %s, want %s", session, got, want)
		}
	}
	hear(0, "created", "one", "/work/app")
	wants("one", "one")
	hear(time.Minute, "ended", "one", "/work/app")
	hear(time.Second, "created", "two", "/work/app")
	wants("one", "two")
	hear(time.Minute, "ended", "two", "/work/app")
	hear(time.Second, "created", "three", "/work/app")
	wants("one", "three")
	hear(time.Minute, "ended", "three", "/work/app")
	hear(time.Second, "created", "elsewhere", "/work/lib")
	hear(time.Minute, "created", "later", "/work/app")
	wants("three", "three")
	hear(time.Minute, "created", "one", "/work/app") // resumed, with a server of its own
	wants("one", "one")
	if got := x.of("codex", "two"); got != "two" {
		t.Errorf("another agent's session goes on as %s", got)
	}
}
