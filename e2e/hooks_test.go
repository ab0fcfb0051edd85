//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"codememory/e2e/scriptedllm"
)

// hookAgent is an agent that is connected by its hooks and an MCP server.
type hookAgent struct {
	name      string // as CodeMemory calls it
	installed string // as the installer calls it
	add       func(w *world)
	// run gives one prompt, in a session that goes on if it is named.
	run func(w *world, dir, session string, lines ...string) agentRun
	// write and shell are lines for the script of the model.
	write func(dir, name, text string) string
	shell func(command string) string
	hooks string // the file in the home that its hooks are in
}

// agentRun is what came of one prompt.
type agentRun struct {
	Session string
	Result  string // the last words of the model
	Output  string
}

var hookAgents = []hookAgent{claudeCode, codex}

// TestHookAgents goes through what a user of each agent meets.
func TestHookAgents(t *testing.T) {
	for _, agent := range hookAgents {
		t.Run(agent.name, func(t *testing.T) {
			w := newWorld(t)
			agent.add(w)
			w.install(agent.installed)
			dir := w.project("ledger")
			w.remember(dir, poolFact)
			w.remember(dir, "--type", "project-brief", briefFact)
			for _, s := range []struct {
				name string
				test func(*world, hookAgent, string)
			}{
				{"one session teaches, the next receives", teachAndReceive},
				{"the record of a session needs no call of the model", recordedSession},
				{"a tool call is answered", answeredTool},
				{"a resumed session is told nothing twice", resumedSession},
				{"after a compaction the memory is there again", compactedSession},
				{"a wish to remember is kept", wish},
				{"a daemon that was killed comes back and makes up for it", killedAtStart},
				{"a daemon that is gone changes nothing", goneDaemon},
			} {
				t.Run(s.name, func(t *testing.T) {
					w := *w
					w.T = t
					s.test(&w, agent, dir)
				})
			}
			if others := w.model.Others(); len(others) > 0 {
				t.Errorf("the model was also asked for %q", others)
			}
		})
	}
}

// teachAndReceive is the promise of the product.
func teachAndReceive(w *world, agent hookAgent, dir string) {
	n := w.model.Count()
	one := agent.run(w, dir, "", ledgerFact, "@@text understood")
	if one.Result != "understood" {
		w.Errorf("it answered %q: %s", one.Result, one.Output)
	}
	if got := len(w.model.Since(n)); got != 1 {
		w.Errorf("%d requests for a prompt without tools; a hook at the end of the turn must not cause one", got)
	}
	w.known(dir, ledgerQuestion, ledgerKnown)

	n = w.model.Count()
	agent.run(w, dir, one.Session, ledgerQuestion, "@@text you said it")
	if r := w.model.Since(n)[0]; strings.Count(r.Text(), ledgerFact) != 1 {
		w.Errorf("the user's own words come back as a memory in the same session: %s", r.Body)
	}

	n = w.model.Count()
	agent.run(w, dir, "", poolPrompt, "@@text it is known")
	r := w.model.Since(n)[0]
	if injected(r, "stable") != 1 || injected(r, "hud") != 1 {
		w.Errorf("%d stable blocks and %d HUDs in %s", injected(r, "stable"), injected(r, "hud"), r.Body)
	}
	for _, want := range []string{briefFact, ledgerFact, "ping every 30 s"} {
		if got := strings.Count(r.Text(), want); got != 1 {
			w.Errorf("%q is %d times before the model: %s", want, got, r.Body)
		}
	}
	at := strings.Index(r.Text(), stableOpens)
	if block := r.Text()[max(0, at):]; !strings.Contains(block[:strings.Index(block, "</codememory>")], briefFact) {
		w.Errorf("the stable block is %s", block)
	}
	at = strings.Index(r.Text(), hudOpens)
	if block := r.Text()[max(0, at):]; !strings.Contains(block[:strings.Index(block, "</codememory>")], "ping every 30 s") || at < strings.Index(r.Text(), poolPrompt) {
		w.Errorf("the HUD is not with the prompt: %s", block)
	}
}

