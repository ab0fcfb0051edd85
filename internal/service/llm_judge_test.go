package service_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

const consolidateSettings = "[llm.roles.consolidate]\nprovider = \"scripted\"\n[embedding]\nprovider = \"builtin\"\n"

func TestAModelMergesWhatRulesCannot(t *testing.T) {
	for name, tt := range map[string]struct {
		reply  llmtest.Reply
		merged bool
		asked  int32 // in two passes
	}{
		"squash":   {llmtest.Text(`{"decision":"squash","consolidated":"We use pnpm instead of npm in this repository; the package manager here is pnpm, not npm.","reasoning":"one fact"}`), true, 1},
		"separate": {llmtest.Text(`{"decision":"separate","consolidated":"","reasoning":"they differ"}`), false, 1}, // remembered
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			w := openWithModel(t, consolidateSettings, func(role llm.Role, _ llmtest.Request) llmtest.Reply {
				if role == llm.Consolidate {
					asked.Add(1)
					return tt.reply
				}
				return llmtest.Reply{}
			})
			dir, ctx := t.TempDir(), t.Context()
			for _, text := range []string{"We use pnpm instead of npm in this repository", "Package manager here is pnpm, not npm"} {
				_, err := w.Add(ctx, codememory.AddRequest{Project: dir, Text: text, Verbatim: true})
				if err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if _, err := w.Consolidate(ctx, codememory.ConsolidateRequest{Project: dir}); err != nil {
					t.Fatal(err)
				}
			}
			if n := asked.Load(); n != tt.asked {
				t.Errorf("asked %d times", n)
			}
			page, err := w.List(ctx, codememory.ListRequest{Project: dir})
			if err != nil || (page.Total == 1) != tt.merged {
				t.Fatalf("%d memories are left, %v", page.Total, err)
			}
			if tt.merged && page.Memories[0].Text != "We use pnpm instead of npm in this repository; the package manager here is pnpm, not npm." {
				t.Errorf("left: %q", page.Memories[0].Text)
			}
		})
	}
}

func TestAModelCondensesOldSummaries(t *testing.T) {
	const lasting = "The queue moved to NATS because one broker is enough; its tests need docker."
	for name, tt := range map[string]struct {
		reply   llmtest.Reply
		byModel bool
	}{
		"a model":           {llmtest.Text(lasting), true},
		"none that answers": {llmtest.Reply{Status: 500}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := openWithModel(t, "[llm.roles.summarise]\nretries = -1\n", func(_ llm.Role, r llmtest.Request) llmtest.Reply {
				if strings.Contains(r.System, "old summaries of sessions") {
					return tt.reply
				}
				return llmtest.Reply{}
			})
			dir := t.TempDir()
			for i, text := range []string{"NATS was set up.", "The tests of the queue need docker.", "The shop got a logo.", "Login was fixed.", "The cache was cleared."} {
				at := time.Now().Add(time.Duration(i-10) * time.Hour)
				if _, err := w.Add(t.Context(), codememory.AddRequest{Project: dir, Type: codememory.SessionSummary, Text: text + strings.Repeat(" It took a while.", 3), Verbatim: true, CreatedAt: at}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Consolidate(t.Context(), codememory.ConsolidateRequest{Project: dir}); err != nil {
				t.Fatal(err)
			}
			left := w.memories(dir)
			condensed := slices.ContainsFunc(left, func(m codememory.Memory) bool { return m.Text == lasting })
			if condensed != tt.byModel || len(left) != 4 {
				t.Errorf("left %+v", left)
			}
		})
	}
}
