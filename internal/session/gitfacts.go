package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/git"
)

const (
	gitTimeout   = 3 * time.Second // a comparison reads many files
	maxGitOutput = 1 << 20
)

// GitFacts is what git knows about the work since a commit. All of it is empty
// where there is no git or no repository.
type GitFacts struct {
	Head  string                  // the commit that is checked out, "" before the first
	Stat  string                  // git diff --stat
	Note  string                  // the same in one line
	Files []codememory.FileChange // all that differs, untracked and deleted files included
}

// ReadGit compares the work tree that dir is in with the commit since. Without
// one, or with one that the repository no longer has, it compares with what is
// checked out. That git is missing, or dir is in no repository, is no error.
func ReadGit(ctx context.Context, dir, since string) (GitFacts, error) {
	var f GitFacts
	root, err := git.TopLevel(ctx, dir)
	if err != nil {
		return f, unlessAbsent(err)
	}
	if f.Head, err = git.Head(ctx, root); err != nil && !errors.Is(err, git.ErrUnset) {
		return f, unlessAbsent(err)
	}
	base := f.Head
	if isCommitID(since) && since != f.Head {
		if full, err := askGit(ctx, root, "rev-parse", "--verify", "--quiet", since+"^{commit}"); err == nil {
			base = strings.TrimSpace(full)
		}
	}
	outside := ":(exclude,top)" + ownFolder
	if base != "" {
		diff := []string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=dirty"}
		stat, err := askGit(ctx, root, append(slices.Clone(diff), "--stat=100,70,40", base, "--", ":/", outside)...)
		if err != nil {
			return f, err
		}
		f.Stat = cleanBlock(stat)
		names, err := askGit(ctx, root, append(slices.Clone(diff), "--name-status", "-z", base, "--", ":/", outside)...)
		if err != nil {
			return f, err
		}
		f.Files = nameStatus(names)
	}
	others := []string{"ls-files", "--others", "--exclude-standard", "-z", "--", ":/", outside}
	if base == "" {
		others = slices.Insert(others, 1, "--cached")
	}
	untracked, err := askGit(ctx, root, others...)
	if err != nil {
		return f, err
	}
	for _, name := range records(untracked) {
		// What was committed before, and is only no longer tracked, is known.
		if !slices.ContainsFunc(f.Files, func(c codememory.FileChange) bool { return c.Path == name }) {
			f.Files = append(f.Files, codememory.FileChange{Path: name, Change: codememory.FileCreated})
		} else {
			f.setChange(name, codememory.FileModified)
		}
	}
	f.Files = sortedFiles(f.Files)
	f.Note = f.note()
	return f, nil
}

// isCommitID keeps names and options that a file could hold away from git.
func isCommitID(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func (f *GitFacts) setChange(name string, change codememory.ChangeKind) {
	for i := range f.Files {
		if f.Files[i].Path == name {
			f.Files[i].Change = change
		}
	}
}

// NoteGit puts what git knows into the record: the commits, the difference, and
// the files when no tool named any. Of files that tools did name, git corrects
// the kind: one that was there at the start was not created.
func (r *Record) NoteGit(f GitFacts) {
	if f.Head == "" && f.Files == nil {
		return // git has nothing to say; what it said before stays
	}
	if r.GitStart == "" {
		r.GitStart = f.Head
	}
	r.GitEnd = f.Head
	r.DiffStat, r.DiffNote = f.Stat, f.Note
	if len(r.Files) == 0 || r.FilesFromGit {
		r.Files, r.FilesFromGit = slices.Clone(f.Files), len(f.Files) > 0
		return
	}
	inGit := make(map[string]codememory.ChangeKind, len(f.Files))
	for _, c := range f.Files {
		inGit[c.Path] = c.Change
	}
	for i, c := range r.Files {
		switch kind := inGit[c.Path]; {
		case kind == codememory.FileDeleted,
			kind == codememory.FileModified && c.Change == codememory.FileCreated:
			r.Files[i].Change = kind
		}
	}
}

// nameStatus reads pairs of a letter and a path.
func nameStatus(out string) []codememory.FileChange {
	var files []codememory.FileChange
	fields := records(out)
	for i := 0; i+1 < len(fields); i += 2 {
		change := codememory.FileModified
		switch fields[i][:1] {
		case "A":
			change = codememory.FileCreated
		case "D":
			change = codememory.FileDeleted
		}
		files = append(files, codememory.FileChange{Path: fields[i+1], Change: change})
	}
	return files
}

// records cuts output at its NULs. What follows the last one was cut off.
func records(out string) []string {
	var list []string
	for {
		one, rest, ok := strings.Cut(out, "\x00")
		if !ok {
			return list
		}
		if one != "" {
			list = append(list, one)
		}
		out = rest
	}
}

var changedLines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\d+) (insertion|deletion)`)
})

// note counts files and lines: "2 files created, 1 modified. +45 / -12 lines."
func (f *GitFacts) note() string {
	if len(f.Files) == 0 {
		return ""
	}
	count := map[codememory.ChangeKind]int{}
	for _, c := range f.Files {
		count[c.Change]++
	}
	var parts []string
	for _, kind := range []codememory.ChangeKind{codememory.FileCreated, codememory.FileModified, codememory.FileDeleted} {
		n := count[kind]
		switch {
		case n == 0:
		case len(parts) > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		case n == 1:
			parts = append(parts, fmt.Sprintf("1 file %s", kind))
		default:
			parts = append(parts, fmt.Sprintf("%d files %s", n, kind))
		}
	}
	lines := map[string]string{"insertion": "0", "deletion": "0"}
	last := f.Stat[strings.LastIndexByte(f.Stat, '\n')+1:]
	for _, m := range changedLines().FindAllStringSubmatch(last, -1) {
		lines[m[2]] = m[1]
	}
	return fmt.Sprintf("%s. +%s / -%s lines.", strings.Join(parts, ", "), lines["insertion"], lines["deletion"])
}

// unlessAbsent drops the errors that only say that there is nothing to know.
func unlessAbsent(err error) error {
	for _, absent := range []error{git.ErrNoGit, git.ErrNoRepository, git.ErrNoWorktree, git.ErrNoDirectory, git.ErrNotTrusted} {
		if errors.Is(err, absent) {
			return nil
		}
	}
	return err
}

// askGit runs git with a deadline, in English, without prompts, locks, fetches
// or programs that the repository configures.
func askGit(ctx context.Context, dir string, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_CONFIG") && name != "GIT_EXEC_PATH"
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1")
	cmd.WaitDelay = 200 * time.Millisecond
	var out capped
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			return "", codememory.Errorf(codememory.Unavailable, "git %s in %s: %w (%s)", args[0], dir, git.ErrTimeout, gitTimeout)
		}
		return "", fmt.Errorf("git %s in %s: %w", args[0], dir, err)
	}
	return out.String(), nil
}

// capped keeps the first maxGitOutput bytes written to it.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxGitOutput - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
