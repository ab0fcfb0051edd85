package jsonl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// toy is an agent whose rows are {"p":"a prompt"}, {"a":"an answer"} and
// {"o":"the output of a tool"}.
type toy struct {
	log  Log
	keep int
	turn *Draft
	n    int
}

var start = time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)

func (y *toy) Log() *Log { return &y.log }

func (y *toy) Line(line []byte) bool {
	var r struct{ P, A, O string }
	if !Decode(line, &r) {
		return false
	}
	y.n++
	at, id := start.Add(time.Duration(y.n)*time.Second), fmt.Sprint(y.n)
	y.log.Session.Dir = "/app"
	y.log.Session.Messages++
	y.log.See(at)
	switch {
	case r.P != "" || y.turn == nil:
		y.turn = y.log.Open(codememory.PromptTurn, id, r.P, at)
	case r.O != "":
		y.turn.Use(id, codememory.ToolCall{Name: "bash", Running: true}, at).Output(r.O, y.keep, at)
	default:
		y.turn.Say(id, r.A, at)
		y.turn.End(codememory.TurnDone, "", at)
	}
	return true
}

func newToy(t testing.TB) (*Reader, string) {
	root := filepath.Join(t.TempDir(), "records")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	return toyReader(root), root
}

func toyReader(root string) *Reader {
	return NewReader(Format{
		Agent: "toy", Name: "Toy", Roots: []string{root},
		Enter: func(rel string) bool { return !strings.HasPrefix(rel, "other") },
		Identify: func(_, rel string) (Place, bool) {
			return Place{ID: strings.TrimSuffix(filepath.Base(rel), ".jsonl")}, true
		},
		Begin: func(_ Place, keep int) Parser { return &toy{keep: keep} },
	}, Options{Now: func() time.Time { return start.Add(time.Hour) }})
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func grow(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// outline shows the turns as "prompt -> answer". Both ways of reading, with
// and without memory of what was read before, must agree.
func outline(t testing.TB, r *Reader, id string) (out []string) {
	t.Helper()
	var all [2][]string
	for i, limit := range []int{100, 0} {
		turns, err := r.Turns(t.Context(), id, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			all[i] = append(all[i], turn.Prompt+" -> "+turn.Answer())
		}
	}
	if diff := cmp.Diff(all[1], all[0]); diff != "" {
		t.Errorf("read on differs from read anew: %s", diff)
	}
	return all[0]
}

func TestReadingOnWhileAFileChanges(t *testing.T) {
	r, root := newToy(t)
	path := filepath.Join(root, "s.jsonl")
	write(t, path, `{"p":"one"}`+"\n"+`{"a":"first"}`+"\n")
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"as it is", func() {}, []string{"one -> first"}},
		{"it grows", func() { grow(t, path, `{"p":"two"}`+"\n") }, []string{"one -> first", "two -> "}},
		{"a line begins", func() { grow(t, path, `{"a":"sec`) }, []string{"one -> first", "two -> "}},
		{"the line ends", func() { grow(t, path, `ond"}`+"\n") }, []string{"one -> first", "two -> second"}},
		{"the line feed is missing", func() { grow(t, path, `{"p":"three"}`) }, []string{"one -> first", "two -> second", "three -> "}},
		{"and comes", func() { grow(t, path, "\n"+`{"a":"third"}`+"\n") }, []string{"one -> first", "two -> second", "three -> third"}},
		{"it is cut", func() { write(t, path, `{"p":"new"}`+"\n") }, []string{"new -> "}},
		{"it is written anew and longer", func() { write(t, path, `{"p":"other"}`+"\n"+`{"a":"text"}`+"\n"+`{"p":"more"}`+"\n") }, []string{"other -> text", "more -> "}},
		{"another file takes its place", func() {
			write(t, path+".new", `{"p":"OTHER"}`+"\n"+`{"a":"text"}`+"\n"+`{"p":"more"}`+"\n")
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, []string{"OTHER -> text", "more -> "}},
		{"it is emptied", func() { write(t, path, "") }, nil},
	} {
		step.do()
		if diff := cmp.Diff(step.want, outline(t, r, "s")); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}

func TestBrokenLinesAreCounted(t *testing.T) {
	r, root := newToy(t)
	write(t, filepath.Join(root, "s.jsonl"), `{"p":"one"}`+"\nno json\n\xff\xfe\n[1]\n"+`{"a":"first \ud800"}`+"\n"+`{"a":"wri`)
	if diff := cmp.Diff([]string{"one -> first \uFFFD"}, outline(t, r, "s")); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		line, err := r.Check(t.Context())
		if err != nil || !strings.Contains(line, root) || !strings.Contains(line, "1 session;") || !strings.Contains(line, "3 damaged lines skipped") {
			t.Errorf("check says %q, %v", line, err)
		}
	}
}

func TestWhereNothingIs(t *testing.T) {
	for _, r := range []*Reader{toyReader(filepath.Join(t.TempDir(), "missing")), NewReader(Format{Name: "Toy"}, Options{})} {
		_, err1 := r.Check(t.Context())
		_, err2 := r.Sessions(t.Context(), codememory.SessionQuery{})
		_, err3 := r.Turns(t.Context(), "s", 0)
		_, _, _, err4 := r.Changed(t.Context(), "")
		for i, err := range []error{err1, err2, err3, err4} {
			if codememory.CodeOf(err) != codememory.NotFound || !strings.Contains(err.Error(), "Toy has no records here") {
				t.Errorf("call %d: %v", i+1, err)
			}
		}
	}
}

func TestARootThatIsNoFolder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "records")
	write(t, root, "a file")
	if _, err := toyReader(root).Check(t.Context()); codememory.CodeOf(err) != codememory.Unavailable {
		t.Error(err)
	}
}

