package tool

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSectionsEndAtTheNextHeadingOutsideOfCode(t *testing.T) {
	const file = "intro\n# Day\n## Session a\n### 09:00\n<!-- session:a turn:t1 agent:codex hash:h -->\n- did it\n```sh\n# not a heading\n```\n~~~~\n```\n## nor this\n~~~\n~~~~\n- more\n#### Note\nx\n### 10:00\ny\n## Session b\nz\n"
	var got []string
	for _, s := range sectionsOf("f.md", file) {
		got = append(got, fmt.Sprintf("%d %q under %q %d-%d-%d %s/%s", s.level, s.heading, s.parent, s.start, s.end, s.last, s.anchor.session, s.anchor.turn))
	}
	want := []string{
		`0 "" under "" 1-1-22 /`,
		`1 "Day" under "" 2-2-22 /`,
		`2 "Session a" under "Day" 3-3-19 /`,
		`3 "09:00" under "Session a" 4-15-17 a/t1`,
		`4 "Note" under "09:00" 16-17-17 /`,
		`3 "10:00" under "Session a" 18-19-19 /`,
		`2 "Session b" under "Day" 20-22-22 /`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnclosedFenceHidesTheRest(t *testing.T) {
	if got := sectionsOf("f.md", "# A\n```\n# B\n"); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestFitKeepsWhatIsNearest(t *testing.T) {
	blocks := strings.Split("aaaa bbbb cccc dddd eeee", " ")
	for name, tt := range map[string]struct {
		focus, most int
		want        string
		before      int
		after       int
	}{
		"all fit":          {2, 100, "aaaa bbbb cccc dddd eeee", 0, 0},
		"both sides":       {2, 16, "bbbb cccc dddd", 1, 1},
		"the past first":   {2, 10, "bbbb cccc", 1, 2},
		"from the end":     {4, 16, "cccc dddd eeee", 2, 0},
		"from the start":   {0, 16, "aaaa bbbb cccc", 0, 2},
		"one is too large": {3, 1, "dddd", 3, 1},
	} {
		kept, before, after := fit(blocks, tt.focus, tt.most)
		if got := strings.Join(kept, " "); got != tt.want || before != tt.before || after != tt.after {
			t.Errorf("%s: %q, %d before, %d after", name, got, before, after)
		}
	}
}
