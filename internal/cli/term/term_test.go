package term

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWidth(t *testing.T) {
	tests := map[string]struct {
		in   string
		want int
	}{
		"ASCII":                           {"memory", 6},
		"Latin with accents":              {"café", 4},
		"a combining accent takes none":   {"cafe\u0301", 4},
		"Chinese takes two each":          {"记忆", 4},
		"Japanese mixed with ASCII":       {"auth は JWT", 11},
		"full width letters":              {"ＡＢ", 4},
		"half width katakana take one":    {"ｱｲ", 2},
		"emoji take two":                  {"🚀", 2},
		"a joined family is one emoji":    {"👩\u200d👩\u200d👧", 2},
		"control characters take nothing": {"\x1b\x07", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Width(tt.in); got != tt.want {
				t.Errorf("Width(%q) = %d, want %d", tt.in, got, tt.want)
			}
		})
	}
}

func TestTruncate(t *testing.T) {
	tests := map[string]struct {
		in      string
		columns int
		want    string
	}{
		"short text stays":              {"abc", 3, "abc"},
		"long text ends with a mark":    {"abcdef", 4, "abc…"},
		"no space before the mark":      {"abc def", 5, "abc…"},
		"a wide character is not torn":  {"记忆库", 4, "记…"},
		"a mark stays with its letter":  {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		"nothing fits into nothing":     {"abc", 0, ""},
		"one column is just the mark":   {"abc", 1, "…"},
		"an exact fit of wide is whole": {"记忆", 4, "记忆"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Truncate(tt.in, tt.columns); got != tt.want {
				t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.columns, got, tt.want)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	tests := map[string]struct {
		in   string
		want []string
	}{
		"breaks between words":           {"one two three four", []string{"one two", "three four"}},
		"keeps line breaks":              {"one\n\ntwo", []string{"one", "", "two"}},
		"keeps the indent of short code": {"  a := 1", []string{"  a := 1"}},
		"cuts what has no spaces":        {"aaaaaaaaaabbbbb", []string{"aaaaaaaaaa", "bbbbb"}},
		"cuts Chinese by columns":        {"记忆库记忆库记", []string{"记忆库记忆", "库记"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Wrap(tt.in, 10)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCleanTakesAwayWhatDrivesATerminal(t *testing.T) {
	in := "red \x1b[31m bell \a title \x1b]0;owned\x07 override \u202e tag \U000e0041\ttab\nline"
	got := Clean(in)
	if strings.ContainsAny(got, "\x1b\a\u202e\U000e0041") {
		t.Errorf("Clean left control characters: %q", got)
	}
	if !strings.HasSuffix(got, "\ttab\nline") {
		t.Errorf("Clean took tabs or line breaks: %q", got)
	}
	if got := OneLine(" a\n\tb\r\n c "); got != "a b c" {
		t.Errorf("OneLine = %q", got)
	}
}

func TestTable(t *testing.T) {
	long := strings.Repeat("word ", 40)
	tests := map[string]struct {
		columns int
		header  []string
		rows    [][]string
		whole   []int
		right   []int
		spare   []int
		want    string
	}{
		"columns line up": {
			columns: 80, header: []string{"ID", "TEXT"},
			rows: [][]string{{"mem_1", "short"}, {"mem_123", "other"}},
			want: "ID       TEXT\nmem_1    short\nmem_123  other\n",
		},
		"wide characters line up": {
			columns: 80, rows: [][]string{{"记忆", "x"}, {"ab", "y"}},
			want: "记忆  x\nab    y\n",
		},
		"an empty last cell leaves no spaces": {
			columns: 80, rows: [][]string{{"a", "bb", ""}, {"ccc", "d", "e"}}, want: "a    bb\nccc  d   e\n",
		},
		"line breaks stay out of a row": {
			columns: 80, rows: [][]string{{"a", "one\ntwo"}}, want: "a  one two\n",
		},
		"the last column is cut to the line": {
			columns: 30, rows: [][]string{{"mem_1", long}}, want: "mem_1  word word word word wo…\n",
		},
		"numbers stand below each other": {
			columns: 80, header: []string{"N", "NAME"}, right: []int{0},
			rows: [][]string{{"7", "seven"}, {"1200", "many"}}, want: "   N  NAME\n   7  seven\n1200  many\n",
		},
		"an id stays whole while the rest is cut": {
			columns: 40, whole: []int{0}, rows: [][]string{{"mem_0a1b2c3d", "learned-pattern", "3 hours ago", long}},
			want: "mem_0a1b2c3d  learne…  3 hour…  word wo…\n",
		},
		"a spare column makes room for the text": {
			columns: 40, whole: []int{0}, spare: []int{2, 1}, rows: [][]string{{"mem_0a1b2c3d", "learned-pattern", "3 hours ago", long}},
			want: "mem_0a1b2c3d  word word word word word…\n",
		},
		"only as many spare columns go as must": {
			columns: 55, spare: []int{2, 1}, rows: [][]string{{"mem_0a1b2c3d", "learned-pattern", "3 hours ago", long}},
			want: "mem_0a1b2c3d  learned-pattern  word word word word wor…\n",
		},
		"a wide first column gives way too": {
			columns: 40, rows: [][]string{{strings.Repeat("p", 60), long}},
			want: strings.Repeat("p", 18) + "…  word word word wor…\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			table := NewTable(tt.header...)
			for _, i := range tt.whole {
				table.Whole(i)
			}
			for _, i := range tt.right {
				table.Right(i)
			}
			table.Spare(tt.spare...)
			for _, row := range tt.rows {
				table.Row(row...)
			}
			var out bytes.Buffer
			if err := table.Write(&out, tt.columns, false); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for line := range strings.Lines(out.String()) {
				if w := Width(strings.TrimSuffix(line, "\n")); w > tt.columns {
					t.Errorf("line is %d columns wide, the terminal has %d: %q", w, tt.columns, line)
				}
			}
		})
	}
}

func TestColumnsAreThoseAskedForThenThoseOfTheTerminal(t *testing.T) {
	tests := map[string]struct {
		columns string
		want    int
		known   bool
	}{
		"nothing is known":  {"", DefaultColumns, false},
		"COLUMNS is obeyed": {"132", 132, true},
		"a tiny one is not": {"3", minColumns, true},
		"nonsense is not":   {"wide", DefaultColumns, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := Columns(&bytes.Buffer{}, func(string) string { return tt.columns })
			if got != tt.want || known != tt.known {
				t.Errorf("Columns = %d, %v", got, known)
			}
		})
	}
}

func TestColourDoesNotChangeTheLayout(t *testing.T) {
	table := NewTable("A", "B")
	table.Style(0, Style(true).Cyan)
	table.Row("x", "y")
	var out bytes.Buffer
	if err := table.Write(&out, 80, true); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[2mA\x1b[0m  \x1b[2mB\x1b[0m\n\x1b[36mx\x1b[0m  y\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := NewProgress(&out, 80)
	p.now = func() time.Time { return clock }
	p.Set("rebuild", 1, 4)
	p.Set("rebuild", 2, 4) // too soon to draw
	clock = clock.Add(time.Second)
	p.Set("rebuild", 3, 4)
	p.Set("rebuild", 4, 4) // the end is always drawn
	p.Done()
	want := "\r\x1b[Krebuild [######------------------] 1/4 25%" +
		"\r\x1b[Krebuild [##################------] 3/4 75%" +
		"\r\x1b[Krebuild [########################] 4/4 100%" +
		"\r\x1b[K"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for columns, want := range map[int]string{40: "rebuild [############--------] 3/5 60%", 24: "rebuild 3/5 60%"} {
		if got := progressLine("rebuild", 3, 5, columns-1); got != want || Width(got) >= columns {
			t.Errorf("on %d columns: %q, want %q", columns, got, want)
		}
	}
	var none Progress
	none.Set("nothing", 1, 2)
	none.Done()
}
