package atomicfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"codememory"
)

// tinyDisk mounts an empty file system of this size, or skips the test.
func tinyDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("mounting a tmpfs needs root and the permission to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

func TestAFullDiskLosesNothing(t *testing.T) {
	tests := map[string]func(dir string) error{
		"one file": func(dir string) error {
			return Write(filepath.Join(dir, "note.md"), bytes.Repeat([]byte("x"), 256<<10), 0)
		},
		"a batch": func(dir string) error {
			var files []File
			for i := range 50 {
				files = append(files, File{Path: filepath.Join(dir, fmt.Sprint(i)), Data: bytes.Repeat([]byte("x"), 8<<10)})
			}
			files = append(files, File{Path: filepath.Join(dir, "note.md"), Data: []byte("new")})
			return WriteAll(files)
		},
	}
	for name, write := range tests {
		t.Run(name, func(t *testing.T) {
			dir := tinyDisk(t, "128k")
			put(t, filepath.Join(dir, "note.md"), "old", 0o644)
			err := write(dir)
			if codememory.CodeOf(err) != codememory.StorageFull || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v (%s), want storage_full naming the path", err, codememory.CodeOf(err))
			}
			wantContent(t, dir, map[string]string{"note.md": "old"})
			if err := Write(filepath.Join(dir, "note.md"), []byte("new"), 0); err != nil {
				t.Errorf("the room was not given back: %v", err)
			}
		})
	}
}

func TestAReadOnlyDiskIsNamed(t *testing.T) {
	dir := tinyDisk(t, "128k")
	path := filepath.Join(dir, "note.md")
	put(t, path, "old", 0o644)
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("cannot remount read-only: %v", err)
	}
	for name, err := range map[string]error{
		"write":     Write(path, []byte("new"), 0),
		"write all": WriteAll([]File{{Path: path, Data: []byte("new")}}),
		"remove":    Remove(path),
		"mkdir":     MkdirAll(filepath.Join(dir, "a", "b"), 0o755),
	} {
		if codememory.CodeOf(err) != codememory.ReadOnly || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s gave %v (%s), want read_only naming the path", name, err, codememory.CodeOf(err))
		}
	}
	wantContent(t, dir, map[string]string{"note.md": "old"})
}
