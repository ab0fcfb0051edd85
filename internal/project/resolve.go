package project

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/git"
)

// touchEvery is how often a visit to a known folder is written down, with the
// commit that is checked out. In between a visit costs no write and no process.
const touchEvery = 6 * time.Hour

// User returns the project that stands for the user's own store.
func User() codememory.Project {
	return codememory.Project{ID: codememory.UserProject, Name: codememory.UserProject}
}

// Resolve returns the project that dir belongs to and registers it at first
// sight. In a place that is no project ($HOME, the root of a disk, a temporary
// directory itself) it returns User. It fails with Invalid when dir is not an
// absolute path of a directory, unless the registry remembers that path.
func (r *Registry) Resolve(ctx context.Context, dir string) (codememory.Project, error) {
	asked, err := checkPath(dir)
	if err != nil {
		return codememory.Project{}, err
	}
	snap, err := r.current()
	if err != nil {
		return codememory.Project{}, err
	}
	real, err := filepath.EvalSymlinks(asked)
	if errors.Is(err, fs.ErrNotExist) {
		if rec := snap.byFolder(asked); rec != nil {
			return rec.project(snap.names[rec.ID]), nil
		}
	}
	if _, err := CheckDir(asked); err != nil {
		return codememory.Project{}, err
	}
	if err != nil {
		return codememory.Project{}, codememory.Errorf(codememory.Invalid, "project folder %s: %w", asked, err)
	}
	if r.isNoProject(real) {
		return User(), nil
	}
	p := r.identify(asked, real)
	if r.isNoProject(p.root) {
		return User(), nil
	}
	known := snap.settled(p)
	if known != nil && r.now().Sub(known.root(p.root).SeenAt) < touchEvery {
		return known.at(p.root, snap), nil
	}
	return r.register(ctx, snap, p, known)
}

// register writes down what p says. A known project is returned even when that
// is not possible.
func (r *Registry) register(ctx context.Context, snap *snapshot, p place, known *record) (codememory.Project, error) {
	e := gather(ctx, snap, p)
	var id string
	err := r.update(ctx, func(s *state) error {
		id = settle(s, p, e, r.now().UTC().Truncate(time.Second))
		return nil
	})
	if err != nil {
		if known != nil {
			return known.at(p.root, snap), nil
		}
		return codememory.Project{}, err
	}
	snap, err = r.current()
	if err != nil {
		return codememory.Project{}, err
	}
	rec := snap.live(id)
	if rec == nil {
		return codememory.Project{}, codememory.Errorf(codememory.Conflict, "project %s was removed while it was registered: try again", id)
	}
	return rec.at(p.root, snap), nil
}

// at is the project as seen from one of its folders.
func (rec *record) at(root string, snap *snapshot) codememory.Project {
	p := rec.project(snap.names[rec.ID])
	p.Root = root
	return p
}

// settled returns the record of a folder about which nothing new is to be
// learned, or nil.
func (snap *snapshot) settled(p place) *record {
	rec := snap.byRoot[pathKey(p.root)]
	if rec == nil || !p.unchanged(*rec.root(p.root)) {
		return nil
	}
	if pathKey(p.asked) != pathKey(p.root) && snap.byAlias[aliasKey(pathAlias(p.asked))] != rec && rec.hasRoomForPaths() {
		return nil
	}
	return rec
}

func (rec *record) hasRoomForPaths() bool {
	n := 0
	for _, a := range rec.Aliases {
		if strings.HasPrefix(a, pathKind) {
			n++
		}
	}
	return n < maxPathAliases
}

// evidence is what only git can say about a place.
type evidence struct {
	head   string
	fileID string
	asked  []string // commits git was asked for
	known  []string // those of them that are in the repository
}

// isMissing reports whether git said that it does not have the commit.
func (e evidence) isMissing(commit string) bool {
	return slices.Contains(e.asked, commit) && !slices.Contains(e.known, commit)
}

// gather asks git what settle may need. Without git there is no evidence, and
// the registry believes what it already knows.
func gather(ctx context.Context, snap *snapshot, p place) evidence {
	e := evidence{fileID: fileID(p.identityFile())}
	if p.gitDir == "" {
		return e
	}
	e.head, _ = git.Head(ctx, p.root)
	var commits []string
	for _, rec := range snap.state.Projects {
		for _, r := range rec.Roots {
			if r.Commit != "" && (pathKey(r.Path) == pathKey(p.root) || r.FileID == e.fileID) {
				commits = append(commits, r.Commit)
			}
		}
	}
	if known, err := git.KnownCommits(ctx, p.root, commits); err == nil {
		e.asked, e.known = commits, known
	}
	return e
}

// exists reports whether there is anything at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
