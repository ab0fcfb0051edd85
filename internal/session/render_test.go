package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codememory"
)

var begin = time.Date(2026, 2, 23, 14, 32, 0, 0, time.UTC)

// goldenCheckpoint is what openCodeMemory was given to make testdata/ocm_session.md.
func goldenCheckpoint() Checkpoint {
	return Checkpoint{
		Session: "sess-gold", Agent: "cursor", Goal: "Migrate BGE-M3 to TEI.", At: begin,
		Completed: []string{"A done", "B done"}, Pending: []string{"C todo"}, Summary: []string{"did A"},
		Decisions:  []string{"**TEI:** faster. [docs](https://x)"},
		Plans:      []PlanFile{{"docs/p.md", "## Plan"}},
		References: []Reference{{"https://x", "X docs"}},
	}
}

func golden(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/ocm_session.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRenderWritesTheFileThatOpenCodeMemoryWrites(t *testing.T) {
	r := Record{Project: "my-app"}
	if err := r.Apply(goldenCheckpoint()); err != nil {
		t.Fatal(err)
	}
	if r.Trigger != TriggerManual {
		t.Errorf("trigger is %q", r.Trigger)
	}
	r.Trigger = "" // which openCodeMemory never sets
	if diff := cmp.Diff(golden(t), Render(r)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRenderWritesEverySection(t *testing.T) {
	r := full()
	got := Render(r)
	for _, want := range []string{
		"status: closed\n", "slug: tei-migration\n", "parent: ses_parent\n", "ended_at: 2026-02-23T17:00:00\n", "utc_offset: \"+02:00\"\n",
		"started_at: 2026-02-23T16:32:00\n",
		"## Files Touched\n\n### Created\n- `tests/a_test.py`\n\n### Modified\n- `src/a.py`\n- `src/b.py`\n\n### Deleted\n- `old.py`\n\n---\n",
		"## Git Diff Summary\n1 file created, 2 modified, 1 deleted. +45 / -12 lines.\nsrc/a.py | 57 ++--\n 1 file changed, 45 insertions(+), 12 deletions(-)\n\n---\n",
		"- **TEI over Infinity:** Native support.\n  [docs](https://x)\n",
		"| `docs/a\\|b.md` | ## A \\| B |\n",
		"- [the \\[x\\] page](<https://x/a_(b)>)\n",
		"\n---\n\n## Last Turns\n\n- Fix the OOM <!-- turn:msg_1 2026-02-23T16:40:00 -->\n  - Done: Halved the batch.\n  - Left open: the user stopped it before it was done\n",
		"\n---\n\n## My notes\nkept as it is\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q in\n%s", want, got)
		}
	}
}

// full has something in every field, in the form that survives a round trip.
func full() Record {
	zone := time.FixedZone("", 2*3600)
	at := begin.In(zone)
	return Record{
		ID: "ses_full", Agent: "claude-code", Project: "my-app", Dir: "/home/me/my-app", Parent: "ses_parent", Slug: "tei-migration",
		Goal: "Migrate.\n\n## not a heading\n---\n```\n", Status: StatusClosed, Trigger: TriggerEnd,
		StartedAt: at, UpdatedAt: at.Add(20 * time.Minute), EndedAt: at.Add(28 * time.Minute),
		GitStart: "1234567", GitEnd: "d8e2f04",
		DiffNote:  "1 file created, 2 modified, 1 deleted. +45 / -12 lines.",
		DiffStat:  "src/a.py | 57 ++--\n 1 file changed, 45 insertions(+), 12 deletions(-)",
		Completed: []string{"- dash", "two\nlines"}, Pending: []string{"C"}, Summary: []string{"did"},
		Decisions:  []string{"**TEI over Infinity:** Native support.\n[docs](https://x)"},
		Plans:      []PlanFile{{"docs/a|b.md", "## A | B"}, {"with`tick.md", ""}},
		References: []Reference{{"https://x/a_(b)", "the [x] page"}, {"", "a book"}, {"https://y", "https://y"}},
		Files: []codememory.FileChange{
			{Path: "tests/a_test.py", Change: codememory.FileCreated},
			{Path: "src/a.py", Change: codememory.FileModified},
			{Path: "src/b.py", Change: codememory.FileModified},
			{Path: "old.py", Change: codememory.FileDeleted},
		},
		Turns: []TurnNote{
			{ID: "msg_1", At: at.Add(8 * time.Minute), Asked: "Fix the OOM", Done: "Halved the batch.", Open: "the user stopped it before it was done"},
			{Asked: "by hand"},
		},
		Extra:     []Section{{"", "# A title"}, {"My notes", "kept as it is"}, {"Code", "```sh\n## a comment\n---\n```"}},
		ExtraHead: []HeadField{{"tags", "tags:\n    - a\n    - b\n"}, {"rating", "rating: 5 # of 10\n"}},
	}
}

func TestTheMarkdownAloneRestoresTheRecord(t *testing.T) {
	want := full()
	want.Goal = strings.TrimSpace(want.Goal)
	got, err := Parse(Render(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAnyRecordSurvivesARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		text := Render(r)
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(clean(r), got); diff != "" {
			t.Fatalf("-want +got\n%s\n%s", diff, text)
		}
		if again := Render(got); again != text {
			t.Fatalf("not stable: %s", cmp.Diff(text, again))
		}
	})
}

// anyText holds what files of all kinds hold, and most of what could break ours.
func anyText(t *rapid.T, name string) string {
	pieces := rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{
			"\n", "\n\n", "- ", "  ", "---", "## ", "### ✅ Work Completed", "## Goal", "```", "~~~", "|", "\\", "`", "``", "[", "]", "(", ")",
			"<", ">", "<<<<<<< x\n", "=======\n", "\n>>>>>>> y", ": ", "#", "null", "~", "1e3", "true", "\t", "\r\n", "https://x.y/z", " changed, ", "Done: ",
			"Left open: ", "<!-- turn:x -->", "-->", "'", "\"", "\x00", "\u2028", "\ufeff", "é", "日本", "🔲", "* ", "+ ", "word", "2026-02-23", "%",
		}),
		rapid.String(),
	), 0, 6).Draw(t, name)
	return strings.Join(pieces, "")
}

