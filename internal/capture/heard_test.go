package capture_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"codememory"
	"codememory/internal/capture"
	"codememory/internal/history"
)

// scripted is an agent whose turns a test sets, and which hears of their ends.
type scripted struct {
	codememory.Transcripts
	turns   []codememory.Turn
	reading func() // runs after the turns were read
}

func (s *scripted) Agent() string { return "scripted" }
func (s *scripted) Changed(context.Context, string) (changed, deleted []string, next string, err error) {
	return nil, nil, "m", nil
}

func (s *scripted) Sessions(context.Context, codememory.SessionQuery) ([]codememory.AgentSession, error) {
	return nil, nil
}

func (s *scripted) Session(_ context.Context, id string) (codememory.AgentSession, error) {
	return codememory.AgentSession{Agent: "scripted", ID: id, Dir: "/w"}, nil
}

func (s *scripted) Turns(context.Context, string, int) ([]codememory.Turn, error) {
	turns := s.turns
	if s.reading != nil {
		s.reading()
	}
	return turns, nil
}

func TestASessionIsLeftOnceAllItsTurnsAreCaptured(t *testing.T) {
	h, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	turn := func(id string, state codememory.TurnState) codememory.Turn {
		return codememory.Turn{Agent: "scripted", Session: "s1", ID: id, Kind: codememory.PromptTurn, State: state, StartedAt: time.Now().Add(time.Hour), Prompt: id}
	}
	var seen []string
	src := &scripted{turns: []codememory.Turn{turn("one", codememory.TurnDone)}}
	store := t.TempDir()
	c := capture.New(capture.Options{
		History: h, Sources: []codememory.Transcripts{src}, Redact: func(s string) string { return s },
		Place: func(context.Context, string) (capture.Place, error) {
			return capture.Place{Project: codememory.Project{ID: "p"}, Store: store, Enabled: true}, nil
		},
		Done: func(_ context.Context, d capture.Captured) { seen = append(seen, d.Turn.ID) },
		Left: func(_ context.Context, _ capture.Place, _, session string) { seen = append(seen, "left "+session) },
	})
	pass := func() {
		t.Helper()
		if _, err := c.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	poke := func(event string) { c.Heard(codememory.Poke{Agent: "scripted", Session: "s1", Event: event}) }
	poke("idle")
	// The agent goes on and leaves while what it did before is being read.
	src.reading = func() {
		src.reading = nil
		src.turns = append(src.turns, turn("two", codememory.TurnOpen))
		poke("ended")
	}
	pass()
	pass() // its last turn is still open
	src.turns[1].State = codememory.TurnDone
	pass()
	pass()
	want := []string{"one", "two", "left s1"}
	if len(seen) != 3 || seen[0] != want[0] || seen[1] != want[1] || seen[2] != want[2] {
		t.Errorf("happened %q, want %q", seen, want)
	}
}
