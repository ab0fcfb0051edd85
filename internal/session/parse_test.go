package session

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func TestParseIsTolerantOfHandEdits(t *testing.T) {
	const head = "---\nsession_id: s\n---\n"
	tests := map[string]struct {
		body string
		want Record
	}{
		"nothing but a head": {"", Record{}},
		"windows line ends and a byte order mark are read": {"\r\n## Goal\r\nShip it.\r\n", Record{Goal: "Ship it."}},
		"sections in another order, some missing": {
			"## References\n- [a](https://a)\n\n---\n\n## goal\nShip it.\n",
			Record{Goal: "Ship it.", References: []Reference{{"https://a", "a"}}},
		},
		"other bullets, and lines without one": {
			"## Work Done\n* one\n+ two\nthree\n  and more\n-\n\n- four\n",
			Record{Summary: []string{"one", "two", "three\nand more", "four"}},
		},
		"todos without sub-headings are pending": {"## Todos\n- x\n", Record{Pending: []string{"x"}}},
		"headings without the signs": {
			"## Todos\n### Work completed\n- a\n### Pending\n- b\n", Record{Completed: []string{"a"}, Pending: []string{"b"}},
		},
		"paths without backticks": {
			"## Files Touched\n### Deleted\n- a/b.go\n",
			Record{Files: []codememory.FileChange{{Path: "a/b.go", Change: codememory.FileDeleted}}},
		},
		"a bare link, and a book": {
			"## References\n- https://a.b/c\n- Knuth, volume 3\n",
			Record{References: []Reference{{"https://a.b/c", "https://a.b/c"}, {"", "Knuth, volume 3"}}},
		},
		"plans as a list": {"## Plan Files\n- `a.md` the plan\n", Record{Plans: []PlanFile{{"a.md", "the plan"}}}},
		"a list under an unknown sub-heading is kept": {
			"## Todos\n### Some day\n- x\n", Record{Extra: []Section{{"Some day", "- x"}}},
		},
		"a note before the sections is kept": {"Read this first.\n\n## Goal\ng\n", Record{Goal: "g", Extra: []Section{{"", "Read this first."}}}},
		"code with headings does not end its section": {
			"## Log\n```\n## x\n---\n```\nafter\n", Record{Extra: []Section{{"Log", "```\n## x\n---\n```\nafter"}}},
		},
		"a fence that is never closed ends with its section": {
			"## Log\n```\nx\n\n## Goal\ng\n", Record{Goal: "g", Extra: []Section{{"Log", "```\nx\n```"}}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := head + tt.body
			if strings.Contains(name, "byte order") {
				text = "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")
			}
			got, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.ID, tt.want.Status = "s", StatusOpen
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestParseNamesTheLine(t *testing.T) {
	tests := map[string]struct {
		text string
		line int
		what string
	}{
		"no head":             {"## Goal\n", 1, "does not begin"},
		"empty":               {"", 1, "does not begin"},
		"open head":           {"---\nsession_id: x\n", 1, "not closed"},
		"no id":               {"---\ntool: cursor\n---\n", 1, "no session_id"},
		"null id":             {"---\nsession_id: null\n---\n", 1, "no session_id"},
		"broken yaml":         {"---\nsession_id: x\ntool: a: b\n---\n", 3, "not valid"},
		"a list for a text":   {"---\nsession_id: x\ntool: [a]\n---\n", 3, "tool is not a single value"},
		"not a time":          {"---\nsession_id: x\nstarted_at: soon\n---\n", 3, `"soon" is not a time`},
		"an alias":            {"---\nsession_id: &a x\nnote: *a\n---\n", 3, "alias"},
		"conflict markers":    {"---\nsession_id: x\n---\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", 5, "merge conflict"},
		"invalid UTF-8":       {"---\nsession_id: x\n---\n\xff\n", 4, "UTF-8"},
		"larger than allowed": {"---\nsession_id: x\n---\n" + strings.Repeat("x", MaxFileBytes), 0, "at most"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tt.text)
			p, ok := errors.AsType[*ParseError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if p.Line != tt.line || !strings.Contains(p.What, tt.what) {
				t.Errorf("got line %d: %s, want line %d: …%s…", p.Line, p.What, tt.line, tt.what)
			}
		})
	}
}

func TestFilesOfOpenCodeMemoryAreReadInTheirZone(t *testing.T) {
	data, err := os.ReadFile("testdata/ocm_session.md")
	if err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("", 5*3600)
	r, err := ParseIn(string(data), zone)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 2, 23, 14, 32, 0, 0, zone); !r.StartedAt.Equal(want) {
		t.Errorf("started %s, want %s", r.StartedAt, want)
	}
	// Once it is written by us, every machine reads the same moment.
	again, err := Parse(Render(r))
	if err != nil || !again.StartedAt.Equal(r.StartedAt) {
		t.Errorf("started %s, %v", again.StartedAt, err)
	}
	want := Record{
		ID: "sess-gold", Agent: "cursor", Project: "my-app", Status: StatusOpen, StartedAt: r.StartedAt, Goal: "Migrate BGE-M3 to TEI.",
		Completed: []string{"A done", "B done"}, Pending: []string{"C todo"}, Summary: []string{"did A"},
		Decisions: []string{"**TEI:** faster. [docs](https://x)"}, Plans: []PlanFile{{"docs/p.md", "## Plan"}},
		References: []Reference{{"https://x", "X docs"}},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestHostileFilesAreReadInOnePass(t *testing.T) {
	const head = "---\nsession_id: s\n---\n"
	for name, line := range map[string]string{
		"open code blocks": "```x\n", "code blocks": "```\n", "continued items": " x\n", "one section again and again": "## Goal\nx\n", "empty titles": "##\nx\n",
		"rows": "|\\|`|\n", "backticks": "`", "turns": "- a\n  - b\n", "rules": "---\n", "brackets": "- [\\[\n", "files": "- `a`\n", "sections": "## a\n",
	} {
		for _, section := range []string{"", "## Last Turns\n", "## Files Touched\n", "## Plan Files\n", "## References\n", "## Work Done\n- x\n"} {
			text := head + section
			text += strings.Repeat(line, MaxFileBytes/8/len(line))
			at := time.Now()
			if _, err := Parse(text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(at); took > time.Second*raceFactor {
				t.Errorf("%s after %q take %s", name, section, took)
			}
		}
	}
}