func TestChangesOfFolders(t *testing.T) {
	r, root := newToy(t)
	expect := func(name, mark string, wantChanged, wantDeleted []string) string {
		t.Helper()
		changed, deleted, next, err := r.Changed(t.Context(), mark)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(changed, wantChanged) || !slices.Equal(deleted, wantDeleted) {
			t.Errorf("%s: changed %q, deleted %q, want %q, %q", name, changed, deleted, wantChanged, wantDeleted)
		}
		return next
	}
	mark := expect("empty", "", nil, nil)
	write(t, filepath.Join(root, "a", "one.jsonl"), "{}\n")
	write(t, filepath.Join(root, "other", "no.jsonl"), "{}\n")
	write(t, filepath.Join(root, "a", "notes.txt"), "{}\n")
	mark = expect("a new folder", mark, []string{"one"}, nil)
	write(t, filepath.Join(root, "a", "b", "two.jsonl"), "{}\n")
	mark = expect("a folder in it", mark, []string{"two"}, nil)
	if err := os.Rename(filepath.Join(root, "a", "b"), filepath.Join(root, "c")); err != nil {
		t.Fatal(err)
	}
	mark = expect("a folder moves", mark, []string{"two"}, nil)
	beforeRestart := mark
	if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	mark = expect("a folder goes", mark, nil, []string{"one"})
	expect("nothing happens", mark, nil, nil)
	r = toyReader(root)
	if next := expect("another process, nothing happened", mark, nil, nil); next != mark {
		t.Errorf("the mark is another one: %s, %s", next, mark)
	}
	expect("another process, an older mark", beforeRestart, nil, []string{"one"})
	watched := r.Watched()
	if !slices.Contains(watched, root) || !slices.Contains(watched, filepath.Join(root, "c")) {
		t.Errorf("watched %q", watched)
	}
}

func TestTheNewestFileOfASessionCounts(t *testing.T) {
	r, root := newToy(t)
	for i, dir := range []string{"a", "b"} {
		path := filepath.Join(root, dir, "s.jsonl")
		write(t, path, `{"p":"in `+dir+`"}`+"\n")
		if err := os.Chtimes(path, start, start.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"in b -> "}, outline(t, r, "s")); diff != "" {
		t.Error(diff)
	}
	if changed, _, _, err := r.Changed(t.Context(), ""); err != nil || !slices.Equal(changed, []string{"s"}) {
		t.Errorf("changed %q, %v", changed, err)
	}
}

// bigFile has turns with outputs of 8 KB, and every fifth line broken.
func bigFile(t testing.TB, path string, size int) (turns int) {
	t.Helper()
	var b strings.Builder
	output, err := json.Marshal(map[string]string{"o": strings.Repeat("output of a tool\n", 500)})
	if err != nil {
		t.Fatal(err)
	}
	for b.Len() < size {
		fmt.Fprintf(&b, "{\"p\":\"prompt %d\"}\n%s\n%s\n%s\n{\"a\":\"done\"}\n", turns, output, output, output[:len(output)/2])
		turns++
	}
	write(t, path, b.String())
	return turns
}