func anyTexts(t *rapid.T, name string) []string {
	var list []string
	for range rapid.IntRange(0, 3).Draw(t, name+" count") {
		list = append(list, anyText(t, name))
	}
	return list
}

func anyTime(t *rapid.T, name string) time.Time {
	if rapid.Bool().Draw(t, name+" zero") {
		return time.Time{}
	}
	zone := time.FixedZone("", 60*rapid.IntRange(-12*60, 14*60).Draw(t, name+" zone"))
	return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, name), 123).In(zone)
}

func anyRecord(t *rapid.T) Record {
	r := Record{
		ID: "x" + anyText(t, "id"), Agent: anyText(t, "agent"), Project: anyText(t, "project"), Dir: anyText(t, "dir"),
		Parent: anyText(t, "parent"), Slug: anyText(t, "slug"), Goal: anyText(t, "goal"), Trigger: anyText(t, "trigger"),
		Status:    rapid.SampledFrom([]Status{"", StatusOpen, StatusFrozen, StatusClosed}).Draw(t, "status"),
		StartedAt: anyTime(t, "started"), UpdatedAt: anyTime(t, "updated"), EndedAt: anyTime(t, "ended"),
		GitStart: anyText(t, "sha"), GitEnd: anyText(t, "sha end"), DiffStat: anyText(t, "stat"), DiffNote: anyText(t, "note"),
		Completed: anyTexts(t, "completed"), Pending: anyTexts(t, "pending"), Summary: anyTexts(t, "summary"), Decisions: anyTexts(t, "decisions"),
		FilesFromGit: rapid.Bool().Draw(t, "from git"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "lists") {
		r.Plans = append(r.Plans, PlanFile{anyText(t, "path"), anyText(t, "header")})
		r.References = append(r.References, Reference{anyText(t, "url"), anyText(t, "title")})
		r.Files = append(r.Files, codememory.FileChange{
			Path:   anyText(t, "file"),
			Change: rapid.SampledFrom([]codememory.ChangeKind{codememory.FileCreated, codememory.FileModified, codememory.FileDeleted}).Draw(t, "change"),
		})
		r.Turns = append(r.Turns, TurnNote{ID: anyText(t, "turn"), At: anyTime(t, "at"), Asked: anyText(t, "asked"), Done: anyText(t, "done"), Open: anyText(t, "open")})
		r.Extra = append(r.Extra, Section{"Note " + rapid.StringMatching(`[a-z ]{0,8}`).Draw(t, "section"), rapid.StringMatching("([a-z#|`~ \n-]|```\n|---\n){0,30}").Draw(t, "body")})
	}
	// A foreign body cannot hold a heading of its own: that is the next section.
	for i := range r.Extra {
		r.Extra[i].Body = strings.ReplaceAll("\n"+r.Extra[i].Body, "\n##", "\n# #")
	}
	return r
}

func FuzzParseNeverPanicsAndSettles(f *testing.F) {
	f.Add(golden(f))
	f.Add(Render(full()))
	f.Add("---\nsession_id: x\n---\n## Plan Files\n| a | b\n|\\|\\\\| `x |\n## References\n- [a](b\n- [\\")
	f.Add("---\nsession_id: x\na: {b: [c]}\n---\n## Todos\n### Other\n- x\n```\n## Goal")
	f.Add("---\n- a\n---\n")
	f.Add("---\nsession_id: [x]\n---\n")
	f.Fuzz(func(t *testing.T, markdown string) {
		r, err := Parse(markdown)
		if err != nil {
			return
		}
		text := Render(r)
		again, err := Parse(text)
		if err != nil {
			if len(text) > MaxFileBytes {
				return
			}
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("-first +second\n%s\n%s", diff, text)
		}
	})
}
