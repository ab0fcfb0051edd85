package memfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"codememory"
)

// The folders of a store that hold memories. In a shared store the personal
// ones go to PrivateFolder, which is never committed.
const (
	Folder        = "memories"
	PrivateFolder = "private"
)

// Folders lists where memory files are looked for.
var Folders = []string{Folder, PrivateFolder}

// Stamp is how a file looked when it was read; another one means it changed.
type Stamp struct {
	Size    int64
	ModTime time.Time
}

// File is one memory file as it is on disk.
type File struct {
	Path  string // relative to the store, with forward slashes
	Stamp Stamp
	Hash  [16]byte // of the bytes
}

// PathFor returns where a memory belongs, relative to the store.
func PathFor(id string, private bool) string {
	short := codememory.ShortID(id)
	folder := Folder
	if private {
		folder = PrivateFolder
	}
	return folder + "/" + short[:2] + "/" + short + ".md"
}

// LongPathFor is where a memory goes when another one has its short id.
func LongPathFor(id string, private bool) string {
	return strings.TrimSuffix(PathFor(id, private), ".md") + "-" + id[:12] + ".md"
}

// HashBytes identifies the content of a file.
func HashBytes(b []byte) [16]byte {
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

// Scan calls fn for every memory file under the store, in no particular order,
// without reading it. Symbolic links are not followed: a link could lead out
// of the store; they are reported through bad.
func Scan(store string, fn func(path string, stamp Stamp) error, bad func(codememory.Problem)) error {
	for _, folder := range Folders {
		root := filepath.Join(store, folder)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			rel, err := filepath.Rel(store, path)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			switch {
			case d.Type()&fs.ModeSymlink != 0:
				bad(codememory.Problem{Path: rel, What: "is a symbolic link and was not followed", Todo: "put the file itself here"})
				return nil
			case d.IsDir(), !isMemoryFile(d.Name()):
				return nil
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			return fn(rel, Stamp{info.Size(), info.ModTime()})
		})
		if err != nil {
			return fmt.Errorf("look through %s: %w", root, err)
		}
	}
	return nil
}

// isMemoryFile keeps out temporary files of editors and of our own writes.
func isMemoryFile(name string) bool {
	return strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "#")
}

// Read reads one memory file of a store.
func Read(store, path string) (codememory.Memory, File, error) {
	full := filepath.Join(store, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if err != nil {
		return codememory.Memory{}, File{}, err
	}
	f := File{Path: path, Stamp: Stamp{info.Size(), info.ModTime()}}
	if info.Size() > MaxFileBytes {
		return codememory.Memory{}, f, &LineError{Msg: fmt.Sprintf("is %d bytes, a memory file has at most %d", info.Size(), MaxFileBytes)}
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return codememory.Memory{}, f, err
	}
	f.Hash = HashBytes(data)
	m, err := Decode(data)
	return m, f, err
}
