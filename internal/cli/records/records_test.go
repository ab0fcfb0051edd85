package records

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codememory"
)

var day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func memory(id byte, text string) codememory.Memory {
	return codememory.Memory{
		ID: strings.Repeat(string("0123456789abcdef"[id%16]), codememory.IDLength), Text: text, Type: codememory.LearnedPattern,
		Scope: codememory.ScopeProject, Importance: 0.5, CreatedAt: day, UpdatedAt: day.Add(time.Hour),
		Source: codememory.Source{Agent: "opencode", Session: "ses_1", Author: codememory.AuthorAgent},
	}
}

func everything() codememory.Memory {
	forgotten := day.Add(2 * time.Hour)
	m := memory(3, "日本語 and \"quotes\", <tags> & --> arrows\n\nsecond paragraph\n## a heading of its own\n\\## an escaped one\n<!-- codememory {} -->")
	m.Category = codememory.HiddenConstraint
	m.Pinned, m.Archived, m.Forgotten = true, true, &forgotten
	m.Project = "proj"
	m.Importance = 0
	m.Source.Turns = []string{"t1", "t2"}
	m.Source.Excerpt = "words --> more"
	m.Revisions = []codememory.Revision{{Text: "earlier", Until: day, Reason: "typo"}}
	m.Supersedes = []codememory.Supersession{{ID: strings.Repeat("4", codememory.IDLength), Reason: "newer"}}
	m.Entities = []codememory.Entity{{Name: "sqlite", Type: codememory.EntityLibrary}}
	m.Links = []codememory.Link{{To: strings.Repeat("5", codememory.IDLength), Type: codememory.Refines}}
	m.Metadata = map[string]any{"n": 1.5, "deep": map[string]any{"list": []any{"a", true}}}
	return m
}

func write(t testing.TB, f Format, ms ...codememory.Memory) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, f)
	for _, m := range ms {
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func memories(c Contents) []codememory.Memory {
	var ms []codememory.Memory
	for _, r := range c.Records {
		ms = append(ms, r.Memory)
	}
	return ms
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	want := []codememory.Memory{
		memory(1, "plain"), everything(), memory(6, "  spaces around it\r\nand a carriage return "),
		memory(7, "- a bullet\n# and a heading"), memory(8, "---\nnot a front matter\n---"),
	}
	for _, f := range []Format{JSONL, JSON, Markdown} {
		t.Run(string(f), func(t *testing.T) {
			data := write(t, f, want...)
			got, err := Read(bytes.NewReader(data), "")
			if err != nil {
				t.Fatal(err)
			}
			if got.Format != f {
				t.Errorf("taken for %s", got.Format)
			}
			if diff := cmp.Diff([]BadRow(nil), got.Bad); diff != "" {
				t.Errorf("bad rows:\n%s", diff)
			}
			if diff := cmp.Diff(want, memories(got)); diff != "" {
				t.Errorf("-written +read:\n%s\nfile:\n%s", diff, data)
			}
		})
	}
}

func TestAnyTextSurvivesMarkdown(t *testing.T) {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"\n", "\\", "## ", "<!-- codememory ", " -->", "-->", "{}", "word", " ", "\r\n", "---", "\t", "é", "# CodeMemory", "- ",
	}), 1, 12)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(pieces.Draw(rt, "pieces"), "")
		if strings.TrimSpace(text) == "" {
			return
		}
		want := []codememory.Memory{memory(1, text), memory(2, "next")}
		got, err := Read(bytes.NewReader(write(t, Markdown, want...)), Markdown)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, memories(got)); diff != "" {
			rt.Fatalf("-written +read:\n%s", diff)
		}
	})
}

func TestAnEmptyExportIsAValidFile(t *testing.T) {
	for f, want := range map[Format]string{
		JSONL: "", JSON: "[]\n", Markdown: "# CodeMemory\n", CSV: strings.Join(csvHeader, ",") + "\n",
	} {
		if got := string(write(t, f)); got != want {
			t.Errorf("%s: %q, want %q", f, got, want)
		}
	}
}

func TestDerivedFieldsStayBehind(t *testing.T) {
	m := memory(1, "old")
	m.SupersededBy = strings.Repeat("9", codememory.IDLength)
	m.Usage.Shown = 7
	m.Links = []codememory.Link{{To: strings.Repeat("8", codememory.IDLength), Type: codememory.Refines, Inbound: true}}
	got := string(write(t, JSONL, m))
	for _, unwanted := range []string{"superseded_by", `"shown":7`, "inbound"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("export holds %s: %s", unwanted, got)
		}
	}
}

