package opencode_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
)

// changed asks and returns the next mark.
func changed(t testing.TB, r *opencode.Reader, mark string) (changed, deleted []string, next string) {
	t.Helper()
	changed, deleted, next, err := r.Changed(t.Context(), mark)
	if err != nil {
		t.Fatal(err)
	}
	return changed, deleted, next
}

func TestUpdatesInPlaceAreSeen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		noEvents bool
	}{{"with events", false}, {"without events", true}} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.NoEvents = tt.noEvents
			old, ses := s.Session("/app", "old"), s.Session("/app", "work")
			_, answer := old.Turn("q", "a")
			early := answer.Text("early")
			m := ses.Assistant(ses.User("go"))
			s.Batch(func() {
				for range 300 { // so that the early part is none of the last rows
					m.Text("filler")
				}
			})
			text := m.Text("")
			_, _, mark := changed(t, s.r, "")
			for _, c := range []struct {
				name  string
				write func() string
			}{
				{"the last part", func() string { text.Data["text"] = "streamed"; text.Save(); return ses.ID }},
				{"a message", func() string { m.Finish("stop"); return ses.ID }},
				{"an early part", func() string { early.Data["text"] = "pruned"; early.Save(); return old.ID }},
				{"an undo", func() string { ses.Revert(m.ID, ""); return ses.ID }},
				{"an undo of it", func() string { ses.Unrevert(); return ses.ID }},
				{"a title", func() string { old.Rename("new"); return old.ID }},
				{"rows that are gone", func() string {
					s.Exec("DELETE FROM part WHERE id = ?", text.ID)
					ses.Rename("shorter")
					return ses.ID
				}},
			} {
				want := c.write()
				got, deleted, next := changed(t, s.r, mark)
				if !slices.Equal(got, []string{want}) || len(deleted) > 0 {
					t.Errorf("%s: changed %q, want %q", c.name, got, want)
				}
				mark = next
			}
		})
	}
}

func TestMarksOutliveTheReader(t *testing.T) {
	s := newScene(t)
	one, two := s.Session("/app", "one"), s.Session("/app", "two")
	one.Turn("q", "a")
	two.Turn("q", "a")
	_, _, mark := changed(t, s.r, "")
	two.Turn("q2", "a2")
	one.Delete()
	other := reader(t, opencode.Options{Path: s.Path})
	got, deleted, next := changed(t, other, mark)
	if !slices.Equal(got, []string{two.ID}) || !slices.Equal(deleted, []string{one.ID}) {
		t.Errorf("changed %q, deleted %q", got, deleted)
	}
	if got, deleted, _ = changed(t, s.r, next); len(got)+len(deleted) > 0 {
		t.Errorf("the first reader tells again: %q, %q", got, deleted)
	}
}

func TestWritesThatConcernNoSessionChangeNothing(t *testing.T) {
	s := newScene(t)
	s.Session("/app", "one").Turn("q", "a")
	_, _, mark := changed(t, s.r, "")
	s.Exec("INSERT INTO permission VALUES ('p', ?, 'a', 'r', 1, 1)", opencodetest.Project)
	if got, deleted, next := changed(t, s.r, mark); len(got)+len(deleted) > 0 || next != mark {
		t.Errorf("changed %q, deleted %q", got, deleted)
	}
}

func TestAReplacedDatabaseDeletesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "opencode.db")
	first := opencodetest.Create(t, path)
	first.Session("/app", "one").Turn("q", "a")
	r := opencode.New(opencode.Options{Path: path})
	_, _, mark := changed(t, r, "")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	first.Close()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	second := opencodetest.Open(t, path)
	second.Now = second.Now.Add(time.Hour)
	second.Exec(opencodetest.Schema())
	second.Exec("INSERT INTO migration VALUES ('x', ?)", second.Now.UnixMilli())
	second.Exec("INSERT INTO project (id, worktree, time_created, time_updated, sandboxes) VALUES (?, '/', 1, 1, '[]')", opencodetest.Project)
	ses := second.Session("/app", "new")
	r = reader(t, opencode.Options{Path: path})
	got, deleted, _ := changed(t, r, mark)
	if !slices.Equal(got, []string{ses.ID}) || len(deleted) > 0 {
		t.Errorf("changed %q, deleted %q", got, deleted)
	}
}
