//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"codememory/e2e/scriptedllm"
)

// TestClearedConversation types into Claude Code: /clear ends one session and
// begins another, which knows nothing of the first but what is remembered.
func TestClearedConversation(t *testing.T) {
	w := newWorld(t)
	w.addClaude()
	dir := w.project("ledger")
	w.writeJSON(".claude.json", map[string]any{ // as if the first questions were answered
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{w.env["ANTHROPIC_API_KEY"]}, "rejected": []string{}},
		"projects":              map[string]any{dir: map[string]any{"hasTrustDialogAccepted": true}},
	})
	w.install("claude")
	w.remember(dir, poolFact)
	w.remember(dir, "--type", "project-brief", briefFact)
	term := w.terminal(dir, w.programs["claude-code"], "--permission-mode", "acceptEdits")
	term.shows("❯")
	ask := func(prompt string) scriptedllm.Request {
		t.Helper()
		n := w.model.Count()
		term.enter(prompt)
		var found scriptedllm.Request
		w.await(20*time.Second, "the model is asked", func() bool {
			for _, r := range w.model.Since(n, scriptedllm.Chat) {
				if len(r.Tools) > 0 && strings.Contains(r.Users(), prompt) {
					found = r
					return true
				}
			}
			return false
		})
		w.await(15*time.Second, "the turn is over", func() bool {
			out, _ := w.codememory(dir, "journal")
			return strings.Contains(out, prompt)
		})
		return found
	}
	first := ask("why does the pool of the staging database lose connections?")
	if injected(first, "stable") != 1 || injected(first, "hud") != 1 {
		t.Errorf("begun with %d stable blocks and %d HUDs: %s", injected(first, "stable"), injected(first, "hud"), first.Body)
	}
	again := ask("and why does the pool of the staging database lose them at night?")
	if injected(again, "stable") != 1 || injected(again, "hud") != 1 {
		t.Errorf("gone on with %d stable blocks and %d HUDs: %s", injected(again, "stable"), injected(again, "hud"), again.Body)
	}
	term.enter("/clear")
	closed := func(n int) func() bool {
		return func() bool {
			out, err := w.codememory(dir, "sessions")
			return err == nil && strings.Count(out, "claude-code, closed") == n
		}
	}
	w.await(15*time.Second, "the cleared session is closed", closed(1))
	fresh := ask("tell me why the staging database drops connections of the pool")
	if strings.Contains(fresh.Users(), "lose them at night") {
		t.Fatalf("the conversation was not cleared: %q", fresh.Users())
	}
	if injected(fresh, "stable") != 1 || injected(fresh, "hud") != 1 || !strings.Contains(fresh.Text(), briefFact) || !strings.Contains(fresh.Text(), "ping every 30 s") {
		t.Errorf("begun again with %d stable blocks and %d HUDs: %s", injected(fresh, "stable"), injected(fresh, "hud"), fresh.Body)
	}
	term.paste("Keep it.", `@@tool mcp__codememory__memory {"mode":"add","content":"Reports are rendered with templ.","type":"tech-context"}`, "@@text kept")
	w.await(15*time.Second, "the model has saved it", func() bool { return strings.Contains(w.journal(dir), "Agent: kept") })
	out, err := w.codememory(dir, "sessions")
	if err != nil {
		t.Fatal(err)
	}
	open := strings.Fields(out)[0]
	if out, err = w.codememory(dir, "list", "--json", "--type", "tech-context"); err != nil || !strings.Contains(out, `"session": "`+open+`"`) {
		t.Errorf("saved after /clear, but not in session %s: %v %s", open, err, out)
	}
	term.enter("/exit")
	term.ended()
	w.await(15*time.Second, "both sessions are closed", closed(2))
}

// TestSubagentOfClaude works without memory, and is only indexed.
func TestSubagentOfClaude(t *testing.T) {
	w := newWorld(t)
	w.addClaude()
	w.install("claude")
	dir := w.project("ledger")
	w.remember(dir, poolFact)
	w.remember(dir, "--type", "project-brief", briefFact)
	claudeCode.run(w, dir, "", poolPrompt,
		`@@tool Agent {"description":"explore","prompt":"SUBAGENT-WORK we decided to use walruses for the connection pool because seals are too small\n@@text found it","subagent_type":"general-purpose","run_in_background":false}`, "@@text done")
	children := 0
	for _, r := range w.model.Since(0) {
		if strings.Contains(r.Users(), "@@tool Agent") {
			continue
		}
		children++
		if strings.Contains(r.Text(), "<codememory") {
			t.Errorf("the subagent was sent %s", r.Body)
		}
	}
	if children != 1 {
		t.Errorf("%d requests of the subagent", children)
	}
	w.await(10*time.Second, "the turn is over", func() bool { return strings.Contains(w.journal(dir), "Delegated: explore") })
	out, err := w.codememory(dir, "list", "--json")
	if err != nil || strings.Contains(out, "walruses") {
		t.Errorf("the task of a subagent is taken for the user's words: %v\n%s", err, out)
	}
}
