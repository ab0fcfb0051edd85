package told_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/jsonl"
	"codememory/internal/agent/told"
)

// cursor tells a recorder things, as Cursor's hooks do, and reads them back.
type cursor struct {
	*testing.T
	dir      string
	now      time.Time
	recorder *told.Recorder
	reader   codememory.Transcripts
}

func newCursor(t *testing.T) *cursor {
	c := &cursor{T: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return c.now }
	c.recorder = &told.Recorder{Dir: c.dir, Now: clock, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[REDACTED]") }}
	c.reader = told.Transcripts(c.dir, jsonl.Options{Now: clock})[0]
	return c
}

func (c *cursor) tell(event string, said codememory.TurnEvent) {
	c.Helper()
	c.now = c.now.Add(500 * time.Millisecond)
	if err := c.recorder.Add(codememory.Poke{Agent: "cursor", Session: "c1", Dir: "/w/app", Event: event, Said: &said}); err != nil {
		c.Fatal(err)
	}
}

func (c *cursor) turns() []codememory.Turn {
	c.Helper()
	turns, err := c.reader.Turns(c.Context(), "c1", 0)
	if err != nil {
		c.Fatal(err)
	}
	return turns
}

func exit(n int) *int { return &n }

func TestATurnIsPutTogetherFromWhatHooksTell(t *testing.T) {
	c := newCursor(t)
	c.tell("prompt", codememory.TurnEvent{Turn: "g1", Model: "m", Prompt: "add a test, the password is hunter2"})
	if s := c.turns()[0].State; s != codememory.TurnOpen {
		t.Errorf("the turn is %s", s)
	}
	changed := []codememory.FileChange{{Path: "/w/app/a.go", Change: codememory.FileModified}}
	c.tell("tool", codememory.TurnEvent{Turn: "g1", Tool: &codememory.ToolCall{Name: "edit", Target: "/w/app/a.go", Changed: changed}})
	c.tell("tool", codememory.TurnEvent{Turn: "g1", Tool: &codememory.ToolCall{ID: "u1", Name: "Write", Target: "a.go", Output: "written"}}) // the same edit
	c.tell("tool", codememory.TurnEvent{Turn: "g1", Tool: &codememory.ToolCall{Name: "shell", Target: "go test", Output: "FAIL"}})
	c.tell("tool", codememory.TurnEvent{Turn: "g1", Tool: &codememory.ToolCall{ID: "u2", Name: "Shell", Target: "go test", Exit: exit(1), Error: "exit code 1"}}) // the same command
	c.tell("said", codememory.TurnEvent{Turn: "g1", Text: "It fails."})
	c.tell("idle", codememory.TurnEvent{Turn: "g1", Ended: "completed"})
	c.tell("prompt", codememory.TurnEvent{Turn: "g2", Prompt: "stop"})
	c.tell("idle", codememory.TurnEvent{Turn: "g2", Ended: "aborted"})
	c.tell("prompt", codememory.TurnEvent{Turn: "g3", Prompt: "and now?"})
	c.tell("ended", codememory.TurnEvent{})
	turns := c.turns()
	var got []string
	for _, turn := range turns {
		got = append(got, turn.ID+" "+string(turn.State)+": "+turn.Prompt+" -> "+turn.Answer())
	}
	if diff := cmp.Diff([]string{"g1 done: add a test, the password is [REDACTED] -> It fails.", "g2 aborted: stop -> ", "g3 aborted: and now? -> "}, got); diff != "" {
		t.Fatal(diff)
	}
	var tools []codememory.ToolCall
	for _, s := range turns[0].Steps {
		if s.Tool != nil {
			tools = append(tools, *s.Tool)
		}
	}
	want := []codememory.ToolCall{
		{ID: "u1", Name: "edit", Target: "/w/app/a.go", Output: "written", Changed: changed},
		{ID: "u2", Name: "shell", Target: "go test", Output: "FAIL", Error: "exit code 1", Exit: exit(1)},
	}
	if diff := cmp.Diff(want, tools); diff != "" {
		t.Error(diff)
	}
	s, err := c.reader.Session(t.Context(), "c1")
	if err != nil || s.Dir != "/w/app" || s.Title != "add a test, the password is [REDACTED]" || s.Model != "m" {
		t.Errorf("%+v, %v", s, err)
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "cursor", "c1.jsonl"))
	if err != nil || strings.Contains(string(data), "hunter2") {
		t.Errorf("a secret is on disk: %s, %v", data, err)
	}
}

func TestATurnWhosePromptWasNeverToldIsStillOne(t *testing.T) {
	c := newCursor(t)
	c.tell("tool", codememory.TurnEvent{Turn: "g1", Tool: &codememory.ToolCall{Name: "shell", Target: "make"}})
	c.tell("said", codememory.TurnEvent{Turn: "g1", Text: "made"})
	c.tell("idle", codememory.TurnEvent{Turn: "g1"})
	if turns := c.turns(); len(turns) != 1 || turns[0].Answer() != "made" || turns[0].State != codememory.TurnDone {
		t.Errorf("%+v", turns)
	}
}

func TestAnIdThatIsAPathStaysInTheFolder(t *testing.T) {
	c := newCursor(t)
	for _, id := range []string{"../../escape", `..\x`, "CON", strings.Repeat("x", 300), "a/b"} {
		if err := c.recorder.Add(codememory.Poke{Agent: "cursor", Session: id, Dir: "/w", Event: "prompt", Said: &codememory.TurnEvent{Prompt: "go"}}); err != nil {
			t.Fatal(err)
		}
		if turns, err := c.reader.Turns(t.Context(), id, 0); err != nil || len(turns) != 1 {
			t.Errorf("%.20s: %d turns, %v", id, len(turns), err)
		}
	}
	files, err := filepath.Glob(filepath.Join(c.dir, "cursor", "id-*.jsonl"))
	if err != nil || len(files) != 5 {
		t.Errorf("%q, %v", files, err)
	}
}

func TestOtherAgentsAreNotRecorded(t *testing.T) {
	c := newCursor(t)
	for _, p := range []codememory.Poke{
		{Agent: "gemini", Session: "g", Said: &codememory.TurnEvent{Prompt: "go"}},
		{Agent: "cursor", Session: "", Said: &codememory.TurnEvent{Prompt: "go"}},
		{Agent: "cursor", Session: "c1"},
	} {
		if err := c.recorder.Add(p); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(c.dir); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
