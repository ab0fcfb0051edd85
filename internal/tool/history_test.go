package tool_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"codememory"
	"codememory/internal/tool"

	"github.com/google/go-cmp/cmp"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// turn is a prompt with an answer and a command between.
func turn(id, prompt, answer string, after time.Duration) codememory.Turn {
	exit := 1
	at := start.Add(after)
	return codememory.Turn{
		ID: id, Prompt: prompt, State: codememory.TurnDone, StartedAt: at,
		Steps: []codememory.Step{
			{At: at, Message: id + "-a", Tool: &codememory.ToolCall{Name: "bash", Target: "make lint", Output: "first line\nerror: unused variable", Exit: &exit}},
			{At: at, Message: id + "-b", Text: answer},
		},
	}
}

func claude() *records {
	return (&records{name: "claude-code"}).with(
		codememory.AgentSession{ID: "c1", Title: "Move | to\nPostgres", Dir: "/src/app", CreatedAt: start, ActiveAt: start.Add(time.Hour)},
		turn("t1", "why do we use postgres?", "Because of row level security.", 0),
		turn("t2", "set discount to 50% in tax_rate", "Done, 50% now.", time.Minute),
	)
}

func TestAnAgentIsNamedOnlyWhereThereAreSeveral(t *testing.T) {
	two := newWorld(t, sample(t), claude())
	want := "# Recent Sessions\n\n| ID | Title | Updated | Messages | Agent |\n|----|-------|---------|----------|-------|\n" +
		"| c1 | Move \\| to Postgres | 2026-03-01 10:00:00 | 4 | claude-code |\n" +
		"| ses_main | Fix OAuth refresh | 2023-11-14 22:13:29 | 7 | opencode |\n" +
		"| ses_glob | Global chat | 2023-11-14 22:13:21 | 1 | opencode |\n\n" +
		`Use memory({tool: "messages", args: {sessionId: "..."}}) to read the full conversation.`
	if diff := cmp.Diff(want, two.ask(`{"tool": "sessions"}`)); diff != "" {
		t.Error(diff)
	}
	if got := two.ask(`{"tool": "summary"}`); !strings.Contains(got, "- **sessions (total)**: 4\n- **messages**: 14\n- **todos**: 1\n- **opencode**: 3 sessions\n- **claude-code**: 1 session") {
		t.Error(got)
	}
	if got := newWorld(t, claude()).ask(`{"tool": "sessions"}`); strings.Contains(got, "Agent") {
		t.Error(got)
	}
}

func TestAnAgentThatCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	broken := &records{name: "codex", broken: codememory.Errorf(codememory.Unavailable, "the records are locked")}
	w := newWorld(t, claude())
	w.Router = tool.New(w.options([]codememory.Transcripts{broken, claude()}))
	if got := w.ask(`{"tool": "sessions"}`); !strings.Contains(got, "| c1 |") || !strings.Contains(got, "Note: codex: the records are locked") {
		t.Error(got)
	}
}

func TestSearchTakesEveryCharacterLiterally(t *testing.T) {
	w := newWorld(t, claude())
	for query, want := range map[string]int{"50%": 2, "tax_rate": 1, "taxXrate": 0, "%": 2, "_": 1, "5_%": 0, `"'; DROP TABLE`: 0} {
		got := w.ask(fmt.Sprintf(`{"tool": "search", "args": {"query": %q}}`, query))
		if n := strings.Count(got, "- Snippet:"); n != want {
			t.Errorf("%s: %d results, want %d\n%s", query, n, want, got)
		}
	}
	for _, query := range []string{"50%", "_"} { // and without an index
		o := w.options([]codememory.Transcripts{claude()})
		o.History = nil
		w.Router = tool.New(o)
		if got := w.ask(fmt.Sprintf(`{"tool": "search", "args": {"query": %q}}`, query)); !strings.Contains(got, "tax_rate") {
			t.Errorf("%s: %s", query, got)
		}
	}
}

