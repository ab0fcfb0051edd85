package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"codememory"
	"codememory/internal/atomicfile"
)

// manifest lists what CodeMemory made for one agent, in the order in which it
// was made. It is written before the files, so that an interrupted
// installation can be taken back too.
type manifest struct {
	Made []made `json:"made"`
}

// made is a file or folder that did not exist before.
type made struct {
	Path   string `json:"path"`
	Folder bool   `json:"folder,omitempty"`
	Hash   string `json:"sha256,omitempty"` // of a file as it was written
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// readManifest returns an empty manifest when there is none.
func readManifest(path string) (manifest, error) {
	var m manifest
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, atomicfile.Coded("read", path, err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, codememory.Errorf(codememory.Invalid, "%s, the list of what was installed, cannot be read: %w; remove it and install again", path, err)
	}
	return m, nil
}

func (m manifest) write(path string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return atomicfile.Write(path, append(data, '\n'), 0o600)
}

func (m manifest) find(path string) (made, bool) {
	i := slices.IndexFunc(m.Made, func(e made) bool { return e.Path == path })
	if i < 0 {
		return made{}, false
	}
	return m.Made[i], true
}

// note adds what a change is about to make.
func (m *manifest) note(c Change) {
	entry := made{Path: c.Path, Folder: c.Folder}
	if !c.Folder {
		entry.Hash = hashOf(c.data)
	}
	i := slices.IndexFunc(m.Made, func(e made) bool { return e.Path == c.Path })
	switch {
	case i >= 0:
		m.Made[i] = entry
	case c.Action == Create:
		m.Made = append(m.Made, entry)
	}
}

// untouched reports whether the file is as we wrote it.
func (e made) untouched() bool {
	data, err := os.ReadFile(e.Path)
	return err == nil && hashOf(data) == e.Hash
}

// removal plans to undo the entries for which drop holds, last made first.
// Files that were changed since are left alone unless ours says that they are
// still ours.
func (m manifest) removal(drop func(made) bool, ours func(path string) bool) []Change {
	var changes []Change
	for _, e := range slices.Backward(m.Made) {
		switch {
		case !drop(e) || !exists(e.Path):
		case e.Folder:
			changes = append(changes, Change{Action: Remove, Path: e.Path, Folder: true, Why: "made by the installation; stays if something else is in it"})
		case e.untouched() || ours(e.Path):
			changes = append(changes, Change{Action: Remove, Path: e.Path, Why: "made by the installation"})
		default:
			changes = append(changes, Change{Action: Keep, Path: e.Path, Why: "changed by another program since"})
		}
	}
	return changes
}

// manifestFile is where the manifest of an agent lies.
func manifestFile(data, agent string) string { return filepath.Join(data, "install", agent+".json") }
