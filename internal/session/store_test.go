package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func openStore(t testing.TB) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), Folder)
	return Open(dir, time.UTC), dir
}

func mustSave(t testing.TB, s *Store, r Record) Saved {
	t.Helper()
	saved, err := s.Save(r)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range list {
		out = append(out, d.Name())
	}
	return out
}

func TestEachSessionHasOneFileThatTheSlugRenames(t *testing.T) {
	s, dir := openStore(t)
	r := Record{ID: "ses_0123456789", Agent: "claude-code", StartedAt: begin, Goal: "one"}
	if got := mustSave(t, s, r); filepath.Base(got.Path) != "2026-02-23_14-32_claude-code_ses_0123.md" {
		t.Errorf("named %s", got.Path)
	}
	update := func(c Checkpoint) Saved {
		t.Helper()
		saved, err := s.Update(r.ID, func(r *Record) error { return r.Apply(c) })
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	update(Checkpoint{Slug: "tei-migration", At: begin})
	update(Checkpoint{Slug: "ignored", Goal: "two", At: begin})
	if diff := cmp.Diff([]string{"2026-02-23_14-32_claude-code_tei-migration.md"}, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	// A name that a person chose stays.
	if err := os.Rename(filepath.Join(dir, names(t, dir)[0]), filepath.Join(dir, "mine.md")); err != nil {
		t.Fatal(err)
	}
	update(Checkpoint{Goal: "three", At: begin})
	if got, err := s.Get("mine"); err != nil || got.Goal != "three" || len(names(t, dir)) != 1 {
		t.Errorf("got %+v, %v, %v", got, err, names(t, dir))
	}
}

func TestASlugRenamesAFileWhoseSessionBeganEarlier(t *testing.T) {
	s, dir := openStore(t)
	for _, change := range []func(*Record) error{
		func(r *Record) error { return r.Apply(Checkpoint{Agent: "opencode", At: begin.Add(time.Hour)}) },
		func(r *Record) error { r.Observe(turn(0, "x", "y"), ObserveOptions{}); return nil },
		func(r *Record) error { return r.Apply(Checkpoint{Slug: "late", At: begin.Add(time.Hour)}) },
		func(r *Record) error { return r.Apply(Checkpoint{Goal: "g", At: begin.Add(time.Hour)}) },
	} {
		if _, err := s.Update("ses_1", change); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"2026-02-23_14-32_opencode_late.md"}, names(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestNamesAreOfTheUsersZoneAndNeverTaken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), Folder)
	s := Open(dir, time.FixedZone("", 10*3600))
	mustSave(t, s, Record{ID: "aaaaaaaa-1", Agent: "cursor", StartedAt: begin, Slug: "same", Goal: "1"})
	mustSave(t, s, Record{ID: "aaaaaaaa-2", Agent: "cursor", StartedAt: begin, Slug: "same", Goal: "2"})
	mustSave(t, s, Record{ID: "aaaaaaaa-3", Agent: "cursor", StartedAt: begin, Slug: "same", Goal: "3"})
	want := []string{"2026-02-24_00-32_cursor_same.md", "2026-02-24_00-32_cursor_same_aaaaaaaa-3.md", "2026-02-24_00-32_cursor_same_aaaaaaaa.md"}
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	for i := range 3 {
		got, err := s.Get(fmt.Sprintf("aaaaaaaa-%d", i+1))
		if err != nil || got.Goal != fmt.Sprint(i+1) || !got.StartedAt.Equal(begin) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}

func TestIdsCannotLeaveTheFolder(t *testing.T) {
	s, dir := openStore(t)
	for _, id := range []string{"../../../etc/x", `..\..\x`, "/etc/passwd", "C:x", ".", "..", "a\x00b", "con", strings.Repeat("x", 500), "日本"} {
		saved := mustSave(t, s, Record{ID: id, Agent: "../a", Slug: "../../b", StartedAt: begin})
		if filepath.Dir(saved.Path) != dir || strings.ContainsAny(filepath.Base(saved.Path), "/\\:\x00") {
			t.Errorf("%q is at %s", id, saved.Path)
		}
		if got, err := s.Get(oneLine(id)); err != nil || got.ID != oneLine(id) {
			t.Errorf("%q: got %q, %v", id, got.ID, err)
		}
	}
	outside := filepath.Join(filepath.Dir(dir), "outside.md")
	if err := os.WriteFile(outside, []byte(golden(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"../outside", "../outside.md", outside, "outside"} {
		if _, err := s.Get(key); codememory.CodeOf(err) != codememory.NotFound {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestGetFindsByIdNameSlugAndPrefix(t *testing.T) {
	s, _ := openStore(t)
	mustSave(t, s, Record{ID: "abc123", Agent: "cursor", Slug: "kv-cache", StartedAt: begin})
	mustSave(t, s, Record{ID: "abc999", Agent: "codex", StartedAt: begin.Add(24 * time.Hour)})
	mustSave(t, s, Record{ID: "abc", Agent: "codex", StartedAt: begin.Add(48 * time.Hour)})
	for key, want := range map[string]string{
		"abc": "abc", "abc1": "abc123", "kv-cache": "abc123", "2026-02-23_14-32_cursor_kv-cache": "abc123",
		"sessions/2026-02-23_14-32_cursor_kv-cache.md": "abc123", "2026-02-24": "abc999",
	} {
		if got, err := s.Get(key); err != nil || got.ID != want {
			t.Errorf("%s: got %q, %v", key, got.ID, err)
		}
	}
	for key, want := range map[string]codememory.Code{"ab": codememory.Conflict, "2026": codememory.Conflict, "zzz": codememory.NotFound, " ": codememory.Invalid} {
		if _, err := s.Get(key); codememory.CodeOf(err) != want {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestListIsNewestFirstAndFilters(t *testing.T) {
	s, _ := openStore(t)
	for i, agent := range []string{"cursor", "claude-code", "cursor", "codex"} {
		mustSave(t, s, Record{ID: fmt.Sprint("s", i), Agent: agent, StartedAt: begin.Add(time.Duration(i) * time.Hour)})
	}
	ids := func(f Filter) (out []string) {
		list, err := s.List(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			out = append(out, r.ID)
		}
		return out
	}
	for _, tt := range []struct {
		f    Filter
		want []string
	}{
		{Filter{}, []string{"s3", "s2", "s1", "s0"}},
		{Filter{Limit: 2}, []string{"s3", "s2"}},
		{Filter{Agent: "cursor"}, []string{"s2", "s0"}},
		{Filter{Agent: "claude"}, []string{"s1"}},
		{Filter{Agent: "none"}, nil},
	} {
		if diff := cmp.Diff(tt.want, ids(tt.f)); diff != "" {
			t.Errorf("%+v: %s", tt.f, diff)
		}
	}
}

func TestFilesComeInTheirOrder(t *testing.T) {
	s, _ := openStore(t)
	mustSave(t, s, Record{ID: "s", Agent: "a", StartedAt: begin, Files: []codememory.FileChange{deleted("a"), modified("c"), created("z"), modified("b")}})
	got, err := s.Files("s")
	if diff := cmp.Diff([]codememory.FileChange{created("z"), modified("b"), modified("c"), deleted("a")}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := s.Remove("s"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Files("s"); codememory.CodeOf(err) != codememory.NotFound {
		t.Errorf("after its removal: %v", err)
	}
}

func TestBrokenFilesAreNamedAndTheRestLoads(t *testing.T) {
	s, dir := openStore(t)
	good := mustSave(t, s, Record{ID: "good", Agent: "a", StartedAt: begin})
	conflict := strings.Replace(golden(t), "## Goal\n", "## Goal\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", 1)
	for name, text := range map[string]string{
		"2026-02-23_14-32_cursor_sess-gol.md": conflict, "b.md": "no head", ".hidden.md": "x", "notes.txt": "x", "#draft.md": "x",
		"twin.md": strings.Replace(Render(good.Record), "trigger: null", "trigger: null\nupdated_at: 2026-02-23T15:00:00", 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte(golden(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"sessions/2026-02-23_14-32_cursor_sess-gol.md": 12, "sessions/b.md": 1, "sessions/" + filepath.Base(good.Path): 0}
	if os.Symlink(secret, filepath.Join(dir, "link.md")) == nil {
		want["sessions/link.md"] = 0
	}
	problems, err := s.Problems()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, p := range problems {
		got[p.Path] = p.Line
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	list, err := s.List(Filter{})
	if err != nil || len(list) != 1 || filepath.Base(list[0].Path) != "twin.md" {
		t.Errorf("got %v, %v", list, err)
	}
	// The session of the broken file gets another file; the broken one stays.
	saved, err := s.Update("sess-gold", func(r *Record) error { return r.Apply(goldenCheckpoint()) })
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "2026-02-23_14-32_cursor_sess-gol.md")); err != nil || string(data) != conflict {
		t.Errorf("the broken file changed: %v; saved as %s", err, saved.Path)
	}
}

func TestAFolderThatIsALinkIsNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need privileges")
	}
	elsewhere, dir := t.TempDir(), filepath.Join(t.TempDir(), Folder)
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	s := Open(dir, time.UTC)
	if _, err := s.Save(Record{ID: "s", StartedAt: begin}); codememory.CodeOf(err) != codememory.Forbidden {
		t.Errorf("saved: %v", err)
	}
	if problems, err := s.Problems(); err != nil || len(problems) != 1 || len(names(t, elsewhere)) != 0 {
		t.Errorf("%v %v", problems, err)
	}
}

func TestEditsFromOutsideAreSeen(t *testing.T) {
	s, _ := openStore(t)
	path := mustSave(t, s, Record{ID: "s", Agent: "a", StartedAt: begin, Goal: "aaa"}).Path
	for i, goal := range []string{"bbb", "ccc", "ddd"} { // of the same size, at nearly the same time
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(data), []string{"aaa", "bbb", "ccc"}[i], goal, 1)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get("s"); err != nil || got.Goal != goal {
			t.Errorf("got %q, %v, want %q", got.Goal, err, goal)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(Filter{}); err != nil || len(list) != 0 {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestTwoWritersLeaveAWholeFile(t *testing.T) {
	_, dir := openStore(t)
	var group sync.WaitGroup
	long := func(word string) []string { // so that a torn file would show
		list := make([]string, 400)
		for i := range list {
			list[i] = fmt.Sprintf("%s %d", word, i)
		}
		return list
	}
	for _, word := range []string{"left", "right"} {
		group.Go(func() {
			s := Open(dir, time.UTC) // as another process would
			for range 25 {
				if _, err := s.Save(Record{ID: "s", Agent: "a", StartedAt: begin, Goal: word, Summary: long(word)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	reader := Open(dir, time.UTC)
	for range 50 {
		got, err := reader.Get("s")
		if codememory.CodeOf(err) == codememory.NotFound && err != nil {
			continue // not written yet
		}
		if err != nil || len(got.Summary) != 400 || got.Summary[399] != got.Goal+" 399" {
			t.Errorf("torn: %s with %d lines, %v", got.Goal, len(got.Summary), err)
		}
	}
	group.Wait()
	if files := names(t, dir); len(files) != 1 {
		t.Errorf("files: %v", files)
	}
}

func TestUpdatesOfOneStoreAreNotLost(t *testing.T) {
	s, _ := openStore(t)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, err := s.Update("s", func(r *Record) error {
				return r.Apply(Checkpoint{Session: "s", Agent: "a", At: begin, Summary: []string{fmt.Sprint("item ", i)}})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got, err := s.Get("s"); err != nil || len(got.Summary) != 20 {
		t.Errorf("%d items, %v", len(got.Summary), err)
	}
	refused := errors.New("refused")
	if _, err := s.Update("s", func(r *Record) error { r.Goal = "x"; return refused }); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if got, _ := s.Get("s"); got.Goal != "" {
		t.Error("a refused update was kept")
	}
}

func TestSaveRefusesWhatCannotBeARecord(t *testing.T) {
	s, dir := openStore(t)
	if _, err := s.Save(Record{ID: " ", StartedAt: begin}); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("got %v", err)
	}
	if _, err := s.Save(Record{ID: "s", StartedAt: begin, Goal: strings.Repeat("x", MaxFileBytes)}); codememory.CodeOf(err) != codememory.TooLarge {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("the folder was made for nothing")
	}
}

// fill writes n sessions without the cost of a sync for each.
func fill(t testing.TB, dir string, n int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := full()
	for i := range n {
		r.ID, r.Goal = fmt.Sprintf("ses_%04d", i), fmt.Sprintf("Goal number %d of the migration", i)
		r.StartedAt = begin.Add(time.Duration(i) * time.Hour)
		path := filepath.Join(dir, fileNames(Record{ID: r.ID, Agent: r.Agent, StartedAt: r.StartedAt})[0]+fmt.Sprint(i)+".md")
		if err := os.WriteFile(path, []byte(Render(r)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, begin, begin); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAThousandSessionsAreListedQuickly(t *testing.T) {
	s, dir := openStore(t)
	fill(t, dir, 1000)
	if list, err := s.List(Filter{}); err != nil || len(list) != 1000 {
		t.Fatalf("%d, %v", len(list), err)
	}
	best := time.Hour
	for range 5 {
		at := time.Now()
		if _, err := s.List(Filter{}); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(at))
	}
	t.Logf("a warm listing takes %s", best)
	if limit := 50 * time.Millisecond * raceFactor; best > limit {
		t.Errorf("a warm listing takes %s, more than %s", best, limit)
	}
}

func BenchmarkList(b *testing.B) {
	s, dir := openStore(b)
	fill(b, dir, 1000)
	for b.Loop() {
		if _, err := s.List(Filter{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkListCold(b *testing.B) {
	_, dir := openStore(b)
	fill(b, dir, 1000)
	for b.Loop() {
		if _, err := Open(dir, time.UTC).List(Filter{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	s, dir := openStore(b)
	fill(b, dir, 1000)
	for b.Loop() {
		if hits, err := s.Search("why did the migration halve the batch", begin, Filter{}); err != nil || len(hits) == 0 {
			b.Fatal(err)
		}
	}
}
