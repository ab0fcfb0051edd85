package git_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/git"
)

// isolate keeps the tester's own git configuration out of a test.
func isolate(t *testing.T) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "none"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_AUTHOR_NAME", "Dev")
	t.Setenv("GIT_AUTHOR_EMAIL", "dev@example.com")
	t.Setenv("GIT_COMMITTER_NAME", "Dev")
	t.Setenv("GIT_COMMITTER_EMAIL", "dev@example.com")
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func newRepo(t *testing.T, dir string, commits bool) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	if commits {
		gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "first in "+dir)
	}
	return dir
}

func TestAnswersAgreeWithTheRepository(t *testing.T) {
	isolate(t)
	base := realTemp(t)
	repo := newRepo(t, filepath.Join(base, "app"), true)
	sub := filepath.Join(repo, "internal", "deep")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, repo, "remote", "add", "backup", "https://backup.example.com/app.git")
	gitIn(t, repo, "remote", "add", "origin", "git@github.com:o/app.git")
	gitIn(t, repo, "config", "user.email", "me@example.com")
	gitIn(t, repo, "worktree", "add", "-q", filepath.Join(base, "feature"))

	ctx := t.Context()
	check := func(what, want string) func(string, error) {
		return func(got string, err error) {
			t.Helper()
			if err != nil || got != want {
				t.Errorf("%s = %q, %v; want %q", what, got, err, want)
			}
		}
	}
	check("TopLevel of a subfolder", repo)(git.TopLevel(ctx, sub))
	check("CommonDir of a subfolder", filepath.Join(repo, ".git"))(git.CommonDir(ctx, sub))
	check("CommonDir of a worktree", filepath.Join(repo, ".git"))(git.CommonDir(ctx, filepath.Join(base, "feature")))
	check("RemoteURL", "git@github.com:o/app.git")(git.RemoteURL(ctx, sub))
	check("UserEmail", "me@example.com")(git.UserEmail(ctx, sub))
	check("Head", gitIn(t, repo, "rev-parse", "HEAD"))(git.Head(ctx, sub))
	check("Superproject", "")(git.Superproject(ctx, sub))

	head := gitIn(t, repo, "rev-parse", "HEAD")
	known, err := git.KnownCommits(ctx, repo, []string{strings.Repeat("a", 40), head, "--help"})
	if err != nil || len(known) != 1 || known[0] != head {
		t.Errorf("KnownCommits = %v, %v; want just %s", known, err, head)
	}

	gitIn(t, repo, "config", "url.ssh://git@example.org/.insteadOf", "ex:")
	gitIn(t, repo, "remote", "set-url", "origin", "ex:team/app")
	check("RemoteURL with insteadOf", "ssh://git@example.org/team/app")(git.RemoteURL(ctx, repo))
	gitIn(t, repo, "remote", "remove", "origin")
	check("RemoteURL without origin", "https://backup.example.com/app.git")(git.RemoteURL(ctx, repo))
}

func TestAnswersIgnoreTheRepositoryOfASurroundingHook(t *testing.T) {
	isolate(t)
	base := realTemp(t)
	outer, inner := newRepo(t, filepath.Join(base, "outer"), true), newRepo(t, filepath.Join(base, "inner"), true)
	t.Setenv("GIT_DIR", filepath.Join(outer, ".git"))
	t.Setenv("GIT_WORK_TREE", outer)
	if got, err := git.TopLevel(t.Context(), inner); err != nil || got != inner {
		t.Errorf("TopLevel = %q, %v; want %q", got, err, inner)
	}
}

func TestRefusalsAreToldApart(t *testing.T) {
	isolate(t)
	base := realTemp(t)
	plain := filepath.Join(base, "plain")
	if err := os.Mkdir(plain, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", base)
	empty := newRepo(t, filepath.Join(base, "empty"), false)
	bare := filepath.Join(base, "bare.git")
	gitIn(t, base, "init", "-q", "--bare", bare)

	type ask func(ctx context.Context, dir string) (string, error)
	tests := map[string]struct {
		ask   ask
		dir   string
		cause error
		code  codememory.Code
	}{
		"no repository":          {git.TopLevel, plain, git.ErrNoRepository, codememory.NotFound},
		"no repository, remotes": {git.RemoteURL, plain, git.ErrNoRepository, codememory.NotFound},
		"no work tree":           {git.TopLevel, bare, git.ErrNoWorktree, codememory.NotFound},
		"deleted directory":      {git.Head, filepath.Join(base, "gone"), git.ErrNoDirectory, codememory.NotFound},
		"no commits":             {git.Head, empty, git.ErrUnset, codememory.NotFound},
		"no remote":              {git.RemoteURL, empty, git.ErrUnset, codememory.NotFound},
		"no email":               {git.UserEmail, empty, git.ErrUnset, codememory.NotFound},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tt.ask(t.Context(), tt.dir)
			if got != "" || !errors.Is(err, tt.cause) || codememory.CodeOf(err) != tt.code {
				t.Errorf("got %q, %v (%s); want %v (%s)", got, err, codememory.CodeOf(err), tt.cause, tt.code)
			}
		})
	}
	if has, err := git.HasCommits(t.Context(), empty); has || err != nil {
		t.Errorf("HasCommits of an empty repository = %v, %v", has, err)
	}
	if has, err := git.HasCommits(t.Context(), plain); has || !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("HasCommits of a plain folder = %v, %v", has, err)
	}
	if dir, err := git.CommonDir(t.Context(), bare); err != nil || dir != bare {
		t.Errorf("CommonDir of a bare repository = %q, %v", dir, err)
	}
}

func TestAForeignOwnerIsNamed(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() != 0 {
		t.Skip("only root can give a repository to somebody else")
	}
	isolate(t)
	t.Setenv("SUDO_UID", "")
	repo := newRepo(t, filepath.Join(realTemp(t), "theirs"), true)
	for _, p := range []string{repo, filepath.Join(repo, ".git")} {
		if err := os.Chown(p, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	_, err := git.Head(t.Context(), repo)
	if !errors.Is(err, git.ErrNotTrusted) || codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("got %v (%s)", err, codememory.CodeOf(err))
	}
	if found, err := git.Find(repo, nil); err != nil || found.Root != repo {
		t.Errorf("Find reads files only and needs no trust: got %+v, %v", found, err)
	}
}

func TestAMissingGitIsUnavailable(t *testing.T) {
	t.Setenv("PATH", "")
	_, err := git.Head(t.Context(), t.TempDir())
	if !errors.Is(err, git.ErrNoGit) || codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("got %v (%s)", err, codememory.CodeOf(err))
	}
}

func TestAGitThatHangsIsLeftAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script")
	}
	bin := t.TempDir()
	// The background child keeps the pipes open after the shell was killed.
	script := "#!/bin/sh\nsleep 8 &\nsleep 8\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Run("its own deadline", func(t *testing.T) {
		start := time.Now()
		_, err := git.Head(t.Context(), bin)
		if !errors.Is(err, git.ErrTimeout) || time.Since(start) > 4*time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
	t.Run("the caller's deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := git.Head(ctx, bin)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}
