package service_test

import (
	"sync/atomic"
	"testing"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/llmtest"
)

const consolidateSettings = "[llm.roles.consolidate]\nprovider = \"scripted\"\n[embedding]\nprovider = \"builtin\"\n"

func TestAModelMergesWhatRulesCannot(t *testing.T) {
	for name, tt := range map[string]struct {
		reply  llmtest.Reply
		merged bool
		asked  int32 // in two passes
	}{
		"squash":   {llmtest.Text(`{"decision":"squash","consolidated":"The package manager of this repository is pnpm, not npm.","reasoning":"one fact"}`), true, 1},
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
			if tt.merged && page.Memories[0].Text != "The package manager of this repository is pnpm, not npm." {
				t.Errorf("left: %q", page.Memories[0].Text)
			}
		})
	}
}
