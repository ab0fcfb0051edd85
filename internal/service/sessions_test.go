package service_test

import (
	"strings"
	"testing"

	"codememory"
	"codememory/internal/agent/opencode/opencodetest"
)

// record waits until there is a record of the only session, and returns it with
// its text.
func record(t *testing.T, svc codememory.AgentService, dir string, ok func(codememory.SessionEntry, string) bool) (entry codememory.SessionEntry, text string) {
	t.Helper()
	eventually(t, "the record", func() bool {
		list, err := svc.Sessions(t.Context(), codememory.SessionsRequest{Project: dir})
		if err != nil || len(list) != 1 {
			return false
		}
		entry = list[0]
		text, err = svc.SessionText(t.Context(), codememory.SessionTextRequest{Project: dir, Session: entry.ID})
		return err == nil && ok(entry, text)
	})
	return entry, text
}

func TestASessionIsClosedWhenItsAgentEndsIt(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	poke := func(session, event string) {
		t.Helper()
		if err := svc.Poke(ctx, codememory.Poke{Agent: "opencode", Session: session, Dir: dir, Event: event}); err != nil {
			t.Fatal(err)
		}
	}
	poke("ses_without_a_turn", "ended")
	s := db.Session(dir, "Work")
	s.Turn("rename the handler", "renamed")
	record(t, svc, dir, func(e codememory.SessionEntry, _ string) bool { return e.Status == "open" })
	poke(s.ID, "ended")
	record(t, svc, dir, func(e codememory.SessionEntry, _ string) bool { return e.Status == "closed" })
}

func TestWhatIsLeftOfATodoListIsInTheRecord(t *testing.T) {
	svc, db := live(t)
	dir := t.TempDir()
	s := db.Session(dir, "Work")
	u := s.User("migrate the ledger")
	a := s.Assistant(u)
	a.Tool("todowrite", opencodetest.Data{"todos": []any{
		opencodetest.Data{"content": "write the schema", "status": "completed"}, opencodetest.Data{"content": "import the old rows", "status": "pending"},
	}}).Complete("ok", opencodetest.Data{})
	a.Finish("tool-calls")
	last := s.Assistant(u)
	last.Text("The schema is written.")
	last.Finish("stop")
	entry, text := record(t, svc, dir, func(codememory.SessionEntry, string) bool { return true })
	if len(entry.Pending) != 1 || entry.Pending[0] != "import the old rows" || strings.Contains(text, "Left open: write the schema") {
		t.Errorf("pending %q in\n%s", entry.Pending, text)
	}
}
