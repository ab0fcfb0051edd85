package service_test

import (
	"strings"
	"testing"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/llmtest"
)

func TestAModelDecidesWhetherMemoriesAreOne(t *testing.T) {
	const a, b = "The integration tests need docker running before they start", "Docker must be running before the integration tests start, or they hang"
	for name, tt := range map[string]struct {
		answer string
		merged string // text of what is left; "" = both stay
	}{
		"one":                {`{"decision":"squash","consolidated":"Docker must be running before the integration tests start: they need it, or they hang.","reasoning":"same"}`, "or they hang."},
		"two":                {`{"decision":"separate","consolidated":"","reasoning":"differ"}`, ""},
		"one, but lossy":     {`{"decision":"squash","consolidated":"Docker must be running.","reasoning":"same"}`, ""},
		"not what was asked": {"I would keep them.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := openWithModel(t, "", func(role llm.Role, _ llmtest.Request) llmtest.Reply {
				if role == llm.Consolidate {
					return llmtest.Text(tt.answer)
				}
				return llmtest.Reply{}
			})
			dir := t.TempDir()
			for _, text := range []string{a, b} {
				if _, err := w.Add(t.Context(), codememory.AddRequest{Project: dir, Text: text, Verbatim: true}); err != nil {
					t.Fatal(err)
				}
			}
			reps, err := w.Consolidate(t.Context(), codememory.ConsolidateRequest{Project: dir})
			if err != nil || len(reps) != 1 {
				t.Fatal(reps, err)
			}
			if len(w.model.Requests()) != 1 {
				t.Fatalf("asked %d times: %+v", len(w.model.Requests()), reps)
			}
			left := w.memories(dir)
			if tt.merged == "" {
				if len(left) != 2 {
					t.Errorf("left %+v", left)
				}
				return
			}
			if len(left) != 1 || !strings.Contains(left[0].Text, tt.merged) || len(left[0].Revisions) != 1 {
				t.Errorf("left %+v", left)
			}
		})
	}
}
