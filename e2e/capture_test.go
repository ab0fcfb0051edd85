//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"codememory/e2e/scriptedllm"
)

// known waits until a search finds something, or fails.
func (w *world) known(dir, query, want string) {
	w.Helper()
	began := time.Now()
	w.await(10*time.Second, "a search for "+query+" finds "+want, func() bool {
		out, _ := w.codememory(dir, "search", query)
		return strings.Contains(out, want)
	})
	w.Logf("%q is known after %v", want, time.Since(began).Round(time.Millisecond))
}

// TestSecondSessionKnowsTheFirst is the promise of the product: what was settled
// in one session is before the model in the next, without a tool call.
func TestSecondSessionKnowsTheFirst(t *testing.T) {
	for _, version := range openCodeVersions {
		t.Run(version, func(t *testing.T) {
			w := openCodeWorld(t, version)
			w.install("opencode")
			dir := w.project("ledger")
			o := w.serve(dir)
			o.prompt(o.session("one"), "We decided to use PostgreSQL 17 for the ledger because SQLite locks up during the nightly import.", "@@text understood")
			o.prompt(o.session("two"), "I prefer table-driven tests over mocks, always.", "@@text understood")
			w.known(dir, "which database does the ledger use", "PostgreSQL 17")
			w.known(dir, "mocks or table-driven tests", "table-driven")

			n := w.model.Count()
			o.prompt(o.session("three"), "which database does the ledger use?", "@@text it is known")
			o.prompt(o.session("four"), "write a test for the ledger", "@@text it is known")
			requests := w.model.Since(n, scriptedllm.Chat)
			if !strings.Contains(string(requests[0].Body), "PostgreSQL 17") {
				t.Errorf("the decision is not in %q", requests[0].Users())
			}
			if !strings.Contains(string(requests[1].Body), "table-driven") {
				t.Errorf("the preference is in neither block: %q", requests[1].Users()+tail(requests[1].System()))
			}
		})
	}
}

// TestUndoneTurnIsForgotten: what the user took back must not be remembered.
func TestUndoneTurnIsForgotten(t *testing.T) {
	w := openCodeWorld(t, openCodeVersions[0])
	w.install("opencode")
	dir := w.project("ledger")
	o := w.serve(dir)
	session := o.session("undo")
	o.prompt(session, "Hello, this is the ledger.", "@@text hello")
	o.prompt(session, "We decided to use MongoDB 8 for the ledger because it scales.", "@@text understood")
	w.known(dir, "which database does the ledger use", "MongoDB 8")
	list := o.messages(session)
	undone := list[len(list)-2].Info.ID
	o.call("POST", "/session/"+session+"/revert", map[string]any{"messageID": undone}, nil)
	o.prompt(session, "Forget about that, we stay with files.", "@@text understood")
	for _, m := range o.messages(session) {
		if strings.Contains(m.text(), "MongoDB 8") {
			t.Fatal("OpenCode itself has not undone the turn")
		}
	}
	var out string
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var err error
		if out, err = w.codememory(dir, "search", "which database does the ledger use"); err == nil && !strings.Contains(out, "MongoDB 8") {
			return
		}
	}
	t.Errorf("what was undone is still found:\n%s", out)
}

// TestForkRepeatsNothing: a fork copies all messages under new ids.
func TestForkRepeatsNothing(t *testing.T) {
	w := openCodeWorld(t, openCodeVersions[0])
	w.install("opencode")
	dir := w.project("ledger")
	o := w.serve(dir)
	session := o.session("origin")
	o.prompt(session, "We decided to use PostgreSQL 17 for the ledger because SQLite locks up during the nightly import.", "@@text understood")
	w.known(dir, "which database does the ledger use", "PostgreSQL 17")
	var fork struct {
		ID string `json:"id"`
	}
	o.call("POST", "/session/"+session+"/fork", map[string]any{}, &fork)
	n := w.model.Count()
	o.prompt(fork.ID, "which database does the ledger use?", "@@text it is known")
	if r := w.model.Since(n, scriptedllm.Chat)[0]; !hasHUD(r) {
		t.Errorf("the fork ends with %q", r.Last().Text)
	}
	o.prompt(fork.ID, "I prefer table-driven tests over mocks, always.", "@@text understood")
	w.known(dir, "mocks or table-driven tests", "table-driven") // the fork has been captured
	out, err := w.codememory(dir, "list")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out, "PostgreSQL 17"); got != 1 {
		t.Errorf("remembered %d times:\n%s", got, out)
	}
}
