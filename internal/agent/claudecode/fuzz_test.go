package claudecode

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
	b, err := os.ReadFile("testdata/claude-code-session.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		if len(line) < 2000 {
			f.Add(line)
		}
	}
	for _, seed := range []string{
		`{"type":"user","uuid":"b","parentUuid":"b","message":{"content":"<bash-input>ls</bash-input>"}}`,
		`{"type":"user","message":{"content":"<bash-stdout>x</bash-stdout>"}}`,
		`{"type":"assistant","uuid":"c","isApiErrorMessage":true,"message":{"content":"x"}}`,
		`{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"x"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":{"a":1}}]},"toolUseResult":{"agentId":1}}`,
		`{"type":"system","subtype":"turn_duration"}`, `{}`, `null`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p := newParser(jsonl.Place{ID: "s"}, func(s string) string { return s }, 100)
		p.Line([]byte(`{"type":"user","uuid":"a","timestamp":"2026-11-15T01:00:20.259Z","cwd":"/app","message":{"content":"go"}}`))
		p.Line([]byte(`{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use"}}`))
		p.Line(line)
		p.Line(line)
		p.Line([]byte(`{"type":"user","uuid":"z","parentUuid":"b","message":{"content":"next"}}`))
		log := p.Log()
		for _, d := range log.Turns {
			log.Undone(d)
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