func TestCSV(t *testing.T) {
	m := memory(1, "a, \"quoted\"\nline")
	want := strings.Join(csvHeader, ",") + "\n" +
		"11111111111111111111111111111111,learned-pattern,,project,,active,0.5,false,2026-03-04T05:06:07Z,2026-03-04T06:06:07Z,opencode,ses_1,agent,\"a, \"\"quoted\"\"\nline\"\n"
	if diff := cmp.Diff(want, string(write(t, CSV, m))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadShortRows(t *testing.T) {
	type short struct {
		Line     int
		Text     string
		Type     codememory.Type
		Category codememory.Category
	}
	tests := map[string]struct {
		in     string
		format Format
		want   []short
		bad    []BadRow
	}{
		"lines with only a text": {
			in: `{"text":"use tabs"}` + "\n\n" + `{"memory":"use go","type":"preference"}`, format: JSONL,
			want: []short{{1, "use tabs", codememory.LearnedPattern, ""}, {3, "use go", codememory.Preference, ""}},
		},
		"a page of a listing": {
			in: "{\"memories\": [\n{\"text\":\"a\"},\n{\"text\":\"b\"}], \"total\": 2}", format: JSON,
			want: []short{{2, "a", codememory.LearnedPattern, ""}, {3, "b", codememory.LearnedPattern, ""}},
		},
		"a page of a listing on one line": {
			in: `{"memories":[{"text":"a"}],"total":1}` + "\n", format: JSON,
			want: []short{{1, "a", codememory.LearnedPattern, ""}},
		},
		"one memory over several lines": {
			in: "{\n\"text\":\"a\",\n\"category\":\"decision_rationale\"}", format: JSON,
			want: []short{{1, "a", codememory.Architecture, codememory.DecisionRationale}},
		},
		"bad rows are named and the rest is kept": {
			in: "{\"text\":\"a\"}\n{oops\n{\"text\":\"\"}\n{\"text\":\"b\",\"type\":\"opinion\"}\n[1]\n{\"text\":5}\n{\"text\":\"c\",\"id\":\"mem_12\"}\n{\"text\":\"d\",\"importance\":7}\n{\"text\":\"z\"}", format: JSONL,
			want: []short{{1, "a", codememory.LearnedPattern, ""}, {9, "z", codememory.LearnedPattern, ""}},
			bad: []BadRow{
				{2, "is not valid JSON: invalid character 'o' looking for beginning of object key string"},
				{3, "memory text is empty: say what to remember"},
				{4, `unknown type "opinion": use one of project-brief, architecture, architecture-pattern, tech-context, product-context, project-config, error-solution, learned-pattern, preference, session-summary, progress, active-context, conversation`},
				{5, "is a JSON array, expected an object with a text"},
				{6, "field text cannot be a number"},
				{7, `id "mem_12" is not a memory id: it needs 32 hexadecimal digits, or leave it out`},
				{8, "importance 7 is outside 0..1"},
			},
		},
		"a list written by hand": {
			in:     "# Notes\n\n- use tabs\n  not spaces\n- [ ] later\n\nprose is not a memory\n\n## Preferences\n* short answers\n## Hidden constraints\n+ port 80 is taken\n",
			format: Markdown,
			want: []short{
				{3, "use tabs\nnot spaces", codememory.LearnedPattern, ""},
				{5, "[ ] later", codememory.LearnedPattern, ""},
				{10, "short answers", codememory.Preference, ""},
				{12, "port 80 is taken", codememory.LearnedPattern, codememory.HiddenConstraint},
			},
		},
		"a byte order mark is no text": {in: "\ufeff{\"text\":\"a\"}", format: JSONL, want: []short{{1, "a", codememory.LearnedPattern, ""}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := Read(strings.NewReader(tt.in), "")
			if err != nil {
				t.Fatal(err)
			}
			var got []short
			for _, r := range c.Records {
				got = append(got, short{r.Line, r.Memory.Text, r.Memory.Type, r.Memory.Category})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.bad, c.Bad); diff != "" {
				t.Errorf("bad rows -want +got:\n%s", diff)
			}
			if c.Format != tt.format {
				t.Errorf("taken for %s, want %s", c.Format, tt.format)
			}
		})
	}
}

func TestReadRefusesWhatIsNoImport(t *testing.T) {
	tests := map[string]struct {
		in     string
		format Format
		want   string
	}{
		"an empty file":           {in: " \n", want: "the file is empty"},
		"a database":              {in: "SQLite format 3\x00\x10", want: "the file is binary"},
		"CSV":                     {in: "id,type\n", format: CSV, want: "can be exported but not imported"},
		"an array cut in half":    {in: "[\n{\"text\":\"a\"},\n{\"te", want: "line 3: the file ends in the middle of a record"},
		"an array with a mistake": {in: "[\n{\"text\":\"a\"}\n{\"text\":\"b\"}]", want: "line 3:"},
		"prose":                   {in: "just some words", want: "the markdown has no list"},
		"invalid UTF-8":           {in: "- caf\xe9", want: "not UTF-8"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.in), tt.format)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			if codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("code %s", codememory.CodeOf(err))
			}
		})
	}
}

func TestAMemoryFileOfAStoreCanBeImported(t *testing.T) {
	in := "---\nid: 11111111111111111111111111111111\ntype: preference\ncreated: 2026-03-04T05:06:07Z\n---\n\nshort answers\n"
	c, err := Read(strings.NewReader(in), "")
	if err != nil || len(c.Records) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	if m := c.Records[0].Memory; m.Text != "short answers" || m.Type != codememory.Preference {
		t.Errorf("read %+v", m)
	}
}

func FuzzRead(f *testing.F) {
	for _, format := range []Format{JSONL, JSON, Markdown} {
		f.Add(write(f, format, memory(1, "plain"), everything()))
	}
	f.Add([]byte("# Notes\n- one\n  two\n"))
	f.Add([]byte("---\nid: x\n---\n"))
	f.Add([]byte("{\"memories\":[{}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(bytes.NewReader(data), "")
		if err != nil {
			return
		}
		for _, r := range c.Records {
			if err := r.Memory.Validate(); err != nil {
				t.Errorf("line %d was accepted: %v", r.Line, err)
			}
			if r.Line < 1 {
				t.Errorf("line %d", r.Line)
			}
		}
	})
}