// recordedSession edits a file and fails with a command.
func recordedSession(w *world, agent hookAgent, dir string) {
	n := w.model.Count()
	one := agent.run(w, dir, "", "Add the schema of the ledger.", agent.write(dir, "schema.sql", "create table entry ();\n"), agent.shell("cat missing.txt; exit 3"), "@@text The schema is there, the import is not.")
	if got := len(w.model.Since(n)); got != 3 {
		w.Errorf("%d requests for two rounds of tools", got)
	}
	w.awaitRecord(dir, one.Session, "tool: "+agent.name, "status: closed", "trigger: end", "## Goal\nAdd the schema of the ledger.", "### Created\n- `schema.sql`",
		"Done: The schema is there, the import is not.", "Failed: `cat missing.txt; exit 3` (", "xit code 3)")
	journal := w.journal(dir)
	for _, want := range []string{"Add the schema of the ledger.", "Created schema.sql", "`cat missing.txt; exit 3` → error"} {
		if !strings.Contains(journal, want) {
			w.Errorf("the journal lacks %q:\n%s", want, journal)
		}
	}
	w.onlyTaught(dir)
}

// onlyTaught checks that nothing of what we put before models came back.
func (w *world) onlyTaught(dir string) {
	w.Helper()
	w.notOurs("the journal", w.journal(dir))
	out, err := w.codememory(dir, "list", "--json")
	if err != nil {
		w.Fatal(err)
	}
	for _, fact := range []string{poolFact, briefFact, ledgerFact} {
		if got := strings.Count(out, `"text": "`+fact+`"`) + strings.Count(out, `"text":"`+fact+`"`); got != 1 {
			w.Errorf("%q is remembered %d times:\n%s", fact, got, out)
		}
	}
}

func answeredTool(w *world, agent hookAgent, dir string) {
	n := w.model.Count()
	agent.run(w, dir, "", "look it up", `@@tool mcp__codememory__memory {"mode":"search","query":"which database does the ledger use"}`, "@@text done")
	requests := w.model.Since(n)
	if last := requests[len(requests)-1]; len(requests) != 2 || !strings.Contains(last.Results(), ledgerKnown) {
		w.Errorf("%d requests; the tool gave %q", len(requests), last.Results())
	}
}

func resumedSession(w *world, agent hookAgent, dir string) {
	one := agent.run(w, dir, "", poolPrompt, "@@text fine")
	n := w.model.Count()
	again := agent.run(w, dir, one.Session, poolPrompt+" And on production?", "@@text fine")
	if again.Session != one.Session {
		w.Errorf("session %s goes on as %s", one.Session, again.Session)
	}
	r := w.model.Since(n)[0]
	if !strings.Contains(r.Users(), "And on production?") || strings.Count(r.Users(), poolPrompt) != 2 {
		w.Fatalf("the session did not go on: %q", r.Users())
	}
	if injected(r, "stable") != 1 || injected(r, "hud") != 1 || strings.Count(r.Text(), "ping every 30 s") != 1 {
		w.Errorf("resumed with %d stable blocks and %d HUDs: %s", injected(r, "stable"), injected(r, "hud"), r.Body)
	}
	w.awaitRecord(dir, one.Session, "status: closed", "And on production?")
}

func compactedSession(w *world, agent hookAgent, dir string) {
	n := w.model.Count()
	one := agent.run(w, dir, "", poolPrompt, agent.shell("echo one"), "@@usage-tools 980000", "@@text fine")
	if got := len(w.model.Since(n, scriptedllm.Compaction)); got != 1 {
		w.Fatalf("%d compactions", got)
	}
	requests := w.model.Since(n, scriptedllm.Chat)
	after := requests[len(requests)-1]
	if !strings.Contains(after.Users(), "SCRIPTED-SUMMARY") || injected(after, "stable") != 1 || !strings.Contains(after.Text(), briefFact) {
		w.Errorf("after the compaction the model sees %d stable blocks: %s", injected(after, "stable"), after.Body)
	}
	n = w.model.Count()
	agent.run(w, dir, one.Session, poolPrompt+" Still?", "@@text fine")
	if got := w.model.Since(n); len(got) != 1 || got[0].Kind != scriptedllm.Chat {
		w.Fatalf("%d requests for the next prompt", len(got))
	}
	r := w.model.Since(n)[0]
	if injected(r, "stable") != 1 || injected(r, "hud") != 1 || !strings.Contains(r.Text(), "ping every 30 s") {
		w.Errorf("with the next prompt it sees %d stable blocks and %d HUDs: %s", injected(r, "stable"), injected(r, "hud"), r.Body)
	}
	w.await(10*time.Second, "the summary is kept", func() bool {
		out, err := w.codememory(dir, "list", "--type", "session-summary")
		return err == nil && strings.Contains(out, "SCRIPTED-SUMMARY")
	})
	if text := w.awaitRecord(dir, one.Session, poolPrompt+" Still?").text; strings.Contains(text, "SCRIPTED-SUMMARY") {
		w.Errorf("the summary is taken for a turn:\n%s", text)
	}
	w.onlyTaught(dir)
}

