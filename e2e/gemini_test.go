//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"codememory/e2e/npmcache"
	"codememory/e2e/scriptedllm"
)

// geminiVersion is the release of Gemini CLI that is tested.
const geminiVersion = "0.61.0"

// geminiCLI is a world with Gemini CLI, which talks to nobody but the model.
type geminiCLI struct {
	*world
	node, script string
}

func newGemini(t *testing.T) *geminiCLI {
	t.Helper()
	w := newWorld(t)
	modules := npmcache.Modules(t, "@google/gemini-cli", geminiVersion)
	w.env["GEMINI_API_KEY"], w.env["GOOGLE_GEMINI_BASE_URL"] = "dummy", w.model.Root()
	g := &geminiCLI{w, npmcache.Node(t), filepath.Join(modules, "@google", "gemini-cli", "bundle", "gemini.js")}
	g.settings(map[string]any{
		"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
		"privacy":  map[string]any{"usageStatisticsEnabled": false},
		// At its start it deletes chats that it finds too old or strange, after a while.
		"general": map[string]any{"enableAutoUpdate": false, "sessionRetention": map[string]any{"enabled": false}},
	})
	return g
}

func (g *geminiCLI) settingsFile() string { return filepath.Join(g.folder(".gemini"), "settings.json") }

func (g *geminiCLI) settings(s map[string]any) {
	g.Helper()
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(g.settingsFile(), data, 0o600)
	}
	if err != nil {
		g.Fatal(err)
	}
}

// withoutServers takes the MCP server out, which adds tools to every request
// whether or not there is a daemon.
func (g *geminiCLI) withoutServers() {
	g.Helper()
	data, err := os.ReadFile(g.settingsFile())
	if err != nil {
		g.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		g.Fatal(err)
	}
	delete(s, "mcpServers")
	g.settings(s)
}

// geminiRun is what a run printed.
type geminiRun struct {
	Session  string `json:"session_id"`
	Response string `json:"response"`
	took     time.Duration
}

// ask runs one prompt to its end.
func (g *geminiCLI) ask(dir string, args []string, lines ...string) geminiRun {
	g.Helper()
	command := []string{g.node, g.script, "-m", "gemini-2.5-pro", "--skip-trust", "--yolo", "-o", "json", "-p", scriptedPrompt(lines)}
	out, took := g.runs(dir, append(command, args...)...)
	r := geminiRun{took: took}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		g.Fatalf("gemini: %v in %s", err, out)
	}
	return r
}

