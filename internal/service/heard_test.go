package service_test

import (
	"testing"
	"time"

	"codememory"
)

func TestTheRecordFollowsTheLifeOfASession(t *testing.T) {
	svc, db := live(t)
	ctx, dir := t.Context(), t.TempDir()
	s := db.Session(dir, "Set up the queue")
	poke := func(event string) {
		t.Helper()
		if err := svc.Poke(ctx, codememory.Poke{Agent: "opencode", Session: s.ID, Dir: dir, Event: event}); err != nil {
			t.Fatal(err)
		}
	}
	status := func() string {
		got, err := svc.Sessions(ctx, codememory.SessionsRequest{Project: dir})
		if err != nil || len(got) != 1 {
			return ""
		}
		return got[0].Status
	}
	poke("ended") // of a session in which nothing was said: no record
	s.Turn("Set up the queue with NATS", "It is set up.")
	poke("idle")
	eventually(t, "capture", func() bool { return status() == "open" })
	s.Turn("And the retries?", "Three, with backoff.")
	poke("ended")
	eventually(t, "the end", func() bool { return status() == "closed" })
	agents, err := svc.Agents(ctx)
	if err != nil || len(agents) == 0 || agents[0].Event != "ended" || time.Since(agents[0].EventAt) > time.Minute || agents[0].Sessions != 1 {
		t.Errorf("%+v %v", agents, err)
	}
	db.Now = time.Now().Add(2 * time.Minute)
	s.Turn("One more thing: name the queue", "It is called jobs.")
	poke("idle")
	eventually(t, "it goes on", func() bool { return status() == "open" })
}