// wish lets the model ignore a wish, and fulfil another.
func wish(w *world, agent hookAgent, dir string) {
	agent.run(w, dir, "", "Remember that the ledger closes at 18:00 UTC.", "@@text noted")
	w.known(dir, "when does the ledger close?", "18:00 UTC")
	n := w.model.Count()
	agent.run(w, dir, "", "Remember that the nightly import starts at 02:00 UTC.",
		`@@tool mcp__codememory__memory {"mode":"add","content":"The nightly import starts at 02:00 UTC.","type":"tech-context"}`, "@@text noted")
	requests := w.model.Since(n)
	if last := requests[len(requests)-1]; !strings.Contains(last.Results(), `"success":true`) {
		w.Fatalf("the model could not save it in %d requests: %s", len(requests), last.Body[len(last.Body)/2:])
	}
	w.await(10*time.Second, "the turn is over", func() bool { return strings.Contains(w.journal(dir), "Remember that the nightly import") })
	out, err := w.codememory(dir, "list", "--json")
	if err != nil || strings.Count(out, `nightly import starts at 02:00 UTC."`) != 1 {
		w.Errorf("what the model saved is kept in the user's words too: %v\n%s", err, out)
	}
}

// killedAtStart has no daemon when a session begins. The hooks start one, and
// the session gets with a later prompt what it missed.
func killedAtStart(w *world, agent hookAgent, dir string) {
	w.signal(syscall.SIGKILL)
	old := w.daemon()
	one := agent.run(w, dir, "", poolPrompt, "@@text fine")
	w.await(10*time.Second, "there is a daemon again", func() bool {
		_, err := w.codememory(dir, "journal")
		return err == nil && w.daemon() != old
	})
	n := w.model.Count()
	agent.run(w, dir, one.Session, poolPrompt+" And on production?", "@@text fine")
	if r := w.model.Since(n)[0]; injected(r, "stable") != 1 || injected(r, "hud") != 1 || strings.Count(r.Text(), "ping every 30 s") != 1 {
		w.Errorf("it goes on with %d stable blocks and %d HUDs: %s", injected(r, "stable"), injected(r, "hud"), r.Body)
	}
	w.awaitRecord(dir, one.Session, "And on production?")
}

// goneDaemon compares runs without hooks with runs whose hooks find no daemon
// and may not start one: the model must be asked the very same, as soon.
func goneDaemon(w *world, agent hookAgent, dir string) {
	if _, err := w.codememory(dir, "stop"); err != nil {
		w.Fatal(err)
	}
	w.env["CODEMEMORY_DAEMON_AUTOSTART"] = "false"
	defer delete(w.env, "CODEMEMORY_DAEMON_AUTOSTART")
	hooks := filepath.Join(w.home, filepath.FromSlash(agent.hooks))
	run := func() (string, time.Duration) {
		w.Helper()
		n, began := w.model.Count(), time.Now()
		agent.run(w, dir, "", poolPrompt, "@@text fine")
		took := time.Since(began)
		requests := w.model.Since(n)
		if len(requests) != 1 {
			w.Fatalf("%d requests", len(requests))
		}
		return steady(w, requests[0].Body), took
	}
	move := func(from, to string) {
		w.Helper()
		if err := os.Rename(from, to); err != nil {
			w.Fatal(err)
		}
	}
	var with, without string
	slow, fast := time.Hour, time.Hour
	for range 3 { // in turns, as other work on the machine comes and goes
		var took time.Duration
		with, took = run()
		slow = min(slow, took)
		move(hooks, hooks+".off")
		without, took = run()
		fast = min(fast, took)
		move(hooks+".off", hooks)
	}
	if w.daemon() != 0 {
		w.Error("a daemon was started")
	}
	if with != without {
		at := common([]byte(with), []byte(without))
		w.Errorf("the request differs from that without hooks at %d:\n%.300s\nwithout:\n%.300s", at, with[max(0, at-50):], without[max(0, at-50):])
	}
	w.Logf("a prompt took %v without hooks, %v with hooks and no daemon", fast.Round(time.Millisecond), slow.Round(time.Millisecond))
	if slow > 2*fast+300*time.Millisecond {
		w.Errorf("a prompt took %v, without hooks %v", slow, fast)
	}
}

// steady takes out what differs from run to run: ids, and what Codex tells about
// itself besides.
func steady(w *world, body []byte) string {
	w.Helper()
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		w.Fatal(err)
	}
	delete(request, "client_metadata")
	sorted, err := json.Marshal(request)
	if err != nil {
		w.Fatal(err)
	}
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllString(string(sorted), "ID")
}
