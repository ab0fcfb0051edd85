package tool_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codememory/internal/tool"

	"github.com/google/go-cmp/cmp"
)

func golden[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// corrected says for the calls whose original answer is wrong what is right.
func corrected(name, original string) string {
	const injected = "\n[MEMORY] injected"
	switch name {
	case `sessions {"projectPath":"/tmp/proj"}`: // OpenCode files a session outside of a repository under "/", but it is one of its folder
		const main, global = "| ses_main | Fix OAuth refresh | 2023-11-14 22:13:29 | 7 |", "| ses_glob | Global chat | 2023-11-14 22:13:21 | 1 |"
		return strings.Replace(original, main, main+"\n"+global, 1)
	case `messages {"sessionId":"ses_main"}`: // a part that a plugin added is not the user's
		return strings.Replace(original, injected, "", 1)
	case `messages {"sessionId":"ses_main","showTools":true}`: // and the tools are shown
		return strings.NewReplacer(injected, "", "Checking the code", "Checking the code\n🔧 `go test ./...`").Replace(original)
	case `search {"query":"_"}`: // nothing holds one
		return `No results found for "_". memory({tool: "recall", args: {query: "..."}}) searches the memories too.`
	case `search {"query":"auth.go"}`: // the subagent found it too
		const subagent = "### Explore auth code (@explore subagent) (2023-11-14 22:13:20)\n- Session: `ses_child`\n- Sub-agent of: `ses_main`\n- Role: assistant\n- Snippet: auth.go line 10..."
		return strings.Replace(original, "\n\nUse ", "\n\n"+subagent+"\n\nUse ", 1)
	case "context {}": // cached tokens fill the window too, and not all of it is usable
		return "Context: 89% used\nTokens: 150,105 / 168,000\nModel: anthropic/claude-x\nStatus: RED — compact now, at the end of this step\nNote: the conversation was compacted after this was measured; less is used now."
	}
	return original
}

func TestHistoryOperationsAnswerAsOpenMemoryDoes(t *testing.T) {
	w := newWorld(t, sample(t))
	w.req.Session, w.req.Model = "ses_main", tool.Model{Provider: "anthropic", ID: "claude-x", Context: 200_000}
	for name, original := range golden[map[string]string](t, "open_memory_router.json") {
		op, arguments, _ := strings.Cut(name, " ")
		got := w.ask(`{"tool": "` + op + `", "args": ` + arguments + `}`)
		switch name {
		case "help {}", `help {"tool":"search"}`: // there is more to tell now
			for line := range strings.Lines(original) {
				if !strings.Contains(got+"\n", line) {
					t.Errorf("%s: %q is missing in\n%s", name, line, got)
				}
			}
		default:
			if diff := cmp.Diff(corrected(name, original), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestTranscriptsAreShownAsMemsearchDoes(t *testing.T) {
	w := newWorld(t, sample(t))
	var want []string
	for _, turn := range golden[[]struct{ Render string }](t, "memsearch_turns.json") {
		want = append(want, turn.Render)
	}
	if diff := cmp.Diff(strings.Join(want, "\n\n"), w.call(tool.ToolTranscript, `{"session_id": "ses_main"}`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := w.call(tool.ToolTranscript, `{"session_id": "ses_main", "turn_id": "msg_u3", "context": 0}`); got != want[1] {
		t.Errorf("one turn:\n%s", got)
	}
}