func TestSearchFindsWordsInAnyOrderAndWhatToolsSaid(t *testing.T) {
	w := newWorld(t, claude())
	if got := w.ask(`{"tool": "search", "args": {"query": "postgres using why"}}`); !strings.Contains(got, "why do we use postgres?") {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "search", "args": {"query": "unused variable", "limit": 1}}`); !strings.Contains(got, "- Role: tool\n- Snippet: `make lint` → exit 1: error: unused variable") {
		t.Error(got)
	}
}

func TestASnippetShowsWhereTheMatchIs(t *testing.T) {
	long := strings.Repeat("filler words ", 200) + "the needle is here " + strings.Repeat("more filler ", 200)
	w := newWorld(t, (&records{name: "codex"}).with(codememory.AgentSession{ID: "s", ActiveAt: start}, turn("t", long, "ok", 0)))
	got := w.ask(`{"tool": "search", "args": {"query": "needle"}}`)
	if !strings.Contains(got, "- Snippet: ...") || !strings.Contains(got, "the needle is here") || len(got) > 1000 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestToolsAreShownWhenAskedFor(t *testing.T) {
	w := newWorld(t, claude())
	const line = "🔧 `make lint` → exit 1: error: unused variable"
	for arguments, want := range map[string]bool{
		`{"tool": "messages", "args": {"sessionId": "c1"}}`:                            false,
		`{"tool": "messages", "args": {"sessionId": "c1", "showTools": true}}`:         true,
		`{"tool": "messages", "session_id": "c1", "show_tools": "true"}`:               true,
		`{"tool": "messages", "args": "{\"sessionID\": \"c1\", \"showTools\": true}"}`: true,
	} {
		if got := w.ask(arguments); strings.Contains(got, line) != want {
			t.Errorf("%s\n%s", arguments, got)
		}
	}
	if got := w.ask(`{"tool": "messages", "args": {"sessionId": "c1"}}`); !strings.HasSuffix(got, "2 messages hold only tool calls: showTools: true shows them.") {
		t.Error(got)
	}
	full := w.ask(`{"tool": "message", "args": {"messageId": "t1-a", "showTools": true}}`)
	if !strings.Contains(full, line+"\n```\nfirst line\nerror: unused variable\n```") {
		t.Error(full)
	}
}

func TestLongMessagesAreCutAsOpenMemoryDoes(t *testing.T) {
	w := newWorld(t, (&records{name: "codex"}).with(codememory.AgentSession{ID: "s"}, turn("t", "Hello", strings.Repeat("x", 30), 0)))
	formats := golden[map[string]string](t, "open_memory_formats.json")
	clock := strings.NewReplacer("_t1_", "_2026-03-01 09:00:00_", "_t2_", "_2026-03-01 09:00:00_", "_t_", "_2026-03-01 09:00:00_")
	got := w.ask(`{"tool": "messages", "args": {"sessionId": "s", "maxLength": 10}}`)
	if want := clock.Replace(formats["messages"]) + "\n\n1 message holds only tool calls: showTools: true shows them."; got != want {
		t.Error(cmp.Diff(want, got))
	}
	got = w.ask(`{"tool": "message", "args": {"messageId": "t-b", "maxLength": 10}}`)
	if want := clock.Replace(formats["message"]); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestMessagesAreReadPageByPage(t *testing.T) {
	var turns []codememory.Turn
	for i := range 60 {
		turns = append(turns, turn(fmt.Sprint("t", i), fmt.Sprint("question ", i), strings.Repeat("long answer ", 150), time.Duration(i)*time.Minute))
	}
	w := newWorld(t, (&records{name: "codex"}).with(codememory.AgentSession{ID: "s", ActiveAt: start}, turns...))
	seen, before := map[string]bool{}, ""
	for range 60 {
		got := w.ask(fmt.Sprintf(`{"tool": "messages", "args": {"sessionId": "s", "limit": 40, "before": %q}}`, before))
		if len(got) > 24<<10 || !utf8.ValidString(got) {
			t.Fatalf("an answer of %d bytes", len(got))
		}
		for i := range 60 {
			if strings.Contains(got, fmt.Sprintf("\nquestion %d\n", i)) {
				seen[fmt.Sprint(i)] = true
			}
		}
		_, rest, more := strings.Cut(got, "before: \"")
		if !more {
			break
		}
		before, _, _ = strings.Cut(rest, "\"")
	}
	if len(seen) != 60 {
		t.Errorf("%d of 60 questions were seen", len(seen))
	}
}

func TestContextCountsWhatTheAgentCounts(t *testing.T) {
	reading := func(n int, tokens codememory.TokenCount) codememory.Turn {
		u := turn(fmt.Sprint("t", n), "q", "a", time.Duration(n)*time.Minute)
		u.Tokens, u.Model = tokens, "anthropic/opus"
		return u
	}
	growing := []codememory.Turn{}
	for i := range 5 {
		growing = append(growing, reading(i, codememory.TokenCount{Total: 50_000 + i*10_000}))
	}
	compaction := codememory.Turn{ID: "c", Kind: codememory.CompactionTurn, Prompt: "auto"}
	for name, tt := range map[string]struct {
		turns []codememory.Turn
		model tool.Model
		want  string
	}{
		"cached tokens fill the window": {
			[]codememory.Turn{reading(1, codememory.TokenCount{Input: 100, Output: 5, CacheRead: 100_000, CacheWrite: 20_000})},
			tool.Model{Context: 200_000, Output: 8_000},
			"Context: 63% used\nTokens: 120,105 / 192,000\nModel: anthropic/opus\nStatus: GREEN — healthy",
		},
		"the total counts where there is one": {
			[]codememory.Turn{reading(1, codememory.TokenCount{Total: 70, Input: 1})},
			tool.Model{Context: 110, Output: 10, Provider: "p", ID: "m"},
			"Context: 70% used\nTokens: 70 / 100\nModel: p/m\nStatus: YELLOW — consider compacting at the next break point",
		},
		"an own limit of the input": {
			[]codememory.Turn{reading(1, codememory.TokenCount{Total: 92_000})},
			tool.Model{Context: 400_000, Input: 120_000, Output: 64_000},
			"Context: 92% used\nTokens: 92,000 / 100,000\nModel: anthropic/opus\nStatus: CRITICAL — automatic compaction is imminent",
		},
		"limits that nobody told": {
			[]codememory.Turn{reading(1, codememory.TokenCount{Total: 1_680})},
			tool.Model{},
			"Context: 1% used\nTokens: 1,680 / 168,000 (assumed: the model's limits are not known)\nModel: anthropic/opus\nStatus: GREEN — healthy",
		},
		"a trend": {
			growing,
			tool.Model{Context: 132_000},
			"Context: 90% used\nTokens: 90,000 / 100,000\nModel: anthropic/opus\nStatus: RED — compact now, at the end of this step\nTrend: growing, about 1 more turn at this pace",
		},
		"what was before a compaction does not count": {
			append(append([]codememory.Turn{}, growing...), compaction, reading(9, codememory.TokenCount{Total: 20_000}), reading(10, codememory.TokenCount{Total: 21_000})),
			tool.Model{Context: 132_000},
			"Context: 21% used\nTokens: 21,000 / 100,000\nModel: anthropic/opus\nStatus: GREEN — healthy",
		},
		"nothing was measured after a compaction": {
			append(append([]codememory.Turn{}, growing...), compaction),
			tool.Model{Context: 132_000},
			"Context: 90% used\nTokens: 90,000 / 100,000\nModel: anthropic/opus\nStatus: RED — compact now, at the end of this step\nNote: the conversation was compacted after this was measured; less is used now.",
		},
		"no call yet": {nil, tool.Model{}, "No context data yet: the session has made no call of a model."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, (&records{name: "opencode"}).with(codememory.AgentSession{ID: "s"}, tt.turns...))
			w.req.Session, w.req.Model = "s", tt.model
			if diff := cmp.Diff(tt.want, w.ask(`{"tool": "context"}`)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlansStayInTheirFolder(t *testing.T) {
	w := newWorld(t)
	plans := filepath.Join(w.data, "opencode", "plans")
	for path, text := range map[string]string{
		filepath.Join(plans, "auth.md"):                 "# Auth plan",
		filepath.Join(plans, "notes.txt"):               "not a plan",
		filepath.Join(w.data, "opencode", "auth.json"):  "SECRET",
		filepath.Join(w.data, "opencode", "outside.md"): "SECRET",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink(filepath.Join(w.data, "opencode", "outside.md"), filepath.Join(plans, "link.md")) == nil
	if got := w.ask(`{"tool": "plans"}`); !strings.Contains(got, "| auth.md |") || strings.Contains(got, "notes.txt") || strings.Contains(got, "link.md") {
		t.Error(got)
	}
	if got := w.ask(`{"tool": "plans", "args": {"read": "auth.md"}}`); got != "# Auth plan" {
		t.Error(got)
	}
	names := []string{"../outside.md", "../auth.json", "..", "/etc/passwd", `..\outside.md`, "plans/../../outside.md", "none.md", "notes.txt"}
	if links {
		names = append(names, "link.md")
	}
	for _, name := range names {
		if got := w.ask(fmt.Sprintf(`{"tool": "plans", "args": {"read": %q}}`, name)); strings.Contains(got, "SECRET") || strings.Contains(got, "root:") || strings.Contains(got, "not a plan\n") || !strings.Contains(got, "lan") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestMistakesAreAnsweredWithTheCallThatHelps(t *testing.T) {
	w := newWorld(t, claude())
	for arguments, want := range map[string]string{
		`{"tool": "nope"}`:                                        `Unknown tool: nope. Call memory({tool: "help"}) for available operations.`,
		`{"tool": "help", "args": {"tool": "nope"}}`:              `Unknown tool: nope. Call memory({tool: "help"}) for available operations.`,
		`{"tool": "messages"}`:                                    `sessionId is required: memory({tool: "messages"`,
		`{"tool": "messages", "args": {"sessionId": "gone"}}`:     `no agent has a session gone. memory({tool: "sessions"}) lists the recent ones.`,
		`{"tool": "message", "args": {"messageId": "gone"}}`:      `no message gone was found.`,
		`{"tool": "search"}`:                                      `query is required`,
		`{"tool": "transcript", "session": "c1", "turn": "x"}`:    `session c1 has no turn x`,
		`{"tool": "compactions", "session": "c1"}`:                `No compactions found for this session.`,
		`{"tool": "children", "session": "c1"}`:                   `No sub-agent sessions found.`,
		`{"tool": "messages", "session": "c1", "role": "system"}`: `No messages found.`,
		`{"mode": "recall"}`:                                      `{"success":false,"error":"recall is not a mode: call memory({tool: \"recall\", args: {...}})."}`,
		`{"mode": "nope"}`:                                        `{"success":false,"error":"Unknown mode: nope. Call memory({mode: \"help\"}) for available modes."}`,
		`{"mode": "add"}`:                                         `{"success":false,"error":"content is required`,
		`{"mode": "add", "content": "x", "scope": "team"}`:        `unknown scope \"team\": use project or user`,
		`{"mode": "add", "content": "x", "type": "poem"}`:         `{"success":false,"error":"unknown type`,
		`{"mode": "forget", "memoryId": "mem_00000000"}`:          `{"success":false,"error":"no memory`,
		`{"mode": "forget", "memoryId": "not an id"}`:             `{"success":false,"error":`,
		`{"args": {"tool": "nope"}}`:                              `Unknown tool: nope`,
	} {
		if got := w.ask(arguments); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", arguments, got, want)
		}
	}
	if got := w.ask(`{}`); !strings.HasPrefix(got, "# Memory Tools") {
		t.Error(got)
	}
	if got := w.call("memory_fly", `{}`); !strings.HasPrefix(got, "Unknown tool: memory_fly. Available: memory, memory_search") {
		t.Error(got)
	}
}
