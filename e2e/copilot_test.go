//go:build e2e

package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"codememory/e2e/npmcache"
	"codememory/e2e/scriptedllm"
)

// copilotVersion is the release of GitHub Copilot CLI that is tested.
const copilotVersion = "1.0.102"

// copilotCLI is a world with Copilot CLI, which talks to nobody but the model.
type copilotCLI struct {
	*world
	node, script string
}

func newCopilot(t *testing.T) *copilotCLI {
	t.Helper()
	w := newWorld(t)
	modules := npmcache.Modules(t, "@github/copilot", copilotVersion)
	for name, value := range map[string]string{
		"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": w.model.Root(), "COPILOT_PROVIDER_TYPE": "anthropic",
		"COPILOT_PROVIDER_API_KEY": "x", "COPILOT_MODEL": "claude-sonnet-4.5", "COPILOT_AUTO_UPDATE": "false",
	} {
		w.env[name] = value
	}
	return &copilotCLI{w, npmcache.Node(t), filepath.Join(modules, "@github", "copilot", "npm-loader.js")}
}

// project makes a repository whose configuration Copilot may run.
func (c *copilotCLI) project(name string) string {
	c.Helper()
	dir := c.world.project(name)
	data, err := json.Marshal(map[string]any{"trustedFolders": []string{dir}})
	if err == nil {
		err = os.WriteFile(filepath.Join(c.folder(".copilot"), "config.json"), data, 0o600)
	}
	if err != nil {
		c.Fatal(err)
	}
	return dir
}

func (c *copilotCLI) in(t *testing.T) *copilotCLI {
	w := *c.world
	w.T = t
	return &copilotCLI{&w, c.node, c.script}
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// ask runs one prompt in a session, new or not, to its end.
func (c *copilotCLI) ask(dir, session string, lines ...string) (answer string, took time.Duration) {
	c.Helper()
	out, took := c.runs(dir, c.node, c.script, "--session-id", session, "--allow-all-tools", "--silent", "-p", scriptedPrompt(lines))
	return strings.TrimSpace(out), took
}

// TestCopilot goes through the life of sessions in the real Copilot CLI.
func TestCopilot(t *testing.T) {
	c := newCopilot(t)
	dir := c.project("ledger")
	c.install("copilot")
	c.remember(dir, poolFact)
	c.remember(dir, "--type", "project-brief", briefFact)

	first := newUUID()
	answer, _ := c.ask(dir, first, ledgerFact+" And "+poolPrompt,
		`@@tool create {"path":"`+filepath.Join(dir, "notes.txt")+`","file_text":"alpha\n"}`,
		`@@tool bash {"command":"echo boom; exit 3","description":"fails"}`,
		`@@tool codememory-memory {"mode":"search","query":"connection pool staging"}`,
		"@@text It is noted.")
	if !strings.Contains(answer, "It is noted.") {
		t.Fatalf("answered %q", answer)
	}
	requests := c.model.Since(0, scriptedllm.Chat)
	if len(requests) != 4 {
		t.Fatalf("%d requests, want 4", len(requests))
	}
	for _, r := range requests {
		c.expectInjected(r, 1, 1, briefFact, "ping every 30 s")
	}
	if got := requests[3].Results(); !strings.Contains(got, "ping every 30 s") || !strings.Contains(got, "exit code 3") {
		t.Errorf("the tools gave %s", got)
	}
	record := c.awaitRecord(dir, first, "tool: copilot", "## Goal\n"+ledgerFact[:40], "### Created\n- `notes.txt`", "Done: It is noted.", "Failed: `echo boom; exit 3` (exit code 3)")
	c.notOurs("the record", record.text)
	c.awaitClosed(dir, first)
	c.known(dir, ledgerQuestion, ledgerKnown)

	t.Run("the second session knows the first", func(t *testing.T) {
		c, n := c.in(t), c.model.Count()
		c.ask(dir, newUUID(), ledgerQuestion, "@@text PostgreSQL 17.")
		requests := c.model.Since(n, scriptedllm.Chat)
		if len(requests) != 1 {
			t.Fatalf("%d requests, want 1", len(requests))
		}
		c.expectInjected(requests[0], 1, 0, briefFact) // the stable block says it, so no HUD does
		c.expectOnce(requests[0], ledgerFact)
	})
	t.Run("a resumed session goes on with its record", func(t *testing.T) {
		c, n := c.in(t), c.model.Count()
		c.ask(dir, first, "And which port does the ledger listen on?", "@@text Port 7000.")
		for _, r := range c.model.Since(n, scriptedllm.Chat) {
			if !strings.Contains(r.Text(), "It is noted.") {
				t.Error("Copilot itself has not resumed the session")
			}
			c.expectInjected(r, 1, 1, briefFact, "ping every 30 s") // those of the first turn
		}
		record := c.awaitRecord(dir, first, "Done: It is noted.", "Done: Port 7000.")
		c.notOurs("the record", record.text)
		c.awaitClosed(dir, first)
	})
	t.Run("a compaction is noted and loses nothing", func(t *testing.T) {
		c, long := c.in(t), newUUID()
		c.ask(dir, long, "Tidy up the reports of the benchmark runner.")
		c.ask(dir, long, "Sort them by date.")
		// Its program compacts at once and then waits a minute for itself.
		end := c.starts(dir, c.node, c.script, "--session-id", long, "--allow-all-tools", "--silent", "-p", "/compact")
		c.await(20*time.Second, "the journal knows of the compaction", func() bool {
			journal := c.journal(dir)
			return strings.Contains(journal, "The conversation was compacted") && strings.Contains(journal, "SCRIPTED-SUMMARY")
		})
		end()
		n := c.model.Count()
		c.ask(dir, long, poolPrompt, "@@text A ping helps.")
		for _, r := range c.model.Since(n, scriptedllm.Chat) {
			if strings.Contains(r.Text(), "echo: done") || !strings.Contains(r.Text(), "SCRIPTED-SUMMARY") {
				t.Errorf("Copilot itself has not compacted: %s", r.Text())
			}
			c.expectInjected(r, 1, 1, briefFact, "ping every 30 s")
		}
		c.notOurs("the record", c.awaitRecord(dir, long, "Done: echo: done", "Done: A ping helps.").text)
	})
	t.Run("journal, transcript and history have each turn once", func(t *testing.T) {
		c := c.in(t)
		journal := c.journal(dir)
		c.notOurs("the journal", journal)
		for _, once := range []string{"- User asked: " + ledgerFact, "Created notes.txt", "`echo boom; exit 3` → error: exit code 3", "Agent: It is noted.", "Agent: Port 7000.", "- User: " + ledgerQuestion} {
			if got := strings.Count(journal, once); got != 1 {
				t.Errorf("the journal has %q %d times:\n%s", once, got, journal)
			}
		}
		transcript, err := c.codememory(dir, "transcript", first, "--tools")
		if err != nil || !strings.Contains(transcript, "It is noted.") || !strings.Contains(transcript, "Port 7000.") || !strings.Contains(transcript, "echo boom; exit 3") || !strings.Contains(transcript, "Created file") {
			t.Errorf("%v in %s", err, transcript)
		}
		c.notOurs("the transcript", transcript)
		n := c.model.Count()
		c.ask(dir, newUUID(), "look into the past", `@@tool codememory-memory {"tool":"search","args":{"query":"port of the ledger"}}`, "@@text done")
		requests := c.model.Since(n, scriptedllm.Chat)
		if got := requests[len(requests)-1].Results(); !strings.Contains(got, "Port 7000.") {
			t.Errorf("the history gave %s", got)
		}
	})
}

// TestCopilotWithTwoConfigurations: Copilot runs the hooks of Claude Code's
// settings besides its own. One event is one event.
func TestCopilotWithTwoConfigurations(t *testing.T) {
	c := newCopilot(t)
	dir := c.project("ledger")
	c.install("copilot")
	settings, called := map[string]any{}, filepath.Join(c.home, "called")
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"} {
		settings[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "echo " + event + " >> " + called + "; " + program + " hook claude-code " + event, "timeout": 10}}}}
	}
	data, err := json.Marshal(map[string]any{"hooks": settings})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	c.remember(dir, poolFact)
	c.remember(dir, "--type", "project-brief", briefFact)
	session := newUUID()
	c.ask(dir, session, "Remember that the nightly import starts at 02:00 UTC. And "+poolPrompt, `@@tool bash {"command":"echo one","description":"one"}`, "@@text It is noted.")
	requests := c.model.Since(0, scriptedllm.Chat)
	if len(requests) != 2 {
		t.Fatalf("%d requests, want 2", len(requests))
	}
	for _, r := range requests {
		c.expectInjected(r, 1, 1, briefFact, "ping every 30 s")
	}
	if got, err := os.ReadFile(called); err != nil || string(got) != "SessionStart\nUserPromptSubmit\nPostToolUse\nStop\nSessionEnd\n" {
		t.Fatalf("Copilot ran %q of Claude Code's hooks, %v", got, err)
	}
	c.awaitRecord(dir, session, "tool: copilot", "Done: It is noted.")
	c.awaitClosed(dir, session)
	if journal := c.journal(dir); strings.Count(journal, "Agent: It is noted.") != 1 || strings.Contains(journal, "claude") {
		t.Errorf("the journal has:\n%s", journal)
	}
	out, err := c.codememory(dir, "list", "--json")
	if err != nil || !strings.Contains(out, "02:00 UTC") || !strings.Contains(out, `"total": 3`) { // with the two of before
		t.Errorf("remembered, %v:\n%s", err, out)
	}
	events, err := os.ReadFile(filepath.Join(c.home, ".copilot", "session-state", session, "events.jsonl"))
	if err != nil || strings.Contains(string(events), `"success":false`) {
		t.Errorf("a hook failed, %v:\n%s", err, events)
	}
}

