package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/text"
)

func hit(m codememory.Memory) codememory.Hit { return codememory.Hit{Memory: m, Score: 0.7} }

func hits(n int, letter, body string) []codememory.Hit {
	var list []codememory.Hit
	for i := range n {
		list = append(list, hit(memory(fmt.Sprintf("%s%07d", letter, i), codememory.TechContext, 1+i%28, fmt.Sprintf("%s%d %s", letter, i, body))))
	}
	return list
}

func ids(list []codememory.Hit) []string {
	var out []string
	for _, h := range list {
		out = append(out, codememory.ShortID(h.Memory.ID))
	}
	return out
}

func TestHUDShowsWhatMattersNow(t *testing.T) {
	rejected := memory("0000000a", codememory.LearnedPattern, 2, "asyncio was rejected for the runner: its cancellation lost results.")
	rejected.Category = codememory.RejectedAlternative
	older := memory("0000000b", codememory.TechContext, 1, "The pool size is 10.")
	newer := memory("0000000c", codememory.TechContext, 20, "The pool size is 20.")
	newer.Links = []codememory.Link{{To: older.ID, Type: codememory.Conflicts}}
	long := memory("0000000d", codememory.ErrorSolution, 3, strings.Repeat("The pipe test hung until the reader was closed first. ", 40))
	pinned := memory("0000000e", codememory.Preference, 4, "Answer tersely.")
	block, tokens, shown := HUD(HUDInput{
		Hits:    []codememory.Hit{hit(older), hit(rejected), hit(newer), hit(long)},
		Pinned:  []codememory.Hit{hit(pinned)},
		Actions: []codememory.Action{{Tool: "bash", Target: "go test ./...", Result: "1 failed"}, {Tool: "read", Target: "pool.go"}},
		Usage:   "62% of 200k tokens, model x",
	})
	golden(t, "hud", block)
	if err := checkBlock(block, 5); err != nil {
		t.Error(err)
	}
	if tokens != text.Tokens(block) || tokens > DefaultHUDTokens {
		t.Errorf("says %d tokens, has %d of %d", tokens, text.Tokens(block), DefaultHUDTokens)
	}
	if diff := cmp.Diff([]string{"0000000c", "0000000b", "0000000a", "0000000d", "0000000e"}, ids(shown)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

func TestHUDKeepsSlots(t *testing.T) {
	tests := map[string]struct {
		fresh, pinned, max    int
		wantFresh, wantPinned int
	}{
		"at most eight":                        {fresh: 20, wantFresh: 8},
		"pinned ones are not pushed out":       {fresh: 20, pinned: 4, wantFresh: 4, wantPinned: 4},
		"many pinned leave room for this call": {fresh: 20, pinned: 20, wantFresh: 3, wantPinned: 5},
		"pinned ones take what is free":        {fresh: 1, pinned: 20, wantFresh: 1, wantPinned: 7},
		"one slot is for the pinned":           {fresh: 2, pinned: 2, max: 1, wantPinned: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, shown := HUD(HUDInput{Hits: hits(tt.fresh, "f", "short"), Pinned: hits(tt.pinned, "b", "short"), Max: tt.max, Budget: 2000})
			var fresh, pinned int
			for _, id := range ids(shown) {
				if id[0] == 'f' {
					fresh++
				} else {
					pinned++
				}
			}
			if fresh != tt.wantFresh || pinned != tt.wantPinned {
				t.Errorf("%d fresh and %d pinned, want %d and %d", fresh, pinned, tt.wantFresh, tt.wantPinned)
			}
		})
	}
}

func TestHUDKeepsToItsBudget(t *testing.T) {
	for _, budget := range []int{60, 100, 200, 400, 1000} {
		block, tokens, shown := HUD(HUDInput{
			Hits: hits(9, "f", strings.Repeat("many words here ", 60)), Pinned: hits(2, "b", "short"), Usage: strings.Repeat("usage ", 90), Budget: budget,
		})
		if tokens > budget || tokens != text.Tokens(block) {
			t.Errorf("budget %d: %d tokens counted, %d there", budget, tokens, text.Tokens(block))
		}
		if block == "" {
			continue
		}
		if err := checkBlock(block, len(shown)); err != nil {
			t.Error(err)
		}
		if budget >= 200 && !strings.Contains(block, "b0 short") {
			t.Errorf("budget %d pushed out a pinned memory:\n%s", budget, block)
		}
	}
}

func TestHUDWithoutAMemoryIsEmpty(t *testing.T) {
	archived := memory("0000000a", codememory.TechContext, 1, "old")
	archived.Archived = true
	tests := map[string]struct {
		in   HUDInput
		want string
	}{
		"nothing at all":                  {in: HUDInput{}},
		"only an archived memory":         {in: HUDInput{Hits: []codememory.Hit{hit(archived)}}},
		"only actions":                    {in: HUDInput{Actions: []codememory.Action{{Tool: "bash", Target: "ls"}}}},
		"a usage line nobody asked for":   {in: HUDInput{Usage: "50%"}},
		"a usage line that was asked for": {in: HUDInput{Usage: "50%", UsageAlone: true}, want: hudOpen + "\n" + hudIntro + "\nContext window: 50%\n" + closeTag},
		"a usage line and no room":        {in: HUDInput{Usage: "50%", UsageAlone: true, Budget: 5}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			block, tokens, shown := HUD(tt.in)
			if diff := cmp.Diff(tt.want, block); diff != "" {
				t.Error(diff)
			}
			if len(shown) != 0 || (tokens == 0) != (block == "") {
				t.Errorf("%d tokens, %d shown", tokens, len(shown))
			}
		})
	}
}

func TestHUDBringsAConflictWithinTheCap(t *testing.T) {
	list := hits(12, "f", "short")
	list[0].Memory.Links = []codememory.Link{{To: list[11].Memory.ID, Type: codememory.Conflicts, Inbound: true}}
	_, _, shown := HUD(HUDInput{Hits: list, Budget: 2000})
	if got := ids(shown); got[0] != "f0000011" || got[1] != "f0000000" || len(got) != 8 {
		t.Errorf("the two sides of a conflict are not together, newest first: %v", got)
	}
}
