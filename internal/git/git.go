// Package git answers a few questions about a repository: where it is, where
// it came from, and who works in it.
//
// Find and Repo.Remote read the repository's own files, which takes
// microseconds and works without git installed; they follow worktrees and
// submodules but not the includes of a configuration. The other questions are
// put to the git executable, each with a deadline, so that worktrees, includes
// and safe.directory mean what they mean to the user. Nothing here changes a
// repository.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"codememory"
)

// timeout bounds one question. A repository on a sleeping network disk must
// not hold up an agent.
const timeout = 2 * time.Second

// maxOutput is more than any answer needs; a stranger's repository does not
// decide how much memory is used.
const maxOutput = 1 << 20

// What can be wrong with a question. Each is the cause of a coded error.
var (
	ErrNoGit        = errors.New("git is not installed")         // Unavailable
	ErrTimeout      = errors.New("git did not answer in time")   // Unavailable
	ErrNotTrusted   = errors.New("git refuses a foreign owner")  // Unavailable
	ErrNoRepository = errors.New("not a git repository")         // NotFound
	ErrNoWorktree   = errors.New("the repository has no folder") // NotFound: bare, or inside .git
	ErrNoDirectory  = errors.New("no such directory")            // NotFound
	ErrUnset        = errors.New("not set")                      // NotFound: no remote, no commit, no email
)

// TopLevel returns the folder of the work tree that dir is in.
func TopLevel(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "", "rev-parse", "--show-toplevel")
	return resolved(out), err
}

// CommonDir returns the directory that all worktrees of the repository share,
// absolute and with symbolic links resolved.
func CommonDir(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "", "rev-parse", "--git-common-dir")
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(filepath.FromSlash(out)) { // older gits answer relative to dir
		out = filepath.Join(dir, out)
	}
	return resolved(out), nil
}

// Superproject returns the work tree of the repository that has dir's one as a
// submodule, or "" when dir is not in a submodule.
func Superproject(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "", "rev-parse", "--show-superproject-working-tree")
	return resolved(out), err
}

// RemoteURL returns the URL of origin, or of the first remote when there is no
// origin, as git would use it: with includes and insteadOf applied.
func RemoteURL(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "", "remote", "-v")
	if err != nil {
		return "", err
	}
	first := ""
	for line := range strings.Lines(out) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		url, isFetch := cutFetchMark(rest)
		if !isFetch || url == "" {
			continue
		}
		if name == "origin" {
			return url, nil
		}
		if first == "" {
			first = url
		}
	}
	if first == "" {
		return "", unset(dir, "a remote")
	}
	return first, nil
}

// cutFetchMark takes "URL (fetch)", which since 2.37 may be followed by the
// filter of a partial clone, apart.
func cutFetchMark(s string) (url string, ok bool) {
	i := strings.LastIndex(s, " (fetch)")
	if i < 0 {
		return "", false
	}
	return s[:i], true
}

// UserEmail returns the email with which commits in dir are made. It also works
// outside of a repository, from the user's own configuration.
func UserEmail(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "", "config", "--get", "user.email")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 || err == nil && out == "" {
		return "", unset(dir, "user.email")
	}
	return out, err
}

// Head returns the id of the commit that is checked out.
func Head(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "", "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return "", unset(dir, "a commit")
	}
	return out, err
}

// HasCommits reports whether anything has been committed on the current branch.
func HasCommits(ctx context.Context, dir string) (bool, error) {
	_, err := Head(ctx, dir)
	if errors.Is(err, ErrUnset) {
		return false, nil
	}
	return err == nil, err
}

// KnownCommits returns those of the commit ids that exist in the repository of
// dir, in one question.
func KnownCommits(ctx context.Context, dir string, ids []string) ([]string, error) {
	var ask strings.Builder
	for _, id := range ids {
		if isObjectID(id) {
			ask.WriteString(id + "\n")
		}
	}
	if ask.Len() == 0 {
		return nil, nil
	}
	out, err := run(ctx, dir, ask.String(), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return nil, err
	}
	var known []string
	for line := range strings.Lines(out) {
		if id, kind, _ := strings.Cut(strings.TrimSpace(line), " "); kind == "commit" {
			known = append(known, id)
		}
	}
	return known, nil
}

// isObjectID reports whether s is a whole SHA-1 or SHA-256 in hexadecimal.
func isObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// run asks git one question and returns its answer without the last newline.
func run(ctx context.Context, dir, stdin string, args ...string) (string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", codememory.Errorf(codememory.NotFound, "ask git about %s: %w", dir, ErrNoDirectory)
	}
	path, err := exec.LookPath("git")
	if err != nil {
		return "", codememory.Errorf(codememory.Unavailable, "%w or not on the PATH: install it to let projects follow renames", ErrNoGit)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, path, args...)
	cmd.Dir = dir
	cmd.Env = environment(os.Environ())
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = 200 * time.Millisecond // a child of git may hold the pipes open
	stdout, stderr := &capped{}, &capped{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	switch {
	case err == nil:
		return strings.TrimRight(stdout.String(), "\r\n"), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s in %s: %w", args[0], dir, ctx.Err())
	case limited.Err() != nil:
		return "", codememory.Errorf(codememory.Unavailable, "git %s in %s: %w (%s)", args[0], dir, ErrTimeout, timeout)
	}
	return "", refusal(dir, args[0], stderr.String(), err)
}

// refusal tells the ways apart in which git says no.
func refusal(dir, command, stderr string, err error) error {
	switch {
	case strings.Contains(stderr, "dubious ownership"), strings.Contains(stderr, "unsafe repository"):
		return codememory.Errorf(codememory.Unavailable,
			"%w of the repository at %s: run git config --global --add safe.directory with its path if you trust it", ErrNotTrusted, dir)
	case strings.Contains(stderr, "must be run in a work tree"):
		return codememory.Errorf(codememory.NotFound, "ask git about %s: %w", dir, ErrNoWorktree)
	case strings.Contains(stderr, "not a git repository"), strings.Contains(stderr, "not in a git directory"):
		return codememory.Errorf(codememory.NotFound, "ask git about %s: %w", dir, ErrNoRepository)
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n"); line != "" {
		return codememory.Errorf(codememory.Unavailable, "git %s in %s: %s: %w", command, dir, line, err)
	}
	return codememory.Errorf(codememory.Unavailable, "git %s in %s: %w", command, dir, err)
}

func unset(dir, what string) error {
	return codememory.Errorf(codememory.NotFound, "git has no value for %s in %s: %w", what, dir, ErrUnset)
}

// environment is env without what would make git answer about another
// repository (set when we run below a git hook), in English and without
// prompts or locks.
func environment(env []string) []string {
	kept := make([]string, 0, len(env)+4)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_TRACE", "LC_ALL", "LANGUAGE":
		default:
			kept = append(kept, kv)
		}
	}
	return append(kept, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1")
}

// resolved cleans a path that git printed. "" stays "".
func resolved(path string) string {
	if path == "" {
		return ""
	}
	path = filepath.Clean(filepath.FromSlash(path))
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// capped keeps the first maxOutput bytes written to it.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
