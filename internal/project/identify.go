package project

import (
	"os"
	"path/filepath"

	"codememory/internal/git"
)

// maxOrigins is how many clones of clones are followed to their origin.
const maxOrigins = 8

// place is a folder and what its files say about the project it belongs to.
type place struct {
	asked  string // as the caller wrote it, cleaned
	root   string // the folder of the project, symbolic links resolved
	gitDir string // the common directory, or "" for a plain folder
	source string // where the repository came from, as an alias, or ""
}

// identify finds the project folder that dir is in, from files alone.
func (r *Registry) identify(asked, dir string) place {
	p := place{asked: asked, root: dir}
	repo, err := git.Find(dir, r.isNoProject)
	if err != nil {
		p.root = r.markedRoot(dir)
		return p
	}
	p.root, p.gitDir = repo.Root, repo.CommonDir
	p.source = sourceOf(repo)
	return p
}

// markedRoot returns the nearest folder from dir upward that has a store, or
// dir: without a repository, "codememory init" is what marks a project.
func (r *Registry) markedRoot(dir string) string {
	for at := dir; !r.isNoProject(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(at, StoreDir)); err == nil && info.IsDir() {
			return at
		}
	}
	return dir
}

// sourceOf returns the alias of the place a repository was cloned from, or "".
// A remote on this disk is followed, so that a clone of a local repository has
// the identity of that repository.
func sourceOf(repo git.Repo) string {
	source := ""
	for range maxOrigins {
		raw, err := repo.Remote()
		if err != nil || raw == "" {
			return source
		}
		remote := git.ParseRemote(raw)
		if remote.Key != "" {
			return remoteAlias(remote.Key)
		}
		if remote.Path == "" {
			return source
		}
		path := remote.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(repo.Root, path)
		}
		origin, err := git.Find(path, notAt(path))
		if err != nil {
			origin, err = git.Find(path+".git", notAt(path+".git")) // git adds it, too
		}
		if err != nil {
			return fileAlias(path)
		}
		if origin.CommonDir == repo.CommonDir {
			return source
		}
		repo, source = origin, gitAlias(origin.CommonDir)
	}
	return source
}

// notAt stops a search at everything but path itself: a remote names the
// repository, not a folder inside of one.
func notAt(path string) func(string) bool {
	real, err := filepath.EvalSymlinks(path)
	return func(dir string) bool { return err != nil || dir != real }
}

// key is the alias from which a new project's id is made.
func (p place) key() string {
	switch {
	case p.source != "":
		return p.source
	case p.gitDir != "":
		return gitAlias(p.gitDir)
	default:
		return pathAlias(p.root)
	}
}

// identityFile is the directory whose file id is remembered to recognise a move.
func (p place) identityFile() string {
	if p.gitDir != "" {
		return p.gitDir
	}
	return p.root
}

// unchanged reports whether seen says the same as p.
func (p place) unchanged(seen root) bool {
	return seen.GitDir == p.gitDir && seen.Source == p.source
}
