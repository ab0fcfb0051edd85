// Package install connects agents on this machine with CodeMemory and takes the
// connection away again. It plans every change before it makes one, touches no
// file that it did not make, and keeps a manifest of what it made, so that
// uninstalling leaves things as they were.
package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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

	data []byte
}

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

// carryOut makes one change.
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
	case c.Action == Remove:
		return atomicfile.Remove(c.Path)
	case c.Folder:
		return atomicfile.MkdirAll(c.Path, 0o755)
	default:
		return atomicfile.Write(c.Path, c.data, 0)
	}
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

func has(path string, data []byte) bool {
	got, err := os.ReadFile(path)
	return err == nil && bytes.Equal(got, data)
}
