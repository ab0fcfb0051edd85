package service_test

import (
	"strings"
	"testing"

	"codememory"
)

func TestAnUndoneTurnLeavesTheRecord(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	s := db.Session(dir, "The cache")
	s.Turn("Add a cache to the importer", "Added it.")
	undone, _ := s.Turn("Throw the importer away", "It is gone.")
	record := func() string {
		text, err := svc.SessionText(ctx, codememory.SessionTextRequest{Project: dir, Session: s.ID})
		if err != nil && codememory.CodeOf(err) != codememory.NotFound {
			t.Fatal(err)
		}
		return text
	}
	poke := func() {
		t.Helper()
		if err := svc.Poke(ctx, codememory.Poke{Agent: "opencode", Session: s.ID, Dir: dir, Event: "idle"}); err != nil {
			t.Fatal(err)
		}
	}
	poke()
	eventually(t, "both turns in the record", func() bool { return strings.Contains(record(), "Throw the importer away") })

	s.Revert(undone.ID, "")
	poke()
	eventually(t, "the undone turn out of the record", func() bool { return !strings.Contains(record(), "Throw the importer away") })
	if !strings.Contains(record(), "Add a cache to the importer") {
		t.Errorf("too much was taken out:\n%s", record())
	}

	s.Unrevert()
	poke()
	eventually(t, "the turn back", func() bool { return strings.Contains(record(), "Throw the importer away") })
}
