package service_test

import (
	"fmt"
	"strings"
	"testing"

	"codememory"
)

func TestAResumedSessionKeepsItsStableBlock(t *testing.T) {
	w := newWorld(t, nil)
	ctx, dir := t.Context(), w.project("app")
	old := w.add(codememory.AddRequest{Project: dir, Text: "Deploys go through Jenkins", Type: codememory.Architecture}).Memory
	block := func(session string, again bool) string {
		t.Helper()
		ans, err := w.Context(ctx, codememory.ContextRequest{Project: dir, Session: session, Agent: "opencode", Again: again, Parts: []codememory.Part{codememory.StablePart}})
		if err != nil || ans.Stable == "" {
			t.Fatalf("%+v %v", ans, err)
		}
		return ans.Stable
	}
	first := block("s1", true) // nothing is known of it yet
	w.add(codememory.AddRequest{Project: dir, Text: "The API listens on port 8080", Type: codememory.Architecture})
	if block("s1", true) != first {
		t.Error("the block of a running session changed")
	}
	if block("s2", true) == first {
		t.Error("a new session got the block of another")
	}
	if block("s1", false) == first {
		t.Error("after a compaction the block is still the old one")
	}
	if block("s1", true) == first {
		t.Error("the block of before the compaction came back")
	}
	if _, err := w.Forget(ctx, codememory.Ref{ID: old.ID}, "wrong"); err != nil {
		t.Fatal(err)
	}
	if got := block("s1", true); strings.Contains(got, "Jenkins") {
		t.Errorf("a forgotten memory is still sent: %q", got)
	}
	latest := block("s1", false)
	for i := range 300 {
		block(fmt.Sprint("n", i), true)
	}
	w.add(codememory.AddRequest{Project: dir, Text: "Logs go to the journal of systemd", Type: codememory.Architecture})
	if block("s1", true) == latest {
		t.Error("blocks of sessions long gone are kept")
	}
}
