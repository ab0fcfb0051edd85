package render

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/text"
)

func TestStableShowsEachKindInItsSection(t *testing.T) {
	block, tokens := Stable(StableInput{Memories: sample()})
	golden(t, "stable", block)
	if err := checkBlock(block, 12); err != nil {
		t.Error(err)
	}
	if tokens != text.Tokens(block) || tokens > DefaultStableTokens {
		t.Errorf("says %d tokens, has %d of %d", tokens, text.Tokens(block), DefaultStableTokens)
	}
}

func TestStableIsTheSameForTheSameState(t *testing.T) {
	want, _ := Stable(StableInput{Memories: sample(), Budget: 200})
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		ms := sample()
		random.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
		for i := range ms {
			ms[i].Usage.Shown = random.IntN(100)
		}
		ms = append(ms, ms[0])
		got, _ := Stable(StableInput{Memories: ms, Budget: 200})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("order or use changed the bytes (-want +got):\n%s", diff)
		}
	}
}

func TestStableWithoutMemoriesIsEmpty(t *testing.T) {
	blank := memory("00000001", codememory.ProjectBrief, 1, "\u200b \n # \n---")
	talk := memory("00000002", codememory.Conversation, 1, "hello")
	old := memory("00000003", codememory.ProjectBrief, 1, "replaced")
	old.SupersededBy = "x"
	for _, ms := range [][]codememory.Memory{nil, {blank}, {talk}, {old}} {
		if block, tokens := Stable(StableInput{Memories: ms}); block != "" || tokens != 0 {
			t.Errorf("got %d tokens:\n%s", tokens, block)
		}
	}
	if block, _ := Stable(StableInput{Memories: sample(), Budget: 10}); block != "" {
		t.Errorf("a budget below the frame still gives\n%s", block)
	}
}

func TestStableKeepsToItsBudgetAndLetsNoSectionStarve(t *testing.T) {
	var ms []codememory.Memory
	for i := range 60 {
		ms = append(ms, memory(fmt.Sprintf("%08d", i), codememory.Architecture, 1+i%28, strings.Repeat("The architecture is large. ", 20)))
	}
	ms = append(ms, sample()...)
	for _, budget := range []int{120, 300, 700, 1500, 4000} {
		block, tokens := Stable(StableInput{Memories: ms, Budget: budget})
		if tokens > budget || tokens != text.Tokens(block) {
			t.Errorf("budget %d: %d tokens counted, %d there", budget, tokens, text.Tokens(block))
		}
		if err := checkBlock(block, -1); err != nil {
			t.Error(err)
		}
		if budget < 700 {
			continue
		}
		if tokens < budget*8/10 {
			t.Errorf("budget %d: only %d used though much more is there", budget, tokens)
		}
		for _, heading := range []string{"Project Brief", "Architecture", "Tech Context", "Progress & Status", "Active Context", "Recent Sessions", "User Preferences", "Known Pitfalls"} {
			if !strings.Contains(block, "## "+heading+"\n- ") {
				t.Errorf("budget %d: %s starved in\n%s", budget, heading, block)
			}
		}
	}
}

func TestStableCutsLongEntriesCleanlyAndNamesTheirID(t *testing.T) {
	long := memory("00000abc", codememory.TechContext, 2, strings.Repeat("alpha beta <gamma> ", 500))
	short := memory("00000def", codememory.TechContext, 1, "Short and still shown.")
	block, _ := Stable(StableInput{Memories: []codememory.Memory{long, short}, Budget: 400})
	lines := strings.Split(block, "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasSuffix(l, " … (cut; all of it: mem_00000abc)") })
	if at < 0 || lines[at+1] != "- Short and still shown." {
		t.Fatalf("no clean cut or nothing after it:\n%s", block)
	}
	words := strings.Fields(strings.TrimSuffix(lines[at], " … (cut; all of it: mem_00000abc)"))
	if last := words[len(words)-1]; !slices.Contains([]string{"alpha", "beta", "&lt;gamma>"}, last) {
		t.Errorf("cut inside a word: %q", last)
	}
}

func TestRecentSessionsGetShorterWithAge(t *testing.T) {
	var ms []codememory.Memory
	for i := range 5 {
		ms = append(ms, memory(fmt.Sprintf("%08d", i), codememory.SessionSummary, 10-i, fmt.Sprintf("S%d ", i)+strings.Repeat("word ", 300)))
	}
	block, _ := Stable(StableInput{Memories: ms, Budget: 5000})
	var lengths []int
	for line := range strings.SplitSeq(block, "\n") {
		if strings.HasPrefix(line, "- S") {
			before, _, _ := strings.Cut(line, " … (cut")
			lengths = append(lengths, len(before)/100)
		}
	}
	if diff := cmp.Diff([]int{15, 5, 2}, lengths); diff != "" {
		t.Errorf("hundreds of characters per session (-want +got):\n%s", diff)
	}
}

func TestActiveContextIsCapped(t *testing.T) {
	var ms []codememory.Memory
	for i := range 9 {
		ms = append(ms, memory(fmt.Sprintf("%08d", i), codememory.ActiveContext, 10-i, strings.Repeat("now ", 150)))
	}
	block, _ := Stable(StableInput{Memories: ms, Budget: 5000})
	if n := strings.Count(block, "now"); n < 400 || n > 500 {
		t.Errorf("%d words of active context, want the cap of %d characters to hold:\n%s", n, activeContextChars, block)
	}
}

func TestShare(t *testing.T) {
	tests := map[string]struct {
		budget        int
		demands, want []int
	}{
		"enough for all":               {100, []int{10, 20, 30}, []int{10, 20, 30}},
		"modest ones are served whole": {100, []int{500, 10, 500}, []int{45, 10, 45}},
		"nothing to share":             {-5, []int{3, 4}, []int{0, 0}},
		"nobody asks":                  {10, nil, []int{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, share(tt.budget, tt.demands)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatTheUserTaughtIsShownInEverySession(t *testing.T) {
	rule := func(id, text string, class codememory.Class) codememory.Memory {
		return codememory.Memory{ID: id, Text: text, Type: codememory.LearnedPattern, Scope: codememory.ScopeProject, Source: codememory.Source{Class: class}}
	}
	block, _ := Stable(StableInput{Memories: []codememory.Memory{
		rule("1", "Never log card numbers.", codememory.ClassUser), rule("2", "Run the tests with `make test`", codememory.ClassTool), rule("3", "The cache seems slow.", codememory.ClassAgent),
	}})
	if !strings.Contains(block, "## Project Rules\n- Never log card numbers.\n") || strings.Contains(block, "make test") || strings.Contains(block, "cache") {
		t.Error(block)
	}
}
