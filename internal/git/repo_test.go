package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/git"
)

func TestFindAgreesWithGit(t *testing.T) {
	isolate(t)
	base := realTemp(t)
	main := newRepo(t, filepath.Join(base, "main"), true)
	dotGit := filepath.Join(main, ".git")
	gitIn(t, main, "worktree", "add", "-q", filepath.Join(base, "linked"))
	lib := newRepo(t, filepath.Join(base, "lib"), true)
	gitIn(t, main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "vendor/lib")
	bare := filepath.Join(base, "store.git")
	gitIn(t, base, "clone", "-q", "--bare", main, bare)
	gitIn(t, bare, "worktree", "add", "-q", filepath.Join(base, "of-bare"), "main")
	apart := filepath.Join(base, "apart")
	gitIn(t, base, "init", "-q", "--separate-git-dir", filepath.Join(base, "elsewhere"), apart)
	for _, dir := range []string{"main/a/b", "linked/a", "main/.git/hooks", "plain/a"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(main, filepath.Join(base, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}

	tests := map[string]struct {
		dir  string
		want git.Repo
	}{
		"main work tree":     {"main", git.Repo{Root: main, GitDir: dotGit, CommonDir: dotGit}},
		"subfolder":          {"main/a/b", git.Repo{Root: main, GitDir: dotGit, CommonDir: dotGit}},
		"through a symlink":  {"link/a", git.Repo{Root: main, GitDir: dotGit, CommonDir: dotGit}},
		"inside .git":        {"main/.git/hooks", git.Repo{Root: main, GitDir: dotGit, CommonDir: dotGit}},
		"linked worktree":    {"linked/a", git.Repo{Root: filepath.Join(base, "linked"), GitDir: filepath.Join(dotGit, "worktrees", "linked"), CommonDir: dotGit, Worktree: true}},
		"submodule":          {"main/vendor/lib", git.Repo{Root: filepath.Join(main, "vendor", "lib"), GitDir: filepath.Join(dotGit, "modules", "vendor", "lib"), CommonDir: filepath.Join(dotGit, "modules", "vendor", "lib"), Submodule: true}},
		"bare repository":    {"store.git", git.Repo{Root: bare, GitDir: bare, CommonDir: bare, Bare: true}},
		"inside a bare one":  {"store.git/objects", git.Repo{Root: bare, GitDir: bare, CommonDir: bare, Bare: true}},
		"worktree of a bare": {"of-bare", git.Repo{Root: filepath.Join(base, "of-bare"), GitDir: filepath.Join(bare, "worktrees", "of-bare"), CommonDir: bare, Worktree: true}},
		"separate git dir":   {"apart", git.Repo{Root: apart, GitDir: filepath.Join(base, "elsewhere"), CommonDir: filepath.Join(base, "elsewhere")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(base, filepath.FromSlash(tt.dir))
			got, err := git.Find(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			common, err := git.CommonDir(t.Context(), dir)
			if err != nil || common != got.CommonDir {
				t.Errorf("git itself says common dir %q, %v", common, err)
			}
			super, err := git.Superproject(t.Context(), dir)
			if err == nil && (super != "") != got.Submodule {
				t.Errorf("git itself says superproject %q", super)
			}
		})
	}
}

func TestFindSaysNo(t *testing.T) {
	isolate(t)
	base := realTemp(t)
	repo := newRepo(t, filepath.Join(base, "repo"), false)
	broken := map[string]string{
		"junk":     "\x00\xff not a pointer",
		"dangling": "gitdir: ../nowhere/.git\n",
		"empty":    "",
		"self":     "gitdir: .\n",
	}
	for name, text := range broken {
		dir := filepath.Join(base, "broken", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(base, "hollow", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	atBase := func(dir string) bool { return dir == base }
	tests := map[string]struct {
		dir  string
		stop func(string) bool
	}{
		"deleted directory":                    {filepath.Join(base, "gone"), nil},
		"a .git of junk":                       {filepath.Join(base, "broken", "junk"), atBase},
		"a .git that points nowhere":           {filepath.Join(base, "broken", "dangling"), atBase},
		"an empty .git file":                   {filepath.Join(base, "broken", "empty"), atBase},
		"a .git that points to a plain folder": {filepath.Join(base, "broken", "self"), atBase},
		"an empty .git folder":                 {filepath.Join(base, "hollow"), atBase},
		"a repository at the stop":             {repo, func(dir string) bool { return dir == repo }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := git.Find(tt.dir, tt.stop)
			if codememory.CodeOf(err) != codememory.NotFound {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestRemoteReadFromFilesIsTheOneGitNames(t *testing.T) {
	isolate(t)
	repo := newRepo(t, filepath.Join(realTemp(t), "app"), false)
	found, err := git.Find(repo, nil)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct{ name, url string }{
		{"upstream", `https://example.com/a "quoted" # path.git`},
		{"zeta", "https://example.com/z"},
		{"origin", "git@github.com:o/r.git"},
	}
	for _, s := range steps {
		gitIn(t, repo, "remote", "add", s.name, s.url)
		want := gitIn(t, repo, "config", "--get", "remote.upstream.url")
		if s.name == "origin" {
			want = s.url
		}
		if got, err := found.Remote(); err != nil || got != want {
			t.Errorf("after adding %s: %q, %v; want %q", s.name, got, err, want)
		}
	}
}

func BenchmarkFindAndRemote(b *testing.B) {
	repo, err := git.Find(".", nil)
	if err != nil {
		b.Skip("the sources are not in a repository")
	}
	for b.Loop() {
		found, _ := git.Find(repo.Root, nil)
		if _, err := found.Remote(); err != nil {
			b.Fatal(err)
		}
	}
}
