package project

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"codememory"
	"codememory/internal/atomicfile"
)

// fileVersion is raised when an older program would misread the file.
const fileVersion = 1

// state is the content of the registry file.
type state struct {
	Version   int               `json:"version"`
	Projects  []*record         `json:"projects"`
	UserNames map[string]string `json:"user_names,omitempty"` // names given to the tags of people
}

// errDamaged marks a file that is not a registry.
var errDamaged = errors.New("not a project registry")

func isDamaged(err error) bool { return errors.Is(err, errDamaged) }

// readSnapshot reads the file at path. A missing file is an empty registry.
func readSnapshot(path string) (*snapshot, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newSnapshot(&state{}, nil), nil
	}
	if err != nil {
		return nil, atomicfile.Coded("read", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, atomicfile.Coded("read", path, err)
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(f); err != nil {
		return nil, atomicfile.Coded("read", path, err)
	}
	s, err := decodeState(data.Bytes())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	snap := newSnapshot(s, data.Bytes())
	snap.info = info
	return snap, nil
}

// decodeState parses the file. Entries that cannot be projects make it
// damaged: guessing which half to believe would lose the other.
func decodeState(data []byte) (*state, error) {
	var head struct{ Version int } // first: a newer file may look different
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if head.Version > fileVersion {
		return nil, codememory.Errorf(codememory.Conflict, "it has version %d and this program knows %d: update codememory", head.Version, fileVersion)
	}
	if head.Version < 1 {
		return nil, fmt.Errorf("%w: it has no version", errDamaged)
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	seen := make(map[string]bool)
	for i, rec := range s.Projects {
		switch {
		case rec == nil || !isID(rec.ID):
			return nil, fmt.Errorf("%w: project %d has no id", errDamaged, i+1)
		case seen[rec.ID]:
			return nil, fmt.Errorf("%w: %s is there twice", errDamaged, rec.ID)
		}
		seen[rec.ID] = true
		rec.Store = cmp.Or(rec.Store, dataStore)
		rec.NameSource = cmp.Or(rec.NameSource, nameAuto)
	}
	return &s, nil
}

// encode renders the state in a stable order.
func (s *state) encode() ([]byte, error) {
	s.Version = fileVersion
	if s.Projects == nil {
		s.Projects = []*record{}
	}
	slices.SortFunc(s.Projects, func(a, b *record) int { return cmp.Compare(a.ID, b.ID) })
	for _, rec := range s.Projects {
		rec.tidy()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encode the project registry: %w", err)
	}
	return b.Bytes(), nil
}
