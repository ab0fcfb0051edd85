// Package install connects agents on this machine with CodeMemory and takes the
// connection away again. It plans every change before it makes one, changes
// nothing but its own part of a file, and keeps a manifest of what it did, so
// that uninstalling leaves things as they were.
package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"codememory"
	"codememory/internal/atomicfile"
)

// Action says what happens to a path.
type Action string

// The actions. Keep means that it is already as wanted, or is left alone for
// the reason given.
const (
	Create  Action = "create"
	Replace Action = "replace"
	Remove  Action = "remove"
	Keep    Action = "keep"
)

// Change is one step of a plan.
type Change struct {
	Action Action `json:"action"`
	Path   string `json:"path"`
	Folder bool   `json:"folder,omitempty"`
	Why    string `json:"why"`
	Own    bool   `json:"own,omitempty"` // a file of CodeMemory's own data
	// Warning says why it may not work nevertheless.
	Warning string `json:"warning,omitempty"`

	data, before []byte      // of a file; nil: there is none
	mode         fs.FileMode // of a new file; 0: as usual
	note         *made       // what the manifest says about it afterwards
}

// Noteworthy reports whether a file is kept for a reason that people should
// know, and not because it is as wanted.
func (c Change) Noteworthy() bool { return c.Action == Keep && c.note == nil && c.data == nil }

// Plan is what an installation or its removal does, in order.
type Plan struct {
	Agent   string   `json:"agent"`
	Changes []Change `json:"changes"`
}

// Empty reports whether the plan changes nothing.
func (p Plan) Empty() bool {
	for _, c := range p.Changes {
		if c.Action != Keep {
			return false
		}
	}
	return true
}

// carryOut makes one change. A file that is no longer as it was planned for is
// not touched.
func (c Change) carryOut() error {
	switch {
	case c.Action == Keep:
		return nil
	case c.Action == Remove && c.Folder:
		// What somebody put into it meanwhile stays, and so does the folder.
		if err := os.Remove(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) && !occupied(c.Path) {
			return atomicfile.Coded("remove", c.Path, err)
		}
		return nil
	case c.Folder:
		return atomicfile.MkdirAll(c.Path, 0o755)
	}
	if now, err := readFile(c.Path); err != nil || !bytes.Equal(now, c.before) {
		return codememory.Errorf(codememory.Conflict, "%s was changed by another program just now: try again", c.Path)
	}
	if c.Action == Remove {
		return atomicfile.Remove(c.Path)
	}
	return atomicfile.Write(c.Path, c.data, c.mode)
}

// takeBack undoes what carryOut did.
func (c Change) takeBack() error {
	switch {
	case c.Action == Keep || c.Action == Remove && c.Folder:
		return nil
	case c.Folder:
		return os.Remove(c.Path)
	case c.Action == Create:
		return atomicfile.Remove(c.Path)
	default:
		return atomicfile.Write(c.Path, c.before, c.mode)
	}
}

// putBack makes a file what it was; nil stands for no file.
func putBack(path string, was []byte) error {
	if was == nil {
		return atomicfile.Remove(path)
	}
	return atomicfile.Write(path, was, 0o600)
}

// readFile returns nil when there is no such file.
func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, atomicfile.Coded("read", path, err)
	case data == nil:
		return []byte{}, nil
	}
	return data, nil
}

// through follows symbolic links to the file that they stand for, which need
// not exist.
func through(path string) (string, error) {
	const enough = 40
	at := path
	for range enough {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil
		}
		link, err := os.Readlink(at)
		if err != nil {
			return "", atomicfile.Coded("read", at, err)
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(at), link)
		}
		at = link
	}
	return "", codememory.Errorf(codememory.Invalid, "%s is a symbolic link that leads nowhere: mend it and try again", path)
}

func occupied(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// missing returns the folders that must be made for dir to exist, outermost first.
func missing(dir string) []string {
	var list []string
	for d := filepath.Clean(dir); !exists(d) && d != filepath.Dir(d); d = filepath.Dir(d) {
		list = append([]string{d}, list...)
	}
	return list
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func within(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
