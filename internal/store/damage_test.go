package store_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/store"
	"codememory/internal/storetest"
)

func TestADamagedDatabaseIsSetAsideAndMadeAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"overwritten":  func(b []byte) []byte { return bytes.Repeat([]byte("junk"), len(b)/4) },
		"truncated":    func(b []byte) []byte { return b[:len(b)/3] },
		"holes inside": func(b []byte) []byte { clear(b[4096*3 : 4096*9]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			st := open(t, dir)
			for i := range 30 {
				save(t, st, storetest.Memory(i, fmt.Sprintf("fact %d", i)))
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, store.DatabaseName)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			st, err = store.Open(t.Context(), options(dir))
			if err != nil {
				t.Fatal(err)
			}
			_, err = st.List(t.Context(), codememory.Filter{}, codememory.PageRequest{Limit: 100})
			if st.Damaged() { // opening alone did not show it, reading did
				if err == nil {
					t.Error("the damage was found but not reported")
				}
				_ = st.Close()
				if st, _, err = store.Rebuild(t.Context(), options(dir)); err != nil {
					t.Fatal(err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			if n := len(listAll(t, st)); n != 30 {
				t.Errorf("%d of 30 memories", n)
			}
		})
	}
}

func TestAStoreThatCannotBeWrittenCanBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, dir)
	m := storetest.Memory(1, "read me")
	save(t, st, m)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	// Root may write anywhere, so a read-only mount stands in for permissions.
	ro := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "--bind", dir, ro).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %s", out)
	}
	defer exec.Command("umount", ro).Run()
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,ro,bind", ro).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %s", out)
	}
	st = open(t, ro)
	if got, err := st.Get(t.Context(), m.ID); err != nil || got.Text != "read me" {
		t.Errorf("%+v %v", got, err)
	}
	if err := st.Save(t.Context(), storetest.Memory(2, "no")); codememory.CodeOf(err) != codememory.ReadOnly {
		t.Errorf("saving gave %v", err)
	}
	if stats, err := st.Stats(t.Context()); err != nil || len(stats.Problems) != 1 {
		t.Errorf("%+v %v", stats, err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

func TestAPurgeLeavesNoByte(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, dir)
	secret := "The Zanzibar vault opens with Quetzalcoatl under the doormat"
	m := storetest.Memory(1, secret)
	m.Source.Excerpt = "user said: Quetzalcoatl"
	save(t, st, m, storetest.Memory(2, "unrelated fact that stays"))
	if _, err := st.Update(t.Context(), m.ID, func(m *codememory.Memory) error {
		m.Revisions = append(m.Revisions, codememory.Revision{Text: m.Text, Until: time.Now()})
		m.Text = "The Zanzibar vault was moved"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		save(t, st, storetest.Memory(10+i, fmt.Sprintf("filler %d", i)))
	}
	journal := filepath.Join(dir, "journal", "2026-03-01.md")
	if err := os.MkdirAll(filepath.Dir(journal), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, []byte("# 2026-03-01\n\n- "+secret+"\n- other work\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rep, err := st.Purge(t.Context(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Files) < 2 {
		t.Errorf("report names %v", rep.Files)
	}
	check := func(when string) {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, word := range []string{"Zanzibar", "zanzibar", "Quetzalcoatl", "quetzalcoatl", "doormat"} {
				if bytes.Contains(b, []byte(word)) {
					t.Errorf("%s: %q is still in %s", when, word, path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check("while open")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	check("when closed")
	b, err := os.ReadFile(journal)
	if err != nil || !strings.Contains(string(b), "other work") {
		t.Errorf("journal is %q, %v", b, err)
	}
	st = open(t, dir)
	if _, purged, err := st.FindText(t.Context(), secret); err != nil || !purged {
		t.Errorf("an earlier wording may come back: %v %v", purged, err)
	}
	if total(t, st) != 41 {
		t.Errorf("%d memories left, want 41", total(t, st))
	}
}

func TestABackupCanBeRestored(t *testing.T) {
	t.Parallel()
	dir, file := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "b.tar.gz")
	st := open(t, dir)
	for i := range 10 {
		save(t, st, storetest.Memory(i, fmt.Sprintf("fact %d", i)))
	}
	want := listAll(t, st)
	if rep, err := st.Backup(t.Context(), file); err != nil || rep.Memories != 10 || rep.Files != 11 {
		t.Fatalf("%+v %v", rep, err)
	}
	if _, err := st.Backup(t.Context(), file); codememory.CodeOf(err) != codememory.Conflict {
		t.Errorf("overwriting a backup gave %v", err)
	}
	save(t, st, storetest.Memory(99, "after the backup"))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"cut off": b[:len(b)/2], "not an archive": []byte("hello"), "flipped bits": flip(b)} {
		broken := filepath.Join(t.TempDir(), "broken")
		if err := os.WriteFile(broken, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Restore(t.Context(), options(dir), broken, dir+".aside"); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	rep, err := store.Restore(t.Context(), options(dir), file, dir+".aside")
	if err != nil || rep.Aside == "" {
		t.Fatalf("%+v %v", rep, err)
	}
	st = open(t, dir)
	if got := listAll(t, st); len(got) != len(want) {
		t.Errorf("%d memories after restoring, want %d", len(got), len(want))
	}
	if n := total(t, open(t, dir+".aside")); n != 11 {
		t.Errorf("what was replaced has %d memories, want 11", n)
	}
}

func flip(b []byte) []byte {
	c := bytes.Clone(b)
	for i := len(c) / 2; i < len(c)/2+40; i++ {
		c[i] ^= 0x55
	}
	return c
}

func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	mnt := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mnt).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %s", out)
	}
	defer exec.Command("umount", "-l", mnt).Run()
	st := open(t, filepath.Join(mnt, "store"))
	kept := storetest.Memory(1, "saved while there was room")
	save(t, st, kept)
	if err := os.WriteFile(filepath.Join(mnt, "fill"), make([]byte, 4<<20), 0o600); err == nil {
		t.Fatal("the disk did not fill up")
	}
	var err error
	for i := 2; i < 40 && err == nil; i++ { // a little room may be left in pages already taken
		err = st.Save(t.Context(), storetest.Memory(i, strings.Repeat("no room for this ", 400)+fmt.Sprint(i)))
	}
	if codememory.CodeOf(err) != codememory.StorageFull {
		t.Fatalf("got %v", err)
	}
	if err := os.Remove(filepath.Join(mnt, "fill")); err != nil {
		t.Fatal(err)
	}
	if got, err := st.Get(t.Context(), kept.ID); err != nil || got.Text != kept.Text {
		t.Errorf("%+v %v", got, err)
	}
	save(t, st, storetest.Memory(99, "saved when there was room again"))
	if rep, err := st.Verify(t.Context()); err != nil || len(rep.Problems) > 0 {
		t.Errorf("%+v %v", rep.Problems, err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

func TestAClockThatJumpsBackChangesNoOrder(t *testing.T) {
	t.Parallel()
	st := open(t, t.TempDir())
	m := storetest.Memory(1, "made in the future")
	save(t, st, m)
	got, err := st.Update(t.Context(), m.ID, func(m *codememory.Memory) error {
		m.Text, m.UpdatedAt = "edited before it was made", m.CreatedAt.Add(-48*time.Hour)
		return nil
	})
	if err != nil || got.UpdatedAt.Before(got.CreatedAt) {
		t.Errorf("%+v %v", got, err)
	}
}
