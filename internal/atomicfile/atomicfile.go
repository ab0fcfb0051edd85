// Package atomicfile replaces and removes files so that a crash, a full disk
// or a power cut leaves either the old content or the new, never a mixture.
// When a call returns without an error, its effect is on the disk.
//
// A file is written under a temporary name in its own directory, synced, and
// renamed over the old one; then the directory is synced. A symbolic link in
// the place of the file is replaced, not followed: a store may come from a
// stranger's repository.
package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	tempPrefix = ".codememory-"
	tempSuffix = ".tmp"
)

// newFileMode is the mode of a file that did not exist and for which none was
// given, before the umask.
const newFileMode fs.FileMode = 0o644

// File is what one file shall become.
type File struct {
	Path string
	Data []byte
	Mode fs.FileMode // exactly this mode; 0 keeps that of the file, or 0644 less the umask for a new one
}

// Write replaces the file at path, which may not exist yet, by data. The mode
// works as in File. On failure the old content is untouched and no temporary
// file is left.
//
// It fails with StorageFull when the disk or the quota has no room and with
// ReadOnly when the place cannot be written.
func Write(path string, data []byte, mode fs.FileMode) error {
	f := File{Path: path, Data: data, Mode: mode}
	temp, err := writeTemp(f)
	if err != nil {
		return err
	}
	if err := replace(temp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// Remove deletes the file at path. A file that is not there is no error.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return Coded("remove", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// MkdirAll makes dir and whatever lacks above it, and syncs the directories
// that got a new entry, so that a file written into dir cannot be lost with it.
func MkdirAll(dir string, mode fs.FileMode) error {
	dir = filepath.Clean(dir)
	var grown []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		grown = append(grown, filepath.Dir(d))
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return Coded("create directory", dir, err)
	}
	for _, d := range grown {
		if err := syncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// IsTemp reports whether name, without its directory, is that of a file that
// is still being written, or that a killed process left. Readers skip it.
func IsTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// writeTemp writes and syncs f beside its place and returns the temporary
// path. On failure nothing is left.
func writeTemp(f File) (temp string, err error) {
	mode, exact := f.Mode, true
	if mode == 0 {
		mode, exact = newFileMode, false
		if info, err := os.Lstat(f.Path); err == nil && info.Mode().IsRegular() {
			mode, exact = info.Mode().Perm(), true
		}
	}
	temp = filepath.Join(filepath.Dir(f.Path), tempPrefix+randomHex()+tempSuffix)
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", Coded("write", f.Path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(temp)
			temp, err = "", Coded("write", f.Path, err)
		}
	}()
	if exact { // the umask took its share at creation
		err = file.Chmod(mode)
	}
	if err == nil {
		_, err = file.Write(f.Data)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return temp, err
}

// replace puts temp in the place of path, or removes it.
func replace(temp, path string) error {
	if err := rename(temp, path); err != nil {
		os.Remove(temp)
		return Coded("replace", path, err)
	}
	return nil
}

func randomHex() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
