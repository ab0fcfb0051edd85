package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLinesOfAGrowingFile(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		left       int
	}{
		{"an empty file has none", "", nil, 0},
		{"each line comes once", "{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}, 0},
		{"a line that is being written waits", "{\"a\":1}\n{\"b\":", []string{`{"a":1}`}, 5},
		{"a whole object only lacks its line feed", "{\"a\":1}\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}, 0},
		{"lines of Windows end with CRLF", "{\"a\":1}\r\n{\"b\":2}\r\n", []string{`{"a":1}`, `{"b":2}`}, 0},
		{"blank lines are nothing", "\n\n  \n{\"a\":1}\n\n", []string{`{"a":1}`}, 0},
		{"broken lines come too", "no json\n\x00\xff\n{\"a\":1}\n", []string{"no json", "\x00\xff", `{"a":1}`}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			n, err := scanLines(strings.NewReader(tt.text), func(line []byte) error {
				got = append(got, string(line))
				return nil
			})
			if err != nil || int(n) != len(tt.text)-tt.left {
				t.Errorf("went through %d of %d bytes, %v", n, len(tt.text), err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLinesStopWhereTheCallerDoes(t *testing.T) {
	stop := errors.New("stop")
	n, err := scanLines(strings.NewReader("{}\n[]\n{}\n"), func(line []byte) error {
		if string(line) == "[]" {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 3 {
		t.Errorf("stopped after %d bytes: %v", n, err)
	}
}

func TestAHugeLineIsCutWithAMark(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä\n\"\\", 1<<20)
	line, err := json.Marshal(map[string]any{"id": "x", "text": long, "after": "still there"})
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	if _, err := scanLines(strings.NewReader("{}\n"+string(line)+"\n"), func(l []byte) error { got = append(got[:0], l...); return nil }); err != nil {
		t.Fatal(err)
	}
	var v struct{ ID, Text, After string }
	if err := json.Unmarshal(got, &v); err != nil {
		t.Fatal(err)
	}
	if v.ID != "x" || v.After != "still there" || len(got) > 300<<10 {
		t.Errorf("%d bytes left, id %q, after %q", len(got), v.ID, v.After)
	}
	text, mark, ok := strings.Cut(v.Text, "\n[… cut, ")
	if !ok || !strings.HasSuffix(mark, " bytes in all]") || !strings.HasPrefix(long, text) || len(text) < 100<<10 {
		t.Errorf("%d bytes of text, mark %q", len(text), mark)
	}
}

func TestALineThatCannotBeShortenedIsLeftOut(t *testing.T) {
	line := "[" + strings.Repeat("1234567890,", mostLine/10) + "0]\n"
	var got []string
	n, err := scanLines(strings.NewReader(line+"{}\n"), func(l []byte) error { got = append(got, string(l)); return nil })
	if err != nil || int(n) != len(line)+3 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if diff := cmp.Diff([]string{"", "{}"}, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzShortener cuts the strings of any JSON, in pieces of any size.
func FuzzShortener(f *testing.F) {
	for _, seed := range []string{"plain text that is long enough", "ünïcödé 😀 and more of it", `back\slashes \\ everywhere \`, "\"quotes\" and\nlines\tand \u0001\u2028"} {
		for _, limit := range []uint8{1, 5, 6, 7, 12, 13} {
			f.Add(seed, limit, uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, text string, limit, piece uint8) {
		in, err := json.Marshal(map[string]any{"k": text, text: []string{text, "x"}})
		if err != nil {
			t.Skip()
		}
		s := shortener{limit: int(limit) + 1, most: 1 << 20}
		for rest := in; len(rest) > 0; {
			n := min(int(piece)+1, len(rest))
			s.take(rest[:n])
			rest = rest[n:]
		}
		var v map[string]any
		if err := json.Unmarshal(s.bytes(), &v); err != nil {
			t.Fatalf("%s became %s: %v", in, s.bytes(), err)
		}
		for k := range v {
			if !utf8.ValidString(k) {
				t.Errorf("%q is not UTF-8", k)
			}
		}
	})
}

func TestCutKeepsWholeCharacters(t *testing.T) {
	for _, tt := range []struct {
		s           string
		size, limit int
		want        string
	}{
		{"short", 0, 0, "short"},
		{"short", 0, 5, "short"},
		{"longer", 0, 3, "lon"},
		{"äöü", 0, 3, "ä"},
		{"a\xffb", 0, 0, "a\uFFFDb"},
		{strings.Repeat("x", 50), 0, 40, strings.Repeat("x", 13) + "\n[… cut, 50 bytes in all]"},
		{"kept", 1000, 40, "kept\n[… cut, 1000 bytes in all]"},
	} {
		if got := Cut(tt.s, tt.size, tt.limit); got != tt.want {
			t.Errorf("Cut(%q, %d, %d) = %q, want %q", tt.s, tt.size, tt.limit, got, tt.want)
		}
	}
}

func TestInputOfAToolIsCutByValue(t *testing.T) {
	big := strings.Repeat("x", 100<<10)
	got := Input(fmt.Appendf(nil, `{"content":%q,"file_path":"a.txt","list":[%q]}`, big, big))
	f := FieldsOf(got)
	if f.String("file_path") != "a.txt" || len(got) > 40<<10 || !strings.Contains(f.String("content"), "cut, 102400 bytes") {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
	for _, bad := range []string{"", "null", "{", strings.Repeat("[", 20<<10)} {
		if got := Input([]byte(bad)); got != nil {
			t.Errorf("Input(%.10q) = %.20q", bad, got)
		}
	}
}
