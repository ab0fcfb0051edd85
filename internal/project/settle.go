package project

import (
	"bufio"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// settle makes p part of a project in s and returns its id.
func settle(s *state, p place, e evidence, now time.Time) string {
	snap := newSnapshot(s, nil)
	rec := snap.owner(p, e)
	isNew := rec == nil
	if isNew {
		rec = &record{ID: newID(snap, p.key()), NameSource: nameAuto, Store: dataStore, CreatedAt: now}
		s.Projects = append(s.Projects, rec)
	}
	rec.take(s, snap, p, e, now)
	if isNew || rec.Store != dataStore && !exists(rec.Store) {
		rec.adoptStore(p.root)
	}
	if rec.NameSource == nameAuto {
		rec.Name = path.Base(rec.label())
	}
	return rec.ID
}

// owner returns the project p belongs to, or nil for a new one. The folder
// itself is believed before its remote, so that a project keeps its memories
// when a remote is added or renamed; but not when the repository in the folder
// is another one than before.
func (snap *snapshot) owner(p place, e evidence) *record {
	var rec *record
	if p.gitDir != "" {
		rec = snap.byAlias[aliasKey(gitAlias(p.gitDir))]
	}
	if rec == nil {
		rec = snap.byRoot[pathKey(p.root)]
	}
	replaced := false
	if rec != nil {
		seen := rec.root(p.root)
		if seen == nil || !isReplaced(*seen, p, e) {
			return rec
		}
		replaced = true
	}
	if p.source != "" {
		if rec = snap.byAlias[aliasKey(p.source)]; rec != nil {
			return rec
		}
	}
	if replaced {
		return nil
	}
	if rec = snap.live(idOf(p.key())); rec != nil {
		return rec
	}
	if rec = snap.movedHere(p, e); rec != nil {
		return rec
	}
	return snap.taggedFor(p)
}

// isReplaced reports whether the repository at p is not the one seen there
// before: it comes from elsewhere and lacks a commit that was checked out.
func isReplaced(seen root, p place, e evidence) bool {
	return seen.Source != "" && p.source != "" && seen.Source != p.source && seen.Commit != "" && e.isMissing(seen.Commit)
}

// movedHere returns the project whose folder was renamed to p: the old path is
// gone, the directory is the same one of the file system, and the repository
// has the commit that was seen in it. File ids are reused, so without a commit
// it would be a guess.
func (snap *snapshot) movedHere(p place, e evidence) *record {
	if p.gitDir == "" || e.fileID == "" {
		return nil
	}
	for _, rec := range snap.state.Projects {
		for _, r := range rec.Roots {
			if rec.MergedInto == "" && r.FileID == e.fileID && slices.Contains(e.known, r.Commit) && !exists(r.Path) {
				return rec
			}
		}
	}
	return nil
}

// taggedFor returns the project that so far was known only by the container
// tag of this folder.
func (snap *snapshot) taggedFor(p place) *record {
	for _, rec := range snap.state.Projects {
		if rec.MergedInto != "" || len(rec.Roots) > 0 {
			continue
		}
		for _, a := range rec.Aliases {
			if digits, ok := taggedDigest(a); ok && (digits == digest(p.root, tagDigits) || digits == digest(p.asked, tagDigits)) {
				return rec
			}
		}
	}
	return nil
}

// take gives p to rec and from whoever had it before. A source that already
// leads to another project stays there: only a merge joins two projects.
func (rec *record) take(s *state, snap *snapshot, p place, e evidence, now time.Time) {
	for _, other := range s.Projects {
		if other != rec {
			other.dropRoot(p.root)
			other.dropAlias(pathAlias(p.root))
			other.dropAlias(pathAlias(p.asked))
			if p.gitDir != "" {
				other.dropAlias(gitAlias(p.gitDir))
			}
		}
	}
	if p.gitDir != "" {
		rec.addAlias(gitAlias(p.gitDir))
	}
	if p.source != "" && snap.byAlias[aliasKey(p.source)] == nil {
		rec.addAlias(p.source)
	}
	if pathKey(p.asked) != pathKey(p.root) && rec.hasRoomForPaths() {
		rec.addAlias(pathAlias(p.asked))
	}
	seen := rec.root(p.root)
	if seen == nil {
		rec.Roots = append(rec.Roots, root{Path: p.root})
		seen = &rec.Roots[len(rec.Roots)-1]
	}
	seen.GitDir, seen.Source, seen.FileID, seen.SeenAt = p.gitDir, p.source, e.fileID, now
	if e.head != "" {
		seen.Commit = e.head
	}
	rec.SeenAt = now
	rec.forgetMoved(p.root, e.fileID)
}

// forgetMoved turns the old path of a folder that moved into an alias.
func (rec *record) forgetMoved(to, id string) {
	for _, r := range slices.Clone(rec.Roots) {
		if id != "" && r.FileID == id && pathKey(r.Path) != pathKey(to) && !exists(r.Path) {
			rec.dropRoot(r.Path)
			rec.addAlias(pathAlias(r.Path))
		}
	}
}

// adoptStore uses the store that a clone brought along, or that moved with its
// folder. A store that is there is never left for it: memories would seem lost.
func (rec *record) adoptStore(root string) {
	dir := filepath.Join(root, StoreDir)
	if info, err := os.Lstat(filepath.Join(dir, "memories")); err != nil || !info.IsDir() {
		return
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() { // a link could lead anywhere
		return
	}
	rec.Store, rec.Shared = dir, !ignoresEverything(filepath.Join(dir, ".gitignore"))
}

// ignoresEverything reports whether a .gitignore keeps the whole folder out of git.
func ignoresEverything(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch strings.TrimSpace(lines.Text()) {
		case "*", "/*", "**":
			return true
		}
	}
	return false
}

// idOf returns the id of a new project with this key.
func idOf(key string) string { return "p" + digest(aliasKey(key), tagDigits) }

func isID(s string) bool {
	digits, ok := strings.CutPrefix(s, "p")
	return ok && isHex(digits, tagDigits)
}

// newID returns the id of the key, or a free one when the project that once had
// this key was replaced by another one in the same folder.
func newID(snap *snapshot, key string) string {
	id := idOf(key)
	for snap.byID[id] != nil {
		key += "'"
		id = idOf(key)
	}
	return id
}
