package service_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"codememory"
)

func TestWhatIsKnownIsSaidAtThePointOfAction(t *testing.T) {
	w := newWorld(t, nil)
	ctx, dir := t.Context(), w.project("app")
	for _, text := range []string{
		"Edits of internal/ledger/close.go broke the nightly import: it relies on the order of rows",
		"`make migrate` fails while the app container runs; stop it first",
		"The landing page is blue",
	} {
		w.add(codememory.AddRequest{Project: dir, Text: text, Type: codememory.ErrorSolution})
	}
	for name, c := range map[string]struct {
		use  codememory.ToolUse
		want string
	}{
		"a file that a memory names": {codememory.ToolUse{Target: filepath.Join(dir, "internal/ledger/close.go"), Changes: true}, "nightly import"},
		"its name alone":             {codememory.ToolUse{Target: "/elsewhere/close.go", Changes: true}, "nightly import"},
		"another file of the folder": {codememory.ToolUse{Target: filepath.Join(dir, "internal/ledger/open.go"), Changes: true}, ""},
		"part of a name":             {codememory.ToolUse{Target: filepath.Join(dir, "lose.go"), Changes: true}, ""},
		"a command":                  {codememory.ToolUse{Target: "VERBOSE=1 make migrate --all", Command: true}, "app container"},
		"another target":             {codememory.ToolUse{Target: "make lint", Command: true}, ""},
		"a command of one word":      {codememory.ToolUse{Target: "make", Command: true}, ""},
		"nothing":                    {codememory.ToolUse{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.use.Project, c.use.Session = dir, name
			for i, want := range []string{c.want, ""} { // once a session
				got, err := w.BeforeTool(ctx, c.use)
				if err != nil || got.Refuse != "" || (want == "") != (got.Text == "") || !strings.Contains(got.Text, want) {
					t.Errorf("time %d: %+v %v", i+1, got, err)
				}
			}
		})
	}
}

func TestTheCheckpointGate(t *testing.T) {
	w := newWorld(t, map[string]string{"hooks.checkpoint_gate": "deny", "hooks.checkpoint_after": "2"})
	ctx, dir := t.Context(), w.project("app")
	change := func(session string) codememory.Advice {
		t.Helper()
		got, err := w.BeforeTool(ctx, codememory.ToolUse{Project: dir, Session: session, Target: "main.go", Changes: true})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	said := func() string {
		var all []string
		for range 6 {
			switch a := change("s"); {
			case a.Refuse != "":
				all = append(all, "refused")
			case a.Text != "":
				all = append(all, "reminded")
			default:
				all = append(all, "silent")
			}
		}
		return strings.Join(all, " ")
	}
	const want = "silent reminded silent reminded refused refused"
	if got := said(); got != want {
		t.Errorf("got %s", got)
	}
	if got, err := w.BeforeTool(ctx, codememory.ToolUse{Project: dir, Session: "s", Target: "go test ./...", Command: true}); err != nil || got.Refuse != "" {
		t.Errorf("a command is refused: %+v %v", got, err)
	}
	if got := change("another"); got.Refuse != "" {
		t.Errorf("another session is refused: %+v", got)
	}
	if _, err := w.Checkpoint(ctx, codememory.CheckpointRequest{Project: dir, Session: "s", Data: json.RawMessage(`{"goal":"x"}`)}); err != nil {
		t.Fatal(err)
	}
	if got := said(); got != want {
		t.Errorf("after a checkpoint: %s", got)
	}
}
