package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codememory"
)

func TestStripRemovesBlocks(t *testing.T) {
	stable, _ := Stable(StableInput{Memories: sample()})
	hud, _, _ := HUD(HUDInput{Hits: hits(3, "f", "some text"), Usage: "50%", Actions: []codememory.Action{{Tool: "bash"}}})
	mira := CodeMiraHUD([]codememory.Action{{Tool: "bash", Target: "x"}}, sample()[:2], CodeMiraWords)
	block := MemoryBlock(sample(), hits(2, "f", "x"))
	memsearch := memsearchMark + " You have access to memory_search, memory_get, and memory_transcript tools for recalling past sessions.\n\n## Session 14:30\n### 14:30\n- User asked about auth\n[User] hello\n\n## Session 15:00\n- Fixed it"
	tests := map[string]struct{ in, want string }{
		"nothing to remove":              {"- a list\n\n## Architecture\n\nHuman: hi \n", "- a list\n\n## Architecture\n\nHuman: hi \n"},
		"only a block":                   {stable, ""},
		"a block at the end":             {"fix the bug\n\n" + hud, "fix the bug"},
		"a block at the start":           {stable + "\n\nYou are an agent.\n", "You are an agent.\n"},
		"a block between":                {"before\n" + stable + "\nafter", "before\n\nafter"},
		"several blocks":                 {stable + "\n\na\n\n" + hud + "\n\nb\n\n" + mira, "a\n\nb"},
		"a block that lost its end":      {"fix\n\n" + hud[:len(hud)-60], "fix"},
		"a block that lost its start":    {stable[strings.Index(stable, "## Tech"):] + "\n\nfix", "fix"},
		"an old block that lost its end": {"fix\n" + mira[:len(mira)-70], "fix"},
		"a tag in a sentence":            {"The tag is `<codememory kind=\"hud\">`, closed by `</codememory>`?", "The tag is ``?"},
		"an opening tag in a sentence":   {"The tag is <codememory kind=\"hud\"> in\nthe prompt", "The tag is <codememory kind=\"hud\"> in\nthe prompt"},
		"a closing tag in a list":        {"- it ends with </codememory>\n- next", "- it ends with </codememory>\n- next"},
		"a [MEMORY] block and a prompt":  {block + "\n\nfix the bug\n- with a list", "fix the bug\n- with a list"},
		"a [MEMORY] block, other lines":  {"a\n\n[MEMORY]\n\n## Last Session\n- did\n  this\n\n## Plan\n- mine", "a\n\n## Plan\n- mine"},
		"a notice of that system":        {"[MEMORY - NEW PROJECT]\nNothing is known yet.\n\nhello", "hello"},
		"its trigger":                    {"remember it\n\n[MEMORY TRIGGER DETECTED]\nYou must call the tool.", "remember it"},
		"a memsearch block":              {"You are an agent.\n\n" + memsearch + "\n\nNow the task.", "You are an agent.\n\nNow the task."},
		"the word in brackets":           {"see [MEMORY] below", "see [MEMORY] below"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Strip(tt.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStripTakesOutWhateverWasRendered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := rapid.OneOf(rapid.String(), rapid.SampledFrom(fragments)).Draw(t, "stored")
		around := rapid.StringMatching(`[a-z][a-z .\n]{0,20}[a-z]`)
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		hud, _, _ := HUD(HUDInput{Hits: []codememory.Hit{hit(memory("00000001", codememory.TechContext, 1, stored))}, Usage: stored, UsageAlone: true})
		want := before + "\n\n" + after
		if got := Strip(before + "\n\n" + hud + "\n\n" + after); hud != "" && got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func FuzzStrip(f *testing.F) {
	stable, _ := Stable(StableInput{Memories: sample()})
	f.Add(stable)
	f.Add("a\n<developer_context>\n<memories>\nb")
	f.Add("[MEMORY]\n\n## Architecture\n- x\n\ny")
	f.Add(memsearchMark + "\n\n- x\n\ny")
	f.Fuzz(func(t *testing.T, text string) {
		once := Strip(text)
		if len(once) > len(text)+1 {
			t.Errorf("Strip added to %q: %q", text, once)
		}
		if Strip(once) != once {
			t.Errorf("a second Strip changes %q", once)
		}
	})
}
