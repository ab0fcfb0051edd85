package opencode

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzRows builds turns from whatever a row may hold.
func FuzzRows(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"role":"user"}`, `{"type":"text","text":"hello"}`},
		{`{"role":"assistant","parentID":"a","finish":"stop","tokens":{"input":1,"cache":{"read":2}}}`, `{"type":"tool","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"x","metadata":{"exit":0}}}`},
		{`{"role":"assistant","error":{"name":"MessageAbortedError"}}`, `{"type":"patch","files":["a"]}`},
		{`{"role":"user","summary":{"diffs":[{"file":"a","status":"added"}]}}`, `{"type":"compaction","auto":true,"overflow":true}`},
		{`{"text":"hi","files":[{"uri":"file:///a"}]}`, `{"content":[{"type":"tool","name":"read","state":{"status":"error","error":{"message":"no"}}}],"finish":"stop"}`},
		{`{"reason":"auto","summary":"s"}`, `{"command":"ls","output":{"output":"x"},"exit":1}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, head, body []byte) {
		var messages []message
		var m messageV1
		if decode(head, &m) {
			built := m.message(row{id: "a", created: 1, updated: 2})
			var p partV1
			if decode(body, &p) {
				built.parts = []part{p.part(row{id: "p", created: 1, updated: 2}, 0, 100)}
			}
			messages = append(messages, built)
		}
		for _, kind := range []string{"user", "assistant", "shell", "compaction", "synthetic", "idle"} {
			var d dataV2
			if decode(body, &d) {
				messages = append(messages, d.lower(&row{id: kind, owner: kind, created: 3, updated: 4}, "a", 100)...)
				markOutcome(messages, d)
			}
		}
		b := builder{session: session{id: "s", dir: "/app"}, strip: func(s string) string { return s }, quiet: time.Minute, now: time.UnixMilli(10), activity: func(string) int64 { return 0 }}
		for _, turn := range b.build(messages) {
			if !utf8.ValidString(turn.Prompt) || !utf8.ValidString(turn.Answer()) {
				t.Errorf("turn %+v is not UTF-8", turn)
			}
			if _, err := json.Marshal(turn); err != nil {
				t.Errorf("turn cannot be written as JSON: %v", err)
			}
			for _, step := range turn.Steps {
				if step.Tool != nil && len(step.Tool.Output) > 100 {
					t.Errorf("%d bytes of output", len(step.Tool.Output))
				}
			}
		}
		for i := range messages {
			messages[i].flat("s", b.strip)
		}
	})
}

// FuzzMark reads marks that nobody wrote.
func FuzzMark(f *testing.F) {
	f.Add("")
	f.Add(mark{db: "x", rows: [3]int64{1, 2, 3}, at: 4, sessions: map[string]uint32{"ses_a": 5}}.encode())
	f.Add("1.AAAA")
	f.Fuzz(func(t *testing.T, s string) {
		m := parseMark(s)
		if m.db == "" {
			return
		}
		if diff := cmp.Diff(m, parseMark(m.encode()), cmp.AllowUnexported(mark{})); diff != "" {
			t.Error(diff)
		}
	})
}
