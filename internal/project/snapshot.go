package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// snapshot is one version of the registry with its indexes. It never changes
// once it is shared.
type snapshot struct {
	state *state
	data  []byte      // the file
	info  os.FileInfo // nil when there is none

	byID    map[string]*record
	byRoot  map[string]*record // pathKey
	byAlias map[string]*record // aliasKey
	byPath  map[string]string  // digits of a path in a tag, and whole collection names, to an id
	names   map[string]string  // id to the name shown
}

func newSnapshot(s *state, data []byte) *snapshot {
	snap := &snapshot{
		state: s, data: data,
		byID: make(map[string]*record, len(s.Projects)), byRoot: make(map[string]*record),
		byAlias: make(map[string]*record), byPath: make(map[string]string),
	}
	for _, rec := range s.Projects {
		snap.byID[rec.ID] = rec
	}
	for _, rec := range s.Projects {
		if rec.MergedInto != "" {
			continue
		}
		for _, r := range rec.Roots {
			snap.byRoot[pathKey(r.Path)] = rec
		}
		for _, a := range rec.Aliases {
			snap.byAlias[aliasKey(a)] = rec
		}
		for _, p := range rec.paths() {
			snap.byPath[digest(p, tagDigits)] = rec.ID
			snap.byPath[CollectionName(p)] = rec.ID
		}
	}
	snap.names = shownNames(s.Projects)
	return snap
}

// isOf reports whether the file of which Stat returned info and err is the one
// the snapshot was made of.
func (snap *snapshot) isOf(info os.FileInfo, err error) bool {
	if err != nil || snap.info == nil {
		return errors.Is(err, fs.ErrNotExist) && snap.info == nil
	}
	return os.SameFile(info, snap.info) && info.Size() == snap.info.Size() && info.ModTime().Equal(snap.info.ModTime())
}

// wrote reports whether the file already has this content.
func (snap *snapshot) wrote(data []byte) bool {
	return snap.info != nil && bytes.Equal(snap.data, data)
}

// live returns the record of an id, following merges.
func (snap *snapshot) live(id string) *record {
	for range len(snap.state.Projects) + 1 {
		rec := snap.byID[id]
		if rec == nil || rec.MergedInto == "" {
			return rec
		}
		id = rec.MergedInto
	}
	return nil // a circle, made by hand
}

// byTag returns the record with a container tag or collection name, or nil.
func (snap *snapshot) byTag(tag string) *record {
	if rec := snap.byAlias[tagAlias(tag)]; rec != nil {
		return rec
	}
	if digits, ok := taggedDigest(tag); ok {
		if id, ok := snap.byPath[digits]; ok {
			return snap.byID[id]
		}
	}
	if strings.HasPrefix(tag, collectionPrefix) {
		if id, ok := snap.byPath[tag]; ok {
			return snap.byID[id]
		}
	}
	return nil
}

// shownNames gives every project a name of its own: the short one where it is
// unique, else as much of its address as tells it apart.
func shownNames(records []*record) map[string]string {
	shown := make(map[string]string, len(records))
	same := make(map[string][]*record)
	for _, rec := range records {
		if rec.MergedInto != "" {
			continue
		}
		shown[rec.ID] = rec.Name
		folded := strings.ToLower(rec.Name)
		same[folded] = append(same[folded], rec)
	}
	for _, group := range same {
		if len(group) > 1 {
			tellApart(group, shown)
		}
	}
	return shown
}

// tellApart names the projects of a group that share a short name.
func tellApart(group []*record, shown map[string]string) {
	parents := make([][]string, len(group))
	longest := 0
	for i, rec := range group {
		parents[i] = strings.FieldsFunc(path.Dir(rec.label()), func(r rune) bool { return r == '/' })
		parents[i] = slices.DeleteFunc(parents[i], func(s string) bool { return s == "." })
		longest = max(longest, len(parents[i]))
	}
	for depth := 1; depth <= longest; depth++ {
		taken := make(map[string]bool)
		for i, rec := range group {
			tail := parents[i][max(0, len(parents[i])-depth):]
			shown[rec.ID] = strings.Join(append(slices.Clone(tail), rec.Name), "/")
			taken[strings.ToLower(shown[rec.ID])] = true
		}
		if len(taken) == len(group) {
			return
		}
	}
	for _, rec := range group {
		shown[rec.ID] = rec.Name + " (" + rec.ID[:7] + ")"
	}
}
