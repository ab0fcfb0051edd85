package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"codememory"

	"github.com/google/go-cmp/cmp"
)

// content reads a directory as name → text, with temporary files under their
// own names, so that one left behind shows up in a diff.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, e := range entries {
		if e.IsDir() {
			got[e.Name()+"/"] = ""
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(data)
	}
	return got
}

func wantContent(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, content(t, dir)); diff != "" {
		t.Errorf("other files (-want +got):\n%s", diff)
	}
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestWriteModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps no permission bits")
	}
	tests := map[string]struct {
		before fs.FileMode // 0: the file is new
		give   fs.FileMode
		want   fs.FileMode
	}{
		"a new file gets the mode given":         {give: 0o600, want: 0o600},
		"a mode is exact whatever the umask":     {give: 0o666, want: 0o666},
		"an existing file keeps its mode":        {before: 0o640, want: 0o640},
		"an existing file can get another":       {before: 0o644, give: 0o600, want: 0o600},
		"a read-only file is replaced all right": {before: 0o444, want: 0o444},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "note.md")
			if tt.before != 0 {
				put(t, path, "old", tt.before)
			}
			if err := Write(path, []byte("new"), tt.give); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != tt.want {
				t.Errorf("mode is %o, want %o", info.Mode().Perm(), tt.want)
			}
			wantContent(t, dir, map[string]string{"note.md": "new"})
		})
	}
}

func TestWriteFailsCleanly(t *testing.T) {
	t.Run("a directory in the place of the file stays", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "note.md"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := Write(filepath.Join(dir, "note.md"), []byte("x"), 0); err == nil {
			t.Error("no error")
		}
		wantContent(t, dir, map[string]string{"note.md/": ""})
	})
	t.Run("a missing directory is named", func(t *testing.T) {
		err := Write(filepath.Join(t.TempDir(), "no", "note.md"), nil, 0)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want one that is fs.ErrNotExist", err)
		}
	})
	t.Run("a symbolic link is replaced and its target untouched", func(t *testing.T) {
		outside, dir := t.TempDir(), t.TempDir()
		target := filepath.Join(outside, "profile")
		put(t, target, "mine", 0o600)
		if err := os.Symlink(target, filepath.Join(dir, "note.md")); err != nil {
			t.Skipf("symbolic links do not work here: %v", err)
		}
		if err := Write(filepath.Join(dir, "note.md"), []byte("new"), 0); err != nil {
			t.Fatal(err)
		}
		wantContent(t, outside, map[string]string{"profile": "mine"})
		wantContent(t, dir, map[string]string{"note.md": "new"})
	})
	t.Run("a directory that cannot be written is ReadOnly", func(t *testing.T) {
		if os.Getuid() <= 0 {
			t.Skip("permission bits do not bind root or Windows")
		}
		dir := t.TempDir()
		put(t, filepath.Join(dir, "note.md"), "old", 0o644)
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o755) })
		err := Write(filepath.Join(dir, "note.md"), []byte("new"), 0)
		if codememory.CodeOf(err) != codememory.ReadOnly {
			t.Errorf("got %v (%s), want read_only", err, codememory.CodeOf(err))
		}
		wantContent(t, dir, map[string]string{"note.md": "old"})
	})
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.md")
	put(t, path, "old", 0o644)
	for range 2 { // the second time it is gone already
		if err := Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	wantContent(t, dir, map[string]string{})
}

func TestMkdirAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	for range 2 {
		if err := MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join(dir, "x"), nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := MkdirAll(filepath.Join(dir, "x", "y"), 0o755); err == nil {
		t.Error("made a directory below a file")
	}
}

func TestWriteAll(t *testing.T) {
	t.Run("a batch over several directories", func(t *testing.T) {
		root := t.TempDir()
		var files []File
		for d := range 3 {
			dir := filepath.Join(root, fmt.Sprint(d))
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for n := range 20 {
				files = append(files, File{Path: filepath.Join(dir, fmt.Sprintf("%d.md", n)), Data: fmt.Appendf(nil, "%d/%d", d, n)})
			}
		}
		if err := WriteAll(files); err != nil {
			t.Fatal(err)
		}
		for d := range 3 {
			want := make(map[string]string)
			for n := range 20 {
				want[fmt.Sprintf("%d.md", n)] = fmt.Sprintf("%d/%d", d, n)
			}
			wantContent(t, filepath.Join(root, fmt.Sprint(d)), want)
		}
	})
	t.Run("no file changes when one cannot be written", func(t *testing.T) {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "a"), "old", 0o644)
		err := WriteAll([]File{
			{Path: filepath.Join(dir, "a"), Data: []byte("new")},
			{Path: filepath.Join(dir, "no", "b"), Data: []byte("new")},
		})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want one that is fs.ErrNotExist", err)
		}
		wantContent(t, dir, map[string]string{"a": "old"})
	})
	t.Run("a failing rename leaves whole files and no temporary ones", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "b"), 0o755); err != nil {
			t.Fatal(err)
		}
		var files []File
		for _, name := range []string{"a", "b", "c"} {
			files = append(files, File{Path: filepath.Join(dir, name), Data: []byte("new")})
		}
		if err := WriteAll(files); err == nil {
			t.Error("no error")
		}
		wantContent(t, dir, map[string]string{"a": "new", "b/": ""})
	})
	t.Run("the later of two with one path stays", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		if err := WriteAll([]File{{Path: path, Data: []byte("1")}, {Path: path, Data: []byte("2")}}); err != nil {
			t.Fatal(err)
		}
		wantContent(t, dir, map[string]string{"a": "2"})
	})
	t.Run("nothing to write is fine", func(t *testing.T) {
		if err := WriteAll(nil); err != nil {
			t.Error(err)
		}
	})
}

const writerEnv = "ATOMICFILE_TEST_WRITER"

// TestMain lets the test binary be the process that gets killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		for i := byte(0); ; i++ {
			if err := Write(path, bytes.Repeat([]byte{'a' + i%26}, 1<<20), 0); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

func TestAKilledWriterLeavesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.md")
	put(t, path, string(bytes.Repeat([]byte{'-'}, 1<<20)), 0o644)
	for round := range 5 {
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		writer := exec.CommandContext(t.Context(), os.Args[0])
		writer.Env = append(os.Environ(), writerEnv+"="+path)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		for { // a kill before the first write would prove nothing
			now, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if !os.SameFile(before, now) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(round) * 3 * time.Millisecond)
		writer.Process.Kill()
		writer.Wait()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) != 1<<20 || len(bytes.Trim(data, string(data[:1]))) != 0 {
			t.Fatalf("the file is a mixture of %d bytes", len(data))
		}
	}
	for name := range content(t, dir) {
		if name != "note.md" && !IsTemp(name) {
			t.Errorf("%s is not known as a temporary file", name)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	path := filepath.Join(b.TempDir(), "note.md")
	data := bytes.Repeat([]byte("memory "), 60)
	for b.Loop() {
		if err := Write(path, data, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteAll1000(b *testing.B) {
	dir := b.TempDir()
	files := make([]File, 1000)
	for i := range files {
		files[i] = File{Path: filepath.Join(dir, fmt.Sprintf("%04d.md", i)), Data: bytes.Repeat([]byte("memory "), 60)}
	}
	for b.Loop() {
		if err := WriteAll(files); err != nil {
			b.Fatal(err)
		}
	}
}
