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

// manifest lists what CodeMemory did for one agent, in the order in which it
// was done. It is written before the files, so that an interrupted installation
// can be taken back too.
type manifest struct {
	Project string `json:"project,omitempty"` // the folder, of an installation for one project
	Made    []made `json:"made"`
}

// made is a file or folder that did not exist before, or a file that did and
// has our part in it now.
type made struct {
	Path   string `json:"path"`
	Folder bool   `json:"folder,omitempty"`
	Hash   string `json:"sha256,omitempty"`        // of a file as it was written
	Before string `json:"sha256_before,omitempty"` // of the file as it was; none: there was no file
	// Original is the file as it was, or as it would be without us when others
	// changed it since.
	Original []byte `json:"original,omitzero"`
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

// keep adds an entry or replaces the one of the same path.
func (m *manifest) keep(entry made) {
	if i := slices.IndexFunc(m.Made, func(e made) bool { return e.Path == entry.Path }); i >= 0 {
		m.Made[i] = entry
		return
	}
	m.Made = append(m.Made, entry)
}

// forget drops the entry of a path.
func (m *manifest) forget(path string) {
	m.Made = slices.DeleteFunc(m.Made, func(e made) bool { return e.Path == path })
}

// untouched reports whether the file is as we wrote it.
func (e made) untouched() bool {
	data, err := os.ReadFile(e.Path)
	return err == nil && hashOf(data) == e.Hash
}

// fileEntry describes a file that is about to be written.
func fileEntry(path string, original, data []byte) made {
	e := made{Path: path, Hash: hashOf(data), Original: original}
	if original != nil {
		e.Before = hashOf(original)
	}
	return e
}

// others reads the manifests beside the one at path. One that cannot be read
// belongs to another agent, which will say so.
func others(path string) map[string]manifest {
	found := map[string]manifest{}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.json")) // the pattern is right
	for _, file := range files {
		if m, err := readManifest(file); err == nil && file != path {
			found[file] = m
		}
	}
	return found
}

// manifestFile is where the manifest of an agent lies; project is "" or the
// folder that the installation is for.
func manifestFile(data, agent, project string) string {
	name := agent
	if project != "" {
		name += "@" + hashOf([]byte(project))[:12]
	}
	return filepath.Join(data, "install", name+".json")
}
