package capture_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
	"codememory/internal/capture"
	"codememory/internal/history"
)

// bench is an OpenCode database that a test writes, and a capturer of it.
type bench struct {
	t    *testing.T
	root string
	db   *opencodetest.DB
	dir  string // the folder the sessions work in
}

func newBench(t *testing.T) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{t: t, root: root, dir: filepath.Join(root, "app")}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.db = opencodetest.Create(t, b.opencodeDB())
	b.db.Now = time.Now() // a turn that nobody touched for a while counts as left
	return b
}

func (b *bench) opencodeDB() string { return filepath.Join(b.root, "opencode.db") }
func (b *bench) store() string      { return filepath.Join(b.root, "store") }

// capturer opens everything anew, as a restarted daemon does.
func capturer(ctx context.Context, root string, step func(string)) (*capture.Capturer, *history.DB, error) {
	h, err := history.Open(ctx, filepath.Join(root, "history.db"))
	if err != nil {
		return nil, nil, err
	}
	if _, err := h.Since(ctx, time.Unix(0, 0)); err != nil { // everything is newer than the installation
		return nil, nil, err
	}
	c := capture.New(capture.Options{
		History: h, Sources: []codememory.Transcripts{opencode.New(opencode.Options{Path: filepath.Join(root, "opencode.db")})},
		Place: func(_ context.Context, dir string) (capture.Place, error) {
			return capture.Place{Project: codememory.Project{ID: "p1", Name: "app"}, Store: filepath.Join(root, "store"), Enabled: true}, nil
		},
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[REDACTED]") }, Location: time.UTC, Step: step,
		Done: func(_ context.Context, c capture.Captured) {
			f, err := os.OpenFile(filepath.Join(root, "done"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err == nil {
				fmt.Fprintln(f, c.Turn.Prompt)
				f.Close()
			}
		},
	})
	return c, h, nil
}

func (b *bench) pass() capture.Report {
	b.t.Helper()
	c, h, err := capturer(b.t.Context(), b.root, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	defer h.Close()
	rep, err := c.Pass(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return rep
}

func (b *bench) journal() string {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.store(), "journal", "*.md"))
	if err != nil {
		b.t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

func (b *bench) found(query string) int {
	b.t.Helper()
	_, h, err := capturer(b.t.Context(), b.root, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	defer h.Close()
	hits, err := h.Search(b.t.Context(), history.Query{Text: query})
	if err != nil {
		b.t.Fatal(err)
	}
	return len(hits)
}

func TestTurnsAreCapturedWhenTheyAreOver(t *testing.T) {
	b := newBench(t)
	s := b.db.Session(b.dir, "Fix the login")
	u := s.User("please fix the login, the password is hunter2")
	a := s.Assistant(u)
	tool := a.Tool("bash", opencodetest.Data{"command": "go test ./..."})
	if rep := b.pass(); rep.Turns != 0 || b.journal() != "" {
		t.Fatalf("an open turn was captured: %+v\n%s", rep, b.journal())
	}
	tool.Complete("ok", opencodetest.Data{"exit": 0})
	a.Finish("tool-calls")
	last := s.Assistant(u)
	last.Text("The login works again.")
	last.Finish("stop")
	if rep := b.pass(); rep.Turns != 1 {
		t.Fatalf("%+v", rep)
	}
	text := b.journal()
	for _, want := range []string{"## Session " + s.ID, "Fix the login", "[REDACTED]", "go test ./...", "The login works again."} {
		if !strings.Contains(text, want) {
			t.Errorf("the journal lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "hunter2") {
		t.Error("a secret is in the journal")
	}
	if rep := b.pass(); rep.Turns != 0 {
		t.Errorf("captured again: %+v", rep)
	}
	if b.found("login works") != 1 || b.found("hunter2") != 0 {
		t.Error("the turn is not searchable, or by its secret")
	}
}

func TestUndoForkAndDeletion(t *testing.T) {
	b := newBench(t)
	s := b.db.Session(b.dir, "Work")
	s.Turn("first question about caching", "first answer")
	second, _ := s.Turn("second question about sharding", "second answer")
	if rep := b.pass(); rep.Turns != 2 {
		t.Fatalf("%+v", rep)
	}
	s.Fork()
	if rep := b.pass(); rep.Turns != 0 || strings.Count(b.journal(), "first question") != 1 {
		t.Errorf("a fork was written again: %+v\n%s", rep, b.journal())
	}
	s.Revert(second.ID, "")
	if rep := b.pass(); rep.Undone != 1 || strings.Contains(b.journal(), "second question") && strings.Contains(b.journal(), "turn:"+second.ID) {
		t.Errorf("an undone turn stayed: %+v\n%s", rep, b.journal())
	}
	s.Delete()
	b.pass()
	if !strings.Contains(b.journal(), "first question") {
		t.Error("the journal lost a turn because its session was deleted")
	}
}

func TestSubagentsAreIndexedNotJournaled(t *testing.T) {
	b := newBench(t)
	parent := b.db.Session(b.dir, "Parent")
	parent.Turn("delegate it", "done by the subagent")
	child := parent.Child("explore (@general subagent)")
	child.Turn("explore the walrus code", "the walrus lives in sea.go")
	rep := b.pass()
	if rep.Turns != 1 || rep.Indexed != 1 || strings.Contains(b.journal(), "walrus") {
		t.Errorf("%+v\n%s", rep, b.journal())
	}
	if b.found("walrus") != 1 {
		t.Error("the subagent's work is not searchable")
	}
}

func TestOlderSessionsAreImportedOnlyOnRequest(t *testing.T) {
	b := newBench(t)
	s := b.db.Session(b.dir, "Old")
	for i := range 3 {
		s.Turn(fmt.Sprintf("old question %d", i), "old answer")
	}
	h, err := history.Open(t.Context(), filepath.Join(b.root, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Since(t.Context(), time.Now().Add(time.Hour*24*365*10)); err != nil { // installed after all of it
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if rep := b.pass(); rep.Turns != 0 || b.journal() != "" {
		t.Fatalf("imported unasked: %+v", rep)
	}
	c, h, err := capturer(t.Context(), b.root, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var last int
	dry, err := c.Backfill(t.Context(), capture.BackfillRequest{DryRun: true}, func(done, total int) { last = total })
	if err != nil || dry.Turns != 3 || last != 1 || b.journal() != "" {
		t.Errorf("dry run: %+v %v", dry, err)
	}
	for i, want := range []int{3, 0} {
		rep, err := c.Backfill(t.Context(), capture.BackfillRequest{}, func(int, int) {})
		if err != nil || rep.Turns != want {
			t.Errorf("import %d: %+v %v", i, rep, err)
		}
	}
	if strings.Count(b.journal(), "old question") != 3 {
		t.Error(b.journal())
	}
}

// steps are those of writing a turn, in their order.
var steps = []string{"journal", "done", "row", "mark"}

// killed is set in the process that is to die at a step.
const killed = "CAPTURE_TEST_DIE_AT"

func TestMain(m *testing.M) {
	if at := os.Getenv(killed); at != "" {
		dieAt(at, os.Getenv("CAPTURE_TEST_ROOT"))
	}
	os.Exit(m.Run())
}

// dieAt captures until the n-th time of a step and ends there without any
// tidying up, as kill -9 does.
func dieAt(at, root string) {
	name, after, _ := strings.Cut(at, "/")
	left := int(after[0] - '0')
	c, _, err := capturer(context.Background(), root, func(step string) {
		if step == name {
			if left == 0 {
				os.Exit(137)
			}
			left--
		}
	})
	if err == nil {
		_, err = c.Pass(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func TestKilledAtEveryStepNothingIsLostOrDoubled(t *testing.T) {
	for _, step := range steps {
		for after := range 3 {
			t.Run(fmt.Sprintf("%s %d", step, after), func(t *testing.T) {
				b := newBench(t)
				for i := range 3 {
					s := b.db.Session(b.dir, fmt.Sprintf("Session %d", i))
					s.Turn(fmt.Sprintf("question %d one", i), "answer one")
					s.Turn(fmt.Sprintf("question %d two", i), "answer two")
				}
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
				cmd.Env = append(os.Environ(), killed+"="+fmt.Sprintf("%s/%d", step, after), "CAPTURE_TEST_ROOT="+b.root)
				if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 137 {
					t.Fatalf("%v\n%s", err, out)
				}
				b.pass()
				text := b.journal()
				done, err := os.ReadFile(filepath.Join(b.root, "done"))
				if err != nil {
					t.Fatal(err)
				}
				for i := range 3 {
					for _, n := range []string{"one", "two"} {
						q := fmt.Sprintf("question %d %s", i, n)
						if strings.Count(text, q) != 1 {
							t.Errorf("%q is in the journal %d times", q, strings.Count(text, q))
						}
						if !strings.Contains(string(done), q) {
							t.Errorf("nothing was made of %q", q)
						}
						if b.found(q) == 0 {
							t.Errorf("%q is not searchable", q)
						}
					}
				}
				if rep := b.pass(); rep.Turns != 0 {
					t.Errorf("one more pass captured %+v", rep)
				}
			})
		}
	}
}