// copilotVolatile takes out of a request what differs from run to run.
func copilotVolatile(body string) string {
	for _, pattern := range []string{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, `call_[0-9]+_`, `<current_datetime>[^<]*`, `20[0-9-]+T[0-9:.]+Z?`} {
		body = regexp.MustCompile(pattern).ReplaceAllString(body, "X")
	}
	return body
}

// TestCopilotWithoutDaemon: what the model gets is what it would get if
// CodeMemory were not there.
func TestCopilotWithoutDaemon(t *testing.T) {
	c := newCopilot(t)
	dir := c.project("ledger")
	prompt := []string{poolPrompt, `@@tool bash {"command":"echo one","description":"one"}`, "@@text fine"}
	_, before := c.ask(dir, newUUID(), prompt...)
	without := c.model.Since(0)
	c.install("copilot")
	c.remember(dir, poolFact)
	if err := os.Remove(filepath.Join(c.home, ".copilot", "mcp-config.json")); err != nil { // adds tools to every request, daemon or not
		t.Fatal(err)
	}
	c.buryDaemon()
	n := c.model.Count()
	answer, after := c.ask(dir, newUUID(), prompt...)
	c.sameRequests(without, c.model.Since(n), copilotVolatile)
	t.Logf("without CodeMemory the run took %v, with it and a dead daemon %v", before, after)
	if !strings.Contains(answer, "fine") || after > before*3/2+1500*time.Millisecond {
		t.Errorf("answered %q after %v, without CodeMemory %v", answer, after, before)
	}
}
