package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// repository makes one with a commit of kept.txt, gone.txt and old.txt.
func repository(t *testing.T) (dir, commit string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "init", "-q")
	write(t, dir, "kept.txt", "one\n")
	write(t, dir, "gone.txt", "two\n")
	write(t, dir, "old.txt", "three\nfour\n")
	commitAll(t, dir)
	return dir, gitIn(t, dir, "rev-parse", "HEAD")
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commitAll(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "x")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadGitSeesCommittedUncommittedUntrackedAndDeletedWork(t *testing.T) {
	dir, start := repository(t)
	write(t, dir, "committed.txt", "new\n")
	commitAll(t, dir)
	write(t, dir, "old.txt", "three\nfive\n")
	write(t, dir, "sub/un tracked é.txt", "new\n")
	write(t, dir, ".codememory/sessions/x.md", "ours\n")
	write(t, dir, ".gitignore", "ignored.txt\n")
	write(t, dir, "ignored.txt", "x\n")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	f, err := ReadGit(t.Context(), filepath.Join(dir, "sub"), start)
	if err != nil {
		t.Fatal(err)
	}
	want := []codememory.FileChange{created(".gitignore"), created("committed.txt"), created("sub/un tracked é.txt"), modified("old.txt"), deleted("gone.txt")}
	if diff := cmp.Diff(want, f.Files); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if f.Head != gitIn(t, dir, "rev-parse", "HEAD") {
		t.Errorf("head %s", f.Head)
	}
	if want := "3 files created, 1 modified, 1 deleted. +2 / -2 lines."; f.Note != want {
		t.Errorf("note %q, want %q", f.Note, want)
	}
	if !strings.Contains(f.Stat, "old.txt") || !strings.HasSuffix(f.Stat, "3 files changed, 2 insertions(+), 2 deletions(-)") {
		t.Errorf("stat %q", f.Stat)
	}

	r := Record{ID: "s", Agent: "a", StartedAt: begin, GitStart: start}
	r.NoteGit(f)
	if r.GitStart != start || r.GitEnd != f.Head || !r.FilesFromGit {
		t.Errorf("got %+v", r)
	}
	again, err := Parse(Render(r))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(clean(r), again); diff != "" || again.DiffNote != f.Note || again.DiffStat != f.Stat {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestReadGitToleratesWhatIsMissing(t *testing.T) {
	dir, start := repository(t)
	empty := t.TempDir()
	gitIn(t, empty, "init", "-q")
	write(t, empty, "a.txt", "x")
	write(t, empty, "b.txt", "x")
	gitIn(t, empty, "add", "b.txt")
	tests := map[string]struct {
		dir, since string
		want       []codememory.FileChange
	}{
		"no repository":                   {t.TempDir(), start, nil},
		"no such folder":                  {filepath.Join(dir, "none"), start, nil},
		"no commits":                      {empty, "", []codememory.FileChange{created("a.txt"), created("b.txt")}},
		"a commit that is gone":           {dir, strings.Repeat("0", 40), nil},
		"an option in place of a commit":  {dir, "--output=/tmp/x", nil},
		"a name in place of a commit":     {dir, "HEAD~1", nil},
		"nothing changed since":           {dir, start, nil},
		"a short id, as people write it":  {dir, start[:8], nil},
		"no start known, nothing changed": {dir, "", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := ReadGit(t.Context(), tt.dir, tt.since)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, f.Files); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	t.Run("git is not installed", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if f, err := ReadGit(t.Context(), dir, start); err != nil || f.Head != "" {
			t.Errorf("got %+v, %v", f, err)
		}
	})
	t.Run("the caller gives up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ReadGit(ctx, dir, start); err == nil {
			t.Error("no error")
		}
	})
}

func TestWhatToolsNamedIsCorrectedByGitAndNotReplaced(t *testing.T) {
	r := Record{ID: "s", Files: []codememory.FileChange{created("was-there"), created("new"), modified("removed"), modified("same")}}
	r.NoteGit(GitFacts{Head: "abc", Files: []codememory.FileChange{modified("was-there"), created("new"), deleted("removed"), modified("of another session")}})
	want := []codememory.FileChange{modified("was-there"), created("new"), deleted("removed"), modified("same")}
	if diff := cmp.Diff(want, r.Files); diff != "" || r.FilesFromGit {
		t.Errorf("-want +got\n%s", diff)
	}

	r = Record{ID: "s"}
	r.NoteGit(GitFacts{Files: []codememory.FileChange{modified("a")}})
	r.NoteGit(GitFacts{Files: []codememory.FileChange{modified("b")}})
	if diff := cmp.Diff([]codememory.FileChange{modified("b")}, r.Files); diff != "" {
		t.Errorf("git's list is replaced by its next one: %s", diff)
	}
	r.Observe(turn(0, "x", "y", created("c")), ObserveOptions{})
	if diff := cmp.Diff([]codememory.FileChange{created("c")}, r.Files); diff != "" || r.FilesFromGit {
		t.Errorf("what tools name takes its place: %s", diff)
	}
}
