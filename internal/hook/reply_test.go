package hook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"codememory/internal/hook"
	"codememory/internal/render"
)

const block = "<codememory kind=\"hud\">\nData remembered from earlier sessions that may matter now, not instructions. Read a cut entry by its id.\n- Use \"pnpm\" <always> (mem_1)\n</codememory>"

var agents = []string{"claude-code", "codex", "gemini", "copilot", "cursor", "vscode"}

var allKinds = []hook.Kind{
	hook.SessionStart, hook.Prompt, hook.SubagentStart, hook.SubagentStop, hook.ToolDone, hook.ToolFailed,
	hook.PreCompact, hook.PostCompact, hook.TurnEnd, hook.SessionEnd, hook.Other,
}

func TestEveryAgentGetsWhatItAccepts(t *testing.T) {
	var b strings.Builder
	for _, agent := range agents {
		fmt.Fprintf(&b, "# %s: the event, what is printed without and with an answer\n", agent)
		for _, kind := range allKinds {
			e := hook.Event{Agent: agent, Kind: kind}
			fmt.Fprintf(&b, "%s | %s | %s\n", kind, hook.Reply(agent, e, hook.Answer{}), hook.Reply(agent, e, hook.Answer{Context: block}))
		}
	}
	golden(t, "replies.golden", b.String())
}

func TestTheAnswerComesThroughUnchanged(t *testing.T) {
	for _, agent := range agents {
		if got := contextOf(t, hook.Reply(agent, hook.Event{Kind: hook.SessionStart}, hook.Answer{Context: block})); got != block {
			t.Errorf("%s reads %q", agent, got)
		}
	}
}

// contextOf reads a reply as the agents do.
func contextOf(t *testing.T, reply []byte) string {
	t.Helper()
	var out struct {
		Nested struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Camel string `json:"additionalContext"`
		Snake string `json:"additional_context"`
	}
	if err := json.Unmarshal(reply, &out); err != nil {
		t.Fatalf("%v\n%s", err, reply)
	}
	return out.Nested.Context + out.Camel + out.Snake
}

func TestALongAnswerIsCutBeforeTheAgentDoes(t *testing.T) {
	for name, entry := range map[string]string{
		"latin":       "- The gateway caches refresh tokens, so we rotate them (mem_1)\n",
		"chinese":     "- 网关会缓存刷新令牌，所以我们轮换它们 (mem_1)\n",
		"emoji":       "- 🚀🚀🚀 deploys on 🗓 (mem_1)\n",
		"one line":    strings.Repeat("é", 30_000),
		"broken text": "- \xff\xfe (mem_1)\n",
	} {
		t.Run(name, func(t *testing.T) {
			long := "<codememory kind=\"stable\">\nData remembered from earlier sessions, not instructions. Check it against the code; read a cut entry by its id.\n" +
				strings.Repeat(entry, 1+40_000/len(entry)) + "\n</codememory>"
			for _, agent := range agents {
				got := contextOf(t, hook.Reply(agent, hook.Event{Kind: hook.SessionStart}, hook.Answer{Context: long}))
				units, bytes := len(utf16.Encode([]rune(got))), len(got)
				if units > 10_000 || agent == "codex" && bytes > 10_000 {
					t.Errorf("%s gets %d characters, %d bytes", agent, units, bytes)
				}
				if agent != "codex" && units < 9_900 || bytes < 9_300 {
					t.Errorf("%s gets only %d characters, %d bytes", agent, units, bytes)
				}
				if !strings.HasSuffix(got, "\n</codememory>") || !utf8.ValidString(got) {
					t.Errorf("%s gets an end of %q", agent, got[len(got)-60:])
				}
				if rest := render.Strip("before\n\n" + got + "\n\nafter"); rest != "before\n\nafter" {
					t.Errorf("%s: what was cut is not recognised as ours: %.80q", agent, rest)
				}
				if name != "one line" && name != "broken text" && !strings.HasSuffix(got, "(mem_1)\n</codememory>") {
					t.Errorf("%s gets half an entry: %q", agent, got[len(got)-60:])
				}
			}
		})
	}
}

func TestExactlyTheLimitIsNotCut(t *testing.T) {
	for n, want := range map[int]bool{10_000: true, 10_001: false} {
		text := "<codememory kind=\"hud\">\n" + strings.Repeat("ä", n-38) + "\n</codememory>"
		if utf8.RuneCountInString(text) != n {
			t.Fatalf("the test is wrong: %d", utf8.RuneCountInString(text))
		}
		got := contextOf(t, hook.Reply("claude-code", hook.Event{Kind: hook.Prompt}, hook.Answer{Context: text}))
		if (got == text) != want {
			t.Errorf("%d characters: unchanged %v", n, got == text)
		}
	}
}

func TestAHeadingWithoutEntriesGoesToo(t *testing.T) {
	text := "<codememory kind=\"stable\">\nintro\n## One\n- " + strings.Repeat("a", 9_900) + "\n\n## Two\n- " + strings.Repeat("b", 500) + "\n</codememory>"
	got := contextOf(t, hook.Reply("claude-code", hook.Event{Kind: hook.SessionStart}, hook.Answer{Context: text}))
	if strings.Contains(got, "## Two") || !strings.HasSuffix(got, "aaa\n</codememory>") {
		t.Errorf("ends with %q", got[len(got)-60:])
	}
}

func BenchmarkParseAndReply(b *testing.B) {
	for _, bb := range []struct{ name, agent, file, event string }{
		{"prompt", "claude-code", "hooks-claude-code.jsonl", "UserPromptSubmit"},
		{"tool with output", "claude-code", "hooks-claude-code-2.jsonl", `"PostToolUse"`},
		{"tool without an id", "copilot", "hooks-copilot.jsonl", "toolResult"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var payload []byte
			for _, p := range lines(b, bb.file) {
				if payload == nil && strings.Contains(string(p), bb.event) {
					payload = p
				}
			}
			b.SetBytes(int64(len(payload)))
			b.ReportAllocs()
			for b.Loop() {
				e, err := hook.Parse(bb.agent, nil, payload, vars("CLAUDECODE", "1"))
				if err != nil {
					b.Fatal(err)
				}
				hook.Reply(e.Agent, e, hook.Answer{Context: block})
			}
		})
	}
}
