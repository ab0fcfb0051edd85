package session

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
)

// ownFolder is our own part of a project, which no session is about.
const ownFolder = ".codememory"

// touch adds one change to the net effect of the session.
func (r *Record) touch(c codememory.FileChange) {
	if c.Path == "" {
		return
	}
	at := slices.IndexFunc(r.Files, func(f codememory.FileChange) bool { return f.Path == c.Path })
	if at < 0 {
		r.Files = append(r.Files, c)
		return
	}
	switch old := r.Files[at].Change; {
	case old == codememory.FileCreated && c.Change == codememory.FileDeleted:
		r.Files = slices.Delete(r.Files, at, at+1) // as if it had never been
	case old == codememory.FileCreated:
	case c.Change == codememory.FileCreated: // it was there before, or was deleted and is back
		r.Files[at].Change = codememory.FileModified
	default:
		r.Files[at].Change = c.Change
	}
}

// sortedFiles returns files by kind of change (created, modified, deleted),
// then by path.
func sortedFiles(files []codememory.FileChange) []codememory.FileChange {
	out := slices.Clone(files)
	slices.SortFunc(out, func(a, b codememory.FileChange) int {
		return cmp.Or(cmp.Compare(changeRank(a.Change), changeRank(b.Change)), cmp.Compare(a.Path, b.Path))
	})
	return out
}

func changeRank(k codememory.ChangeKind) int {
	return slices.Index([]codememory.ChangeKind{codememory.FileCreated, codememory.FileModified, codememory.FileDeleted}, k)
}

// relativeTo writes a path as seen from the root, with forward slashes. One
// outside of it stays absolute; one of our own files is "".
func relativeTo(root, file string) string {
	file = strings.TrimSpace(file)
	if file == "" {
		return ""
	}
	if root != "" && filepath.IsAbs(file) {
		if rel, err := filepath.Rel(root, file); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			file = rel
		}
	}
	file = path.Clean(filepath.ToSlash(file))
	if file == "." || isOwn(file) {
		return ""
	}
	return file
}

func isOwn(file string) bool {
	return strings.HasPrefix(file, ownFolder+"/") || strings.Contains(file, "/"+ownFolder+"/")
}
