package hook_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/hook"
)

// Cursor's records cannot be read, so its hooks tell all there is to know.
func TestWhatCursorsHooksKnowIsToldInFull(t *testing.T) {
	d := &daemon{}
	taken := map[string]bool{}
	claim := func(key string) bool {
		defer func() { taken[key] = true }()
		return !taken[key]
	}
	for _, payload := range []string{
		`"hook_event_name":"beforeSubmitPrompt","prompt":"add a test"`,
		`"hook_event_name":"afterFileEdit","file_path":"/w/app/a.go","edits":[{"old_string":"a","new_string":"b"}]`,
		`"hook_event_name":"afterFileEdit","file_path":"/w/app/b.go","edits":[{"old_string":"a","new_string":"b"}]`,
		`"hook_event_name":"afterFileEdit","file_path":"/w/app/b.go","edits":[{"old_string":"a","new_string":"b"}]`, // by Claude Code's configuration
		`"hook_event_name":"afterAgentResponse","text":"Added the test."`,
		`"hook_event_name":"stop","status":"completed","loop_count":0`,
		`"hook_event_name":"sessionEnd","session_id":"c1","reason":"completed","duration_ms":5`,
	} {
		stdin := `{"conversation_id":"c1","generation_id":"g1","model":"m","cursor_version":"3.1","workspace_roots":["/w/app"],` + payload + `}`
		runHook(t, hook.Options{Agent: "cursor", Stdin: strings.NewReader(stdin), Connect: connectTo(d), Claim: claim})
	}
	edit := func(path string) *codememory.ToolCall {
		return &codememory.ToolCall{Name: "edit", Target: path, Changed: []codememory.FileChange{{Path: path, Change: codememory.FileModified}}}
	}
	poke := func(event string, said codememory.TurnEvent) codememory.Poke {
		said.Turn, said.Model = "g1", "m"
		return codememory.Poke{Agent: "cursor", Session: "c1", Dir: "/w/app", Event: event, Said: &said}
	}
	want := []codememory.Poke{
		poke("prompt", codememory.TurnEvent{Prompt: "add a test"}),
		poke("tool", codememory.TurnEvent{Tool: edit("/w/app/a.go")}),
		poke("tool", codememory.TurnEvent{Tool: edit("/w/app/b.go")}),
		poke("said", codememory.TurnEvent{Text: "Added the test."}),
		poke("idle", codememory.TurnEvent{Ended: "completed"}),
		poke("ended", codememory.TurnEvent{}),
	}
	if diff := cmp.Diff(want, d.pokes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
