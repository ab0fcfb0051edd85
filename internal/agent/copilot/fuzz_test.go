package copilot

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"
)

// FuzzLine takes in whatever an event may hold, between two good ones.
func FuzzLine(f *testing.F) {
	b, err := os.ReadFile("testdata/copilot-events.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		if len(line) < 2000 {
			f.Add(line)
		}
	}
	for _, seed := range []string{
		`{"type":"session.snapshot_rewind","data":{"upToEventId":"a"}}`,
		`{"type":"tool.user_requested","id":"u","data":{"toolCallId":"t","toolName":"bash","arguments":{"command":"ls"}}}`,
		`{"type":"tool.execution_complete","data":{"toolCallId":"t","success":false,"error":7}}`,
		`{"type":"session.compaction_complete","data":{"summaryContent":"x"}}`, `{}`, `null`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p := newParser(func(s string) string { return s }, 100)
		p.Line([]byte(`{"type":"user.message","id":"a","timestamp":"2026-11-15T01:38:55.377Z","data":{"content":"go"}}`))
		p.Line([]byte(`{"type":"assistant.message","id":"b","data":{"content":"so","toolRequests":[{"toolCallId":"t","name":"bash","arguments":{"command":"ls"}}]}}`))
		p.Line(line)
		p.Line(line)
		p.Line([]byte(`{"type":"user.message","id":"z","data":{"content":"next"}}`))
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
