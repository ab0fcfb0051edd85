package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"codememory"
)

// maxFile bounds what is read of a repository's own files.
const maxFile = 1 << 20

// Repo is where a repository lies, as its files say. All paths are absolute and
// without symbolic links.
type Repo struct {
	Root      string // the work tree; for a bare repository its directory
	GitDir    string // what belongs to this work tree only
	CommonDir string // what all its worktrees share
	Bare      bool
	Worktree  bool // a linked worktree, not the main one
	Submodule bool
}

// Find returns the repository that dir is in, without asking git. The search
// goes upward and ends below the first directory for which stop is true (which
// may be nil): a repository there does not count. It fails with NotFound when
// there is none, or no such directory.
func Find(dir string, stop func(dir string) bool) (Repo, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return Repo{}, codememory.Errorf(codememory.NotFound, "look for a repository at %s: %w", dir, errors.Join(ErrNoDirectory, err))
	}
	for at := abs; stop == nil || !stop(at); at = filepath.Dir(at) {
		if repo, ok := open(at); ok {
			return repo, nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return Repo{}, codememory.Errorf(codememory.NotFound, "look for a repository at %s: %w", dir, ErrNoRepository)
}

// open returns the repository whose work tree or bare directory at is.
func open(at string) (Repo, bool) {
	dotGit := filepath.Join(at, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err != nil:
		return openBare(at)
	case info.IsDir():
		if real, err := filepath.EvalSymlinks(dotGit); err == nil && isGitDir(real) {
			return Repo{Root: at, GitDir: real, CommonDir: real}, true
		}
	default:
		if gitDir, ok := follow(at, dotGit, "gitdir:"); ok {
			return openLinked(at, gitDir)
		}
	}
	return Repo{}, false
}

// openBare is for a directory that is itself a repository: a bare one, or the
// .git of a work tree that somebody stands in.
func openBare(at string) (Repo, bool) {
	if !isGitDir(at) {
		return Repo{}, false
	}
	if filepath.Base(at) == ".git" {
		return Repo{Root: filepath.Dir(at), GitDir: at, CommonDir: at}, true
	}
	repo := Repo{Root: at, GitDir: at, CommonDir: at, Bare: true}
	if common, ok := follow(at, filepath.Join(at, "commondir"), ""); ok {
		repo.CommonDir = common
	}
	return repo, true
}

// openLinked is for a .git that is a file: a linked worktree, a submodule, or a
// repository kept elsewhere (--separate-git-dir).
func openLinked(at, gitDir string) (Repo, bool) {
	repo := Repo{Root: at, GitDir: gitDir, CommonDir: gitDir}
	if common, ok := follow(gitDir, filepath.Join(gitDir, "commondir"), ""); ok {
		repo.CommonDir, repo.Worktree = common, true
	} else {
		slashed := filepath.ToSlash(gitDir)
		repo.Submodule = strings.Contains(slashed, "/modules/")
	}
	return repo, isGitDir(repo.CommonDir)
}

// follow reads the path in file, which stands after prefix and is relative to base.
func follow(base, file, prefix string) (string, bool) {
	text, err := readSmall(file)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(text, prefix)
	path = filepath.FromSlash(strings.TrimSpace(path))
	if !ok || path == "" || strings.ContainsRune(path, 0) {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	path, err = filepath.EvalSymlinks(path)
	return path, err == nil
}

// isGitDir applies git's own test: a HEAD, objects and refs.
func isGitDir(dir string) bool {
	for _, name := range [...]string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}

// Remote returns the URL of origin, or of the first remote that the repository's
// own configuration names, or "" when it names none.
func (r Repo) Remote() (string, error) {
	path := filepath.Join(r.CommonDir, "config")
	text, err := readSmall(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", codememory.Errorf(codememory.Unavailable, "read %s: %w", path, err)
	}
	return remoteInConfig(text), nil
}

// readSmall reads a regular file of bounded size: a pipe or a device in its
// place would block.
func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	return string(data), err
}