// TestGemini goes through the life of sessions in the real Gemini CLI.
func TestGemini(t *testing.T) {
	g := newGemini(t)
	dir := g.project("ledger")
	g.install("gemini")
	g.remember(dir, poolFact)
	g.remember(dir, "--type", "project-brief", briefFact)

	first := g.ask(dir, nil, ledgerFact+" And "+poolPrompt,
		`@@tool write_file {"file_path":"notes.txt","content":"alpha\n"}`,
		`@@tool run_shell_command {"command":"echo boom; exit 3","description":"fails"}`,
		`@@tool mcp_codememory_memory {"mode":"search","query":"connection pool staging"}`,
		"@@text It is noted.")
	if first.Response != "It is noted." {
		t.Fatalf("answered %q", first.Response)
	}
	requests := g.model.Since(0, scriptedllm.Chat)
	if len(requests) != 4 {
		t.Fatalf("%d requests, want 4", len(requests))
	}
	for _, r := range requests {
		g.expectInjected(r, 1, 1, briefFact, "ping every 30 s", "<hook_context>")
	}
	if got := requests[3].Results(); !strings.Contains(got, "ping every 30 s") || !strings.Contains(got, "Exit Code: 3") {
		t.Errorf("the tools gave %s", got)
	}
	record := g.awaitRecord(dir, first.Session, "tool: gemini", "## Goal\n"+ledgerFact[:40], "### Created\n- `notes.txt`", "Done: It is noted.", "Failed: `echo boom; exit 3` (exit code 3)")
	g.notOurs("the record", record.text)
	g.awaitClosed(dir, first.Session)
	g.known(dir, ledgerQuestion, ledgerKnown)

	t.Run("the second session knows the first", func(t *testing.T) {
		g := g.in(t)
		n := g.model.Count()
		g.ask(dir, nil, ledgerQuestion, "@@text PostgreSQL 17.")
		requests := g.model.Since(n, scriptedllm.Chat)
		if len(requests) != 1 {
			t.Fatalf("%d requests, want 1", len(requests))
		}
		g.expectInjected(requests[0], 1, 0, briefFact) // the stable block says it, so no HUD does
		g.expectOnce(requests[0], ledgerFact)
	})
	t.Run("a resumed session goes on with its record", func(t *testing.T) {
		g := g.in(t)
		n := g.model.Count()
		second := g.ask(dir, []string{"--resume", first.Session}, "And which port does the ledger listen on?", "@@text Port 7000.")
		if second.Session != first.Session {
			t.Fatalf("session %s was resumed as %s", first.Session, second.Session)
		}
		for _, r := range g.model.Since(n, scriptedllm.Chat) {
			if !strings.Contains(r.Text(), "It is noted.") {
				t.Error("Gemini itself has not resumed the session")
			}
			// It has forgotten what hooks added to the turns before.
			g.expectInjected(r, 1, 0, briefFact, ledgerKnown)
		}
		record := g.awaitRecord(dir, first.Session, "Done: It is noted.", "Done: Port 7000.")
		g.notOurs("the record", record.text)
		g.awaitClosed(dir, first.Session)
	})
	t.Run("a compaction is noted and loses nothing", func(t *testing.T) {
		g := g.in(t)
		n := g.model.Count()
		// It compacts what is before the last turns, so there have to be some.
		long := g.ask(dir, []string{"--resume", first.Session}, "Tidy up the reports of the benchmark runner.",
			`@@tool run_shell_command {"command":"echo one"}`, `@@tool run_shell_command {"command":"echo two"}`, "@@usage-always 900000", "@@text Tidied up.")
		if len(g.model.Since(n, scriptedllm.Compaction)) == 0 {
			t.Fatal("Gemini did not compact")
		}
		for _, r := range g.model.Since(n, scriptedllm.Compaction) {
			g.expectInjected(r, 0, 0)
		}
		for _, r := range g.model.Since(n, scriptedllm.Chat) {
			g.expectInjected(r, 1, injected(r, "hud"), briefFact)
		}
		g.notOurs("the record", g.awaitRecord(dir, long.Session, "Done: Tidied up.").text)
		if got := g.journal(dir); !strings.Contains(got, "The conversation was compacted") || !strings.Contains(got, "SCRIPTED-SUMMARY") {
			t.Errorf("the journal does not know of the compaction:\n%s", got)
		}
	})
	t.Run("journal, transcript and history have each turn once", func(t *testing.T) {
		g := g.in(t)
		journal := g.journal(dir)
		g.notOurs("the journal", journal)
		for _, once := range []string{"- User asked: " + ledgerFact, "Created notes.txt", "`echo boom; exit 3` → error: exit code 3", "Agent: It is noted.", "Agent: Port 7000.", "- User: " + ledgerQuestion} {
			if got := strings.Count(journal, once); got != 1 {
				t.Errorf("the journal has %q %d times:\n%s", once, got, journal)
			}
		}
		transcript, err := g.codememory(dir, "transcript", first.Session, "--tools")
		if err != nil || !strings.Contains(transcript, "It is noted.") || !strings.Contains(transcript, "Port 7000.") || !strings.Contains(transcript, "echo boom; exit 3") || !strings.Contains(transcript, "created and wrote to new file") {
			t.Errorf("%v in %s", err, transcript)
		}
		g.notOurs("the transcript", transcript)
		n := g.model.Count()
		g.ask(dir, nil, "look into the past", `@@tool mcp_codememory_memory {"tool":"search","args":{"query":"port of the ledger"}}`, "@@text done")
		requests := g.model.Since(n, scriptedllm.Chat)
		if got := requests[len(requests)-1].Results(); !strings.Contains(got, "Port 7000.") {
			t.Errorf("the history gave %s", got)
		}
	})
}

func (g *geminiCLI) in(t *testing.T) *geminiCLI {
	w := *g.world
	w.T = t
	return &geminiCLI{&w, g.node, g.script}
}

// geminiVolatile takes out of a request what differs from run to run.
func geminiVolatile(body string) string {
	body = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllString(body, "ID")
	body = regexp.MustCompile(`call_[0-9]+_`).ReplaceAllString(body, "call_")
	return regexp.MustCompile(`Process Group PGID: [0-9]+`).ReplaceAllString(body, "PGID")
}

// TestGeminiWithoutDaemon: what the model gets is what it would get if CodeMemory
// were not there.
func TestGeminiWithoutDaemon(t *testing.T) {
	g := newGemini(t)
	dir := g.project("ledger")
	prompt := []string{poolPrompt, `@@tool run_shell_command {"command":"echo one"}`, "@@text fine"}
	before := g.ask(dir, nil, prompt...)
	without := g.model.Since(0)
	g.install("gemini")
	g.remember(dir, poolFact)
	g.withoutServers()
	g.buryDaemon()
	n := g.model.Count()
	after := g.ask(dir, nil, prompt...)
	g.sameRequests(without, g.model.Since(n), geminiVolatile)
	t.Logf("without CodeMemory the run took %v, with it and a dead daemon %v", before.took, after.took)
	if after.Response != "fine" || after.took > before.took*3/2+1500*time.Millisecond {
		t.Errorf("answered %q after %v, without CodeMemory %v", after.Response, after.took, before.took)
	}
}
