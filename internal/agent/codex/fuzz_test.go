package codex

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"
)

// FuzzLine takes in whatever a row may hold, between two good ones.
func FuzzLine(f *testing.F) {
	for _, file := range []string{"testdata/codex-rollout.jsonl", "testdata/codex-rollout-compacted.jsonl"} {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			if len(line) < 1500 {
				f.Add(line)
			}
		}
	}
	for _, seed := range []string{
		`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":9}}`,
		`{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"c","exit_code":1,"aggregated_output":"x"}}`,
		`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c","source":"user_shell","command":["a"]}}}`,
		`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":{"content":"x","success":false}}}`,
		`{"type":"session_meta","payload":{"id":"x","source":{"subagent":"review"}}}`, `{}`, `null`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p := newParser(func(s string) string { return s }, 100)
		p.Line([]byte(`{"timestamp":"2026-11-15T01:22:24.225Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}`))
		p.Line([]byte(`{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c"}}`))
		p.Line(line)
		p.Line(line)
		p.Line([]byte(`{"type":"event_msg","payload":{"type":"user_message","message":"next"}}`))
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
