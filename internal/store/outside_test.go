package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/memfile"
	"codememory/internal/store"
	"codememory/internal/storetest"
	"codememory/internal/text"
)

func total(t *testing.T, st *store.Store) int {
	t.Helper()
	page, err := st.List(t.Context(), codememory.Filter{States: codememory.AnyState}, codememory.PageRequest{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return page.Total
}

func fileOf(st *store.Store, id string) string {
	return filepath.Join(st.Dir(), filepath.FromSlash(memfile.PathFor(id, false)))
}

func save(t *testing.T, st *store.Store, ms ...codememory.Memory) {
	t.Helper()
	if err := st.Save(t.Context(), ms...); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestTwoBranchesMergeWithoutConflict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init")
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("memories.db*\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	st := open(t, dir)
	base := make([]codememory.Memory, 20)
	for i := range base {
		base[i] = storetest.Memory(i, fmt.Sprintf("base fact %d", i))
	}
	save(t, st, base...)
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-m", "base")
	branch := func(name string, from int, edited, pinned string) {
		git(t, dir, "checkout", "-q", "-b", name, "main")
		if _, err := st.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			save(t, st, storetest.Memory(from+i, fmt.Sprintf("fact %d learned on %s", i, name)))
		}
		if _, err := st.Update(t.Context(), edited, func(m *codememory.Memory) error { m.Text += " (edited on " + name + ")"; return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := st.Update(t.Context(), pinned, func(m *codememory.Memory) error { m.Pinned = true; return nil }); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "add", ".")
		git(t, dir, "commit", "-m", name)
	}
	branch("left", 100, base[1].ID, base[2].ID)
	branch("right", 200, base[3].ID, base[1].ID) // right pins what left rewords
	git(t, dir, "merge", "-m", "both", "left")
	if _, err := st.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := total(t, st); n != 120 {
		t.Errorf("%d memories after the merge, want 120", n)
	}
	m, err := st.Get(t.Context(), base[1].ID)
	if err != nil || !m.Pinned || !strings.Contains(m.Text, "edited on left") {
		t.Errorf("both sides' changes of one memory: %+v %v", m, err)
	}
	if rep, err := st.Verify(t.Context()); err != nil || len(rep.Problems) > 0 {
		t.Errorf("%v %v", rep.Problems, err)
	}
	git(t, dir, "checkout", "-q", "left")
	if _, err := st.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := total(t, st); n != 70 {
		t.Errorf("%d memories on left alone, want 70", n)
	}
}

func TestAConflictIsNamedAndTheRestLoads(t *testing.T) {
	t.Parallel()
	st := open(t, t.TempDir())
	good, bad := storetest.Memory(1, "good"), storetest.Memory(2, "bad")
	save(t, st, good, bad)
	path := fileOf(st, bad.ID)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	conflict := strings.Replace(string(b), "\nbad\n", "\n<<<<<<< HEAD\nbad\n=======\nworse\n>>>>>>> theirs\n", 1)
	if err := os.WriteFile(path, []byte(conflict), 0o600); err != nil {
		t.Fatal(err)
	}
	rep, err := st.Sync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Problems) != 1 || rep.Problems[0].Path != memfile.PathFor(bad.ID, false) || rep.Problems[0].Line != 10 || rep.Problems[0].Todo == "" {
		t.Errorf("problems %+v", rep.Problems)
	}
	if total(t, st) != 1 {
		t.Errorf("%d memories, want the good one", total(t, st))
	}
	stats, err := st.Stats(t.Context())
	if err != nil || len(stats.Problems) != 1 {
		t.Errorf("stats %+v %v", stats, err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if rep, err := st.Sync(t.Context()); err != nil || rep.Projected != 1 || total(t, st) != 2 {
		t.Errorf("after mending: %+v %v", rep, err)
	}
	if stats, err := st.Stats(t.Context()); err != nil || len(stats.Problems) != 0 {
		t.Errorf("the problem stayed: %+v %v", stats, err)
	}
}

func TestEditsFromOutsideAreSeen(t *testing.T) {
	t.Parallel()
	changes := make(chan store.Change, 100)
	o := options(t.TempDir())
	o.Changed = func(c store.Change) {
		if c.Outside {
			changes <- c
		}
	}
	st, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Watch(); err != nil {
		t.Fatal(err)
	}
	m := storetest.Memory(1, "first wording")
	save(t, st, m)
	wait := func(what string, ok func(store.Change) bool) {
		t.Helper()
		deadline := time.After(10 * time.Second)
		for {
			select {
			case c := <-changes:
				if ok(c) {
					return
				}
			case <-deadline:
				t.Fatalf("%s was not noticed", what)
			}
		}
	}
	path := fileOf(st, m.ID)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), "first", "second, longer", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	wait("an edit in place", func(c store.Change) bool { return len(c.Saved) == 1 && c.Saved[0] == m.ID })
	if got, err := st.Get(t.Context(), m.ID); err != nil || got.Text != "second, longer wording" {
		t.Errorf("%q %v", got.Text, err)
	}
	other := storetest.Memory(9, "came with a pull")
	data, err := memfile.Encode(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(fileOf(st, other.ID)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fileOf(st, other.ID), data, 0o600); err != nil {
		t.Fatal(err)
	}
	wait("a new file in a new folder", func(c store.Change) bool { return len(c.Saved) == 1 && c.Saved[0] == other.ID })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wait("a deleted file", func(c store.Change) bool { return len(c.Removed) == 1 && c.Removed[0] == m.ID })
	if total(t, st) != 1 {
		t.Errorf("%d memories", total(t, st))
	}
}

func TestLinksOutOfTheStoreAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	data, err := memfile.Encode(storetest.Memory(1, "outside"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "x.md"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x.md", "folder"} {
		target := filepath.Join(outside, "x.md")
		if name == "folder" {
			target = outside
		}
		if err := os.Symlink(target, filepath.Join(dir, "memories", name)); err != nil {
			t.Fatal(err)
		}
	}
	st := open(t, dir)
	stats, err := st.Stats(t.Context())
	if err != nil || total(t, st) != 0 || len(stats.Problems) != 2 {
		t.Errorf("%d memories, problems %+v, %v", total(t, st), stats.Problems, err)
	}
}

func TestTheSameIDTwiceIsNamed(t *testing.T) {
	t.Parallel()
	st := open(t, t.TempDir())
	m := storetest.Memory(1, "original")
	save(t, st, m)
	b, err := os.ReadFile(fileOf(st, m.ID))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(st.Dir(), "memories", "copy.md")
	if err := os.WriteFile(copied, b, 0o600); err != nil {
		t.Fatal(err)
	}
	rep, err := st.Sync(t.Context())
	if err != nil || len(rep.Problems) != 1 || rep.Problems[0].Path != "memories/copy.md" || total(t, st) != 1 {
		t.Errorf("%+v %v", rep, err)
	}
	if err := os.Remove(fileOf(st, m.ID)); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Sync(t.Context()); err != nil || total(t, st) != 1 {
		t.Errorf("the copy did not take the place of the original: %d, %v", total(t, st), err)
	}
}

// The promise of the text layer: without the database, the same answers.
func TestTheDatabaseCanBeMadeAgainFromText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, dir)
	subjects := strings.Fields("gateway cache token retry budget queue worker schema index migration deploy rollback feature flag session cookie payment invoice webhook")
	verbs := strings.Fields("needs avoids replaces rotates limits breaks logs signs")
	var ms []codememory.Memory
	for i := range 200 {
		m := storetest.Memory(i, fmt.Sprintf("The %s %s the %s because of incident %d in internal/%s/%s.go", subjects[i%19], verbs[i%8], subjects[(i*7+3)%19], i*31, subjects[i%5], subjects[i%7]))
		m.Type = codememory.Types[i%len(codememory.Types)]
		if i > 20 && i%9 == 0 {
			m.Supersedes = []codememory.Supersession{{ID: ms[i-13].ID, Reason: "newer"}}
			m.Links = []codememory.Link{{To: ms[i-2].ID, Type: codememory.Refines}}
		}
		m.Archived = i%23 == 5
		m.Pinned = i%17 == 3
		ms = append(ms, m)
	}
	save(t, st, ms...)
	answers := func(st *store.Store) (out [][]codememory.Candidate) {
		for i := range 200 {
			q := fmt.Sprintf("why does the %s need the %s in %s", subjects[i%19], subjects[(i*5+1)%19], subjects[i%7])
			cs, err := st.Candidates(t.Context(), codememory.CandidateQuery{Terms: text.AnalyzeQuery(q), Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			if len(cs) == 0 {
				t.Fatalf("nothing found for %q", q)
			}
			out = append(out, cs)
		}
		return out
	}
	before, wasListed := answers(st), listAll(t, st)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(dir, store.DatabaseName+suffix)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	st = open(t, dir)
	byID := cmp.Transformer("byID", func(cs []codememory.Candidate) map[string]codememory.Candidate {
		out := map[string]codememory.Candidate{}
		for _, c := range cs {
			out[c.ID] = c
		}
		return out
	})
	if diff := cmp.Diff(wasListed, listAll(t, st)); diff != "" {
		t.Errorf("records differ:\n%s", diff)
	}
	if diff := cmp.Diff(before, answers(st), byID); diff != "" {
		t.Errorf("answers differ:\n%s", diff)
	}
}

func listAll(t *testing.T, st *store.Store) map[string]codememory.Memory {
	t.Helper()
	page, err := st.List(t.Context(), codememory.Filter{States: codememory.AnyState}, codememory.PageRequest{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]codememory.Memory{}
	for _, m := range page.Memories {
		out[m.ID] = m
	}
	return out
}
