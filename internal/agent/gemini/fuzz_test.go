package gemini

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"

	"codememory/internal/agent/jsonl"
)

// FuzzLine takes in whatever a row may hold, between two good ones.
func FuzzLine(f *testing.F) {
	b, err := os.ReadFile("testdata/gemini-session.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		f.Add(line)
	}
	for _, seed := range []string{
		`{"$rewindTo":"a"}`, `{"$rewindTo":"b"}`,
		`{"$set":{"messages":[{"id":"s","type":"user","content":"<state_snapshot>x"},{"id":"g","type":"gemini","content":{"text":"ok"}}]}}`,
		`{"id":"b","type":"gemini","content":[["x"],"y",{"text":1}],"toolCalls":[{"status":"executing"},{}]}`,
		"{\"id\":\"c\",\"type\":\"user\",\"content\":\"I ran the following shell command:\\n```\\nls```\"}", `{}`, `null`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p := newParser("/none", jsonl.Place{ID: "s", Path: "/none/tmp/x/chats/s.jsonl"}, func(s string) string { return s }, 100)
		p.Line([]byte(`{"id":"a","type":"user","timestamp":"2026-11-15T01:26:22.015Z","content":[{"text":"go"}]}`))
		p.Line([]byte(`{"id":"b","type":"gemini","content":"so","toolCalls":[{"id":"t","name":"run_shell_command","args":{"command":"ls"},"status":"success"}]}`))
		p.Log()
		p.Line(line)
		p.Line(line)
		p.Line([]byte(`{"id":"z","type":"user","content":"next"}`))
		for _, d := range p.Log().Turns {
			if !utf8.ValidString(d.Turn.Prompt) || !utf8.ValidString(d.Turn.Answer()) {
				t.Errorf("turn %+v is not UTF-8", d.Turn)
			}
			if _, err := json.Marshal(d.Turn); err != nil {
				t.Errorf("turn cannot be written as JSON: %v", err)
			}
			for _, s := range d.Turn.Steps {
				if s.Tool != nil && len(s.Tool.Output) > 100 {
					t.Errorf("%d bytes of output", len(s.Tool.Output))
				}
			}
		}
	})
}
