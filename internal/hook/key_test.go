package hook_test

import (
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"codememory/internal/hook"
)

func TestOneEventHasOneKeyThroughTwoConfigurations(t *testing.T) {
	inCopilot := vars("COPILOT_CLI", "1")
	recorded := lines(t, "hooks-copilot.jsonl")
	for name, pair := range map[string][2]int{"session start": {0, 1}, "prompt": {2, 3}, "tool": {5, 6}, "turn end": {11, 12}} {
		t.Run("Copilot "+name, func(t *testing.T) {
			own := parsed(t, "copilot", nil, string(recorded[pair[0]]), inCopilot)
			claude := parsed(t, "claude-code", nil, string(recorded[pair[1]]), inCopilot)
			if own.Key != claude.Key || own.Agent != "copilot" || claude.Agent != "copilot" {
				t.Errorf("%+v\n%+v", own, claude)
			}
		})
	}
	const common = `"conversation_id":"c1","generation_id":"g1","cursor_version":"3.1","workspace_roots":["/w"]`
	for name, pair := range map[string][2]string{
		"session start": {`"hook_event_name":"sessionStart","session_id":"c1"`, `"hook_event_name":"SessionStart","session_id":"c1","source":"startup"`},
		"prompt":        {`"hook_event_name":"beforeSubmitPrompt","prompt":"fix it"`, `"hook_event_name":"UserPromptSubmit","session_id":"c1","prompt":"fix it\n"`},
		"tool": {
			`"hook_event_name":"postToolUse","tool_name":"Shell","tool_input":{"command":"ls","cwd":"/w"},"tool_output":"\"a\""`,
			`"hook_event_name":"PostToolUse","session_id":"c1","tool_name":"Bash","tool_input":{"cwd":"/w", "command":"ls"},"tool_response":{"stdout":"a"}`,
		},
		"turn end": {`"hook_event_name":"stop","status":"completed"`, `"hook_event_name":"Stop","session_id":"c1","stop_hook_active":false`},
	} {
		t.Run("Cursor "+name, func(t *testing.T) {
			env := vars("CURSOR_VERSION", "3.1")
			own := parsed(t, "cursor", nil, `{`+common+`,`+pair[0]+`}`, env)
			claude := parsed(t, "claude-code", nil, `{`+common+`,`+pair[1]+`}`, env)
			if own.Key != claude.Key || claude.Agent != "cursor" {
				t.Errorf("%+v\n%+v", own, claude)
			}
		})
	}
}

func TestDifferentEventsHaveDifferentKeys(t *testing.T) {
	seen := map[string]string{}
	for _, payload := range []string{
		`{"session_id":"a","hook_event_name":"UserPromptSubmit","prompt":"x"}`,
		`{"session_id":"a","hook_event_name":"UserPromptSubmit","prompt":"y"}`,
		`{"session_id":"b","hook_event_name":"UserPromptSubmit","prompt":"x"}`,
		`{"session_id":"a","hook_event_name":"SessionStart","source":"startup"}`,
		`{"session_id":"a","hook_event_name":"SessionStart","source":"compact"}`,
		`{"session_id":"a","hook_event_name":"SubagentStart","agent_id":"1","agent_type":"t"}`,
		`{"session_id":"a","hook_event_name":"SubagentStart","agent_id":"2","agent_type":"t"}`,
		`{"session_id":"a","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"1"}`,
		`{"session_id":"a","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"2"}`,
		`{"session_id":"a","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"session_id":"a","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"pwd"}}`,
		`{"session_id":"a","hook_event_name":"Stop"}`,
		`{"session_id":"a","hook_event_name":"SessionEnd"}`,
		`{"session_id":"a","hook_event_name":"PreToolUse"}`,
	} {
		e := parsed(t, "claude-code", nil, payload, vars())
		if other, ok := seen[e.Key]; ok {
			t.Errorf("one key for\n%s\n%s", other, payload)
		}
		seen[e.Key] = payload
	}
}

func TestAnEventIsClaimedOnceAndAgainMuchLater(t *testing.T) {
	now := time.Now()
	c := hook.Claims{Dir: filepath.Join(t.TempDir(), "new", "claims"), Now: func() time.Time { return now }}
	take := func(key string, want bool) {
		t.Helper()
		if c.Take(key) != want {
			t.Errorf("%s at %s: not %v", key, now, want)
		}
	}
	take("a", true)
	take("a", false)
	take("b", true)
	for i := range 12 { // across the border between two stretches of time
		now = now.Add(500 * time.Millisecond)
		key := strconv.Itoa(i)
		take(key, true)
		now = now.Add(490 * time.Millisecond)
		take(key, false)
	}
	now = now.Add(time.Minute)
	take("a", true)
	if left, err := filepath.Glob(filepath.Join(c.Dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("old claims stay: %v %v", left, err)
	}
}

func TestOfManyProcessesAtOnceOneGetsTheEvent(t *testing.T) {
	c := hook.Claims{Dir: t.TempDir()}
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if c.Take("k") {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d had it", won.Load())
	}
}

func TestWithoutAFolderEveryEventIsOurs(t *testing.T) {
	c := hook.Claims{Dir: filepath.Join("testdata", "README.md", "claims")}
	for range 2 {
		if !c.Take("k") {
			t.Error("an event was lost")
		}
	}
}