func TestABigFileTakesLittleMemory(t *testing.T) {
	r, root := newToy(t)
	want := bigFile(t, filepath.Join(root, "s.jsonl"), 20<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if _, err := r.Sessions(t.Context(), codememory.SessionQuery{}); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 1<<20 {
		t.Errorf("a listing keeps %d bytes", kept)
	}
	turns, err := r.Turns(t.Context(), "s", 100)
	if err != nil || len(turns) != want {
		t.Fatalf("%d turns, want %d, %v", len(turns), want, err)
	}
	line, err := r.Check(t.Context())
	if err != nil || !strings.Contains(line, fmt.Sprintf("%d damaged lines", want)) {
		t.Errorf("check says %q, %v", line, err)
	}
}

func TestFewTranscriptsStayInMemory(t *testing.T) {
	t.Parallel()
	r, root := newToy(t)
	for i := range 3 * keptLogs {
		id := fmt.Sprint("s", i)
		write(t, filepath.Join(root, id+".jsonl"), `{"p":"`+id+`"}`+"\n")
		if diff := cmp.Diff([]string{id + " -> "}, outline(t, r, id)); diff != "" {
			t.Error(diff)
		}
	}
	if len(r.logs) != keptLogs {
		t.Errorf("%d transcripts in memory", len(r.logs))
	}
	r.room = 10 * keptOutput
	output := `{"o":"` + strings.Repeat("x", keptOutput) + `"}` + "\n"
	for i := range 2 {
		write(t, filepath.Join(root, fmt.Sprint("big", i, ".jsonl")), `{"p":"big"}`+"\n"+strings.Repeat(output, 7))
		if _, err := r.Turns(t.Context(), fmt.Sprint("big", i), 10); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.logs) != 1 {
		t.Errorf("%d transcripts in memory, the last alone is big", len(r.logs))
	}
}

func TestACancelledReadIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	r, root := newToy(t)
	want := bigFile(t, filepath.Join(root, "s.jsonl"), 4<<20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := r.Turns(ctx, "s", 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after a millisecond: %v", err)
	}
	if turns, err := r.Turns(t.Context(), "s", 10); err != nil || len(turns) != want {
		t.Errorf("%d turns, %v", len(turns), err)
	}
}

func thousand(t testing.TB) (*Reader, string) {
	r, root := newToy(t)
	for i := range 1000 {
		write(t, filepath.Join(root, fmt.Sprint("project-", i%20), fmt.Sprintf("5e551011-0000-4000-8000-%012d.jsonl", i)), `{"p":"one"}`+"\n")
	}
	past := time.Now().Add(-time.Hour) // folders that changed just now are read again
	dirs, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(dirs, root) {
		if err := os.Chtimes(dir, past, past); err != nil {
			t.Fatal(err)
		}
	}
	return r, root
}

func BenchmarkChanged1000Files(b *testing.B) {
	r, root := thousand(b)
	_, _, mark, err := r.Changed(b.Context(), "")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("nothing changed", func(b *testing.B) {
		for b.Loop() {
			if changed, _, next, err := r.Changed(b.Context(), mark); err != nil || len(changed) > 0 || next != mark {
				b.Fatal(changed, err)
			}
		}
	})
	b.Run("one changed", func(b *testing.B) {
		path := filepath.Join(root, "project-7", "5e551011-0000-4000-8000-000000000007.jsonl")
		for b.Loop() {
			grow(b, path, "{}\n")
			var changed []string
			if changed, _, mark, err = r.Changed(b.Context(), mark); err != nil || len(changed) != 1 {
				b.Fatal(changed, err)
			}
		}
	})
	b.Run("after a restart", func(b *testing.B) {
		for b.Loop() {
			if changed, _, _, err := toyReader(root).Changed(b.Context(), mark); err != nil || len(changed) > 0 {
				b.Fatal(changed, err)
			}
		}
	})
	b.Run("list 20 of them", func(b *testing.B) {
		for b.Loop() {
			if got, err := r.Sessions(b.Context(), codememory.SessionQuery{Limit: 20}); err != nil || len(got) != 20 {
				b.Fatal(len(got), err)
			}
		}
	})
	b.ReportMetric(float64(len(mark)), "mark-bytes")
}
