package project_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/project"
)

const remote = "git@github.com:owner/app.git"

func TestWhichFoldersAreOneProject(t *testing.T) {
	tests := map[string]func(w *world){
		"a subfolder belongs to its repository": func(w *world) {
			w.repo("app", "")
			w.mkdir("app/internal/deep")
			w.same("app", "app/internal/deep")
		},
		"clones of one remote, whatever the protocol": func(w *world) {
			w.repo("ssh", remote)
			w.repo("https", "https://token@github.com/Owner/App")
			p := w.same("ssh", "https")
			if p.Remote != "github.com/owner/app" || p.Name != "app" {
				w.Errorf("remote %q, name %q", p.Remote, p.Name)
			}
		},
		"a worktree": func(w *world) {
			w.repo("app", "")
			w.git("app", "worktree", "add", "-q", w.path("feature"))
			w.mkdir("feature/sub")
			w.same("app", "feature", "feature/sub")
			if p := w.resolve("feature/sub"); p.Root != w.path("feature") || p.Name != "app" {
				w.Errorf("root %s, name %s", p.Root, p.Name)
			}
		},
		"a worktree seen before its repository": func(w *world) {
			w.repo("app", "")
			w.git("app", "worktree", "add", "-q", w.path("feature"))
			w.same("feature", "app")
		},
		"worktrees of a bare repository": func(w *world) {
			w.repo("seed", "")
			w.mkdir("app")
			w.git("app", "clone", "-q", "--bare", w.path("seed"), ".bare")
			w.git("app/.bare", "remote", "remove", "origin")
			w.git("app/.bare", "worktree", "add", "-q", "../main", "main")
			if p := w.same("app/main", "app/.bare"); p.Name != "app" {
				w.Errorf("name %q", p.Name)
			}
			w.distinct("seed", "app/main")
		},
		"a clone of a local repository without a remote": func(w *world) {
			w.repo("app", "")
			w.git("", "clone", "-q", w.path("app"), "clone")
			w.git("", "clone", "-q", w.path("clone"), "clone-of-clone")
			w.same("clone-of-clone", "app", "clone")
		},
		"a clone of a local repository with a remote": func(w *world) {
			w.repo("app", remote)
			w.git("", "clone", "-q", "file://"+filepath.ToSlash(w.path("app")), "clone")
			w.repo("elsewhere", "https://github.com/owner/app")
			w.same("clone", "elsewhere", "app")
		},
		"local remotes in a circle": func(w *world) {
			w.repo("a", "")
			w.repo("b", w.path("a"))
			w.git("a", "remote", "add", "origin", w.path("b"))
			w.resolve("a")
			w.resolve("b")
		},
		"two clones of a local repository that is gone": func(w *world) {
			w.repo("a", "/no/such/place")
			w.repo("b", "/no/such/place")
			w.same("a", "b")
		},
		"a submodule is its own project": func(w *world) {
			w.repo("lib", "")
			w.repo("app", remote)
			w.git("app", "submodule", "--quiet", "add", w.path("lib"), "vendor/lib")
			w.mkdir("app/vendor/lib/sub")
			w.distinct("app", "app/vendor/lib")
			w.same("app/vendor/lib/sub", "app/vendor/lib", "lib")
		},
		"a repository inside of another": func(w *world) {
			w.repo("outer", "")
			w.mkdir("outer/inner")
			w.same("outer", "outer/inner")
			w.repo("outer/inner", "")
			w.distinct("outer", "outer/inner")
		},
		"different remotes": func(w *world) {
			w.repo("a/app", remote)
			w.repo("b/app", "git@github.com:other/app.git")
			w.distinct("a/app", "b/app")
		},
		"plain folders with the same name": func(w *world) {
			w.mkdir("a/notes")
			w.mkdir("b/notes")
			w.distinct("a/notes", "b/notes", "a")
		},
		"a plain folder with a store owns its subfolders": func(w *world) {
			w.mkdir("notes/.codememory")
			w.mkdir("notes/sub/deep")
			w.same("notes", "notes/sub/deep")
		},
		"a repository without commits": func(w *world) {
			w.mkdir("app/sub")
			w.git("app", "init", "-q")
			w.same("app", "app/sub")
		},
		"through a symbolic link": func(w *world) {
			w.repo("app", "")
			if err := os.Symlink(w.path("app"), w.path("link")); err != nil {
				w.Skip("no symbolic links here:", err)
			}
			w.same("link", "app")
		},
	}
	for name, run := range tests {
		t.Run(name, func(t *testing.T) { run(newWorld(t)) })
	}
}

func TestIdentityFollowsChanges(t *testing.T) {
	tests := map[string]func(w *world){
		"a folder becomes a repository, gets commits and a remote, which is renamed": func(w *world) {
			w.mkdir("app")
			id := w.resolve("app").ID
			for _, step := range [][]string{
				{"init", "-q"},
				{"commit", "-q", "--allow-empty", "-m", "first"},
				{"remote", "add", "origin", remote},
				{"remote", "set-url", "origin", "https://gitlab.com/team/app"},
				{"remote", "remove", "origin"},
			} {
				w.git("app", step...)
				w.reopen()
				if p := w.resolve("app"); p.ID != id {
					w.Fatalf("after git %s the id is %s, was %s", strings.Join(step, " "), p.ID, id)
				}
			}
			w.repo("clone", "ssh://git@gitlab.com/team/app.git")
			w.same("app", "clone")
		},
		"a moved repository with a remote": func(w *world) {
			w.repo("app", remote)
			id := w.resolve("app").ID
			w.rename("app", "moved")
			if p := w.resolve("moved"); p.ID != id || p.Root != w.path("moved") {
				w.Errorf("got %s at %s, want %s", p.ID, p.Root, id)
			}
		},
		"a moved repository without a remote": func(w *world) {
			if runtime.GOOS == "windows" {
				w.Skip("file ids of temporary folders are not stable there")
			}
			w.repo("app", "")
			id := w.resolve("app").ID
			w.rename("app", "moved")
			p := w.resolve("moved")
			if p.ID != id || p.Root != w.path("moved") {
				w.Fatalf("got %s at %s, want %s", p.ID, p.Root, id)
			}
			if old, err := w.reg.Lookup(w.path("app")); err != nil || old.ID != id {
				w.Errorf("the old path leads to %s, %v", old.ID, err)
			}
		},
		"a copy is not a move": func(w *world) {
			w.repo("app", "")
			w.resolve("app")
			if err := os.CopyFS(w.path("copy"), os.DirFS(w.path("app"))); err != nil {
				w.Fatal(err)
			}
			w.distinct("app", "copy")
		},
		"another repository in the same place": func(w *world) {
			w.repo("app", remote)
			old := w.resolve("app")
			if err := os.RemoveAll(w.path("app")); err != nil {
				w.Fatal(err)
			}
			w.repo("app", "git@github.com:owner/another.git")
			p := w.resolve("app")
			if p.ID == old.ID {
				w.Fatal("a different repository got the memories of the one before")
			}
			w.repo("again", remote)
			if back := w.resolve("again"); back.ID != old.ID {
				w.Errorf("the first repository is %s now, was %s", back.ID, old.ID)
			}
			if again := w.resolve("app"); again.ID != p.ID {
				w.Errorf("the second is %s at its second visit, was %s", again.ID, p.ID)
			}
		},
		"two projects that get the same remote stay apart and a merge is suggested": func(w *world) {
			w.repo("a", "")
			w.repo("b", "")
			w.distinct("a", "b")
			w.git("a", "remote", "add", "origin", remote)
			w.git("b", "remote", "add", "origin", remote)
			w.distinct("a", "b")
			got, err := w.reg.Suggest(w.Context(), w.path("a"))
			if err != nil || len(got) != 1 || got[0].From.ID != w.resolve("b").ID || !strings.Contains(got[0].Reason, "github.com/owner/app") {
				w.Errorf("suggestions: %+v, %v", got, err)
			}
		},
		"a copy whose original vanished is suggested": func(w *world) {
			w.repo("app", "")
			old := w.resolve("app")
			if err := os.CopyFS(w.path("copy"), os.DirFS(w.path("app"))); err != nil {
				w.Fatal(err)
			}
			w.resolve("copy")
			if err := os.RemoveAll(w.path("app")); err != nil {
				w.Fatal(err)
			}
			got, err := w.reg.Suggest(w.Context(), w.path("copy"))
			if err != nil || len(got) != 1 || got[0].From.ID != old.ID {
				w.Errorf("suggestions: %+v, %v", got, err)
			}
		},
		"a deleted folder is still known": func(w *world) {
			w.repo("app", "")
			w.mkdir("app/sub")
			id := w.resolve("app/sub").ID
			if err := os.RemoveAll(w.path("app")); err != nil {
				w.Fatal(err)
			}
			w.same("app", "app/sub", "app/never-seen")
			if p := w.resolve("app"); p.ID != id {
				w.Errorf("got %s, want %s", p.ID, id)
			}
		},
	}
	for name, run := range tests {
		t.Run(name, func(t *testing.T) { run(newWorld(t)) })
	}
}

func TestPlacesThatAreNoProject(t *testing.T) {
	w := newWorld(t)
	home := w.repo("home", remote) // dotfiles under version control
	w.mkdir("home/notes")
	w.repo("home/src/app", "")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	w.reopen()

	dirs := []string{home, os.TempDir(), filepath.VolumeName(home) + string(filepath.Separator), filepath.Join(home, ".git")}
	for _, d := range []string{"/tmp", "/var/tmp", "/private/tmp"} {
		if _, err := os.Stat(d); err == nil {
			dirs = append(dirs, d)
		}
	}
	for _, dir := range dirs {
		p, err := w.reg.Resolve(t.Context(), dir)
		if err != nil || p.ID != codememory.UserProject {
			t.Errorf("%s is %s, %v; want the user's own store", dir, p.ID, err)
		}
	}
	if list, err := w.reg.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("registered %d projects for them, %v", len(list), err)
	}
	w.distinct("home/notes", "home/src/app", "home")
}

func TestRequestsWithBadFolders(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(w.mkdir("app"), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"empty":                  "",
		"relative":               "app",
		"dot":                    ".",
		"climbing":               w.path("app") + "/../app",
		"climbing at the end":    w.path("app") + "/..",
		"a file":                 file,
		"a file as folder":       filepath.Join(file, "x"),
		"never existed":          w.path("gone"),
		"a NUL":                  w.path("app") + "\x00",
		"longer than any path":   w.path(strings.Repeat("a/", 3000)),
		"a name longer than any": w.path(strings.Repeat("a", 300)),
	}
	for name, dir := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := project.CheckDir(dir); codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("CheckDir: %v", err)
			}
			p, err := w.reg.Resolve(t.Context(), dir)
			if codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("Resolve: %+v, %v", p, err)
			}
		})
	}
	if got, err := project.CheckDir(w.path("app") + "/./"); err != nil || got != w.path("app") {
		t.Errorf("a clean folder: %q, %v", got, err)
	}
}

func TestWithoutGitInstalled(t *testing.T) {
	w := newWorld(t)
	w.repo("app", remote)
	w.repo("other", "https://github.com/owner/app.git")
	w.git("app", "worktree", "add", "-q", w.path("feature"))
	w.mkdir("plain")
	t.Setenv("PATH", "")
	w.same("app", "feature", "other")
	w.distinct("app", "plain")
}

func TestAForeignOwnerDoesNotMatter(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() != 0 {
		t.Skip("only root can give a repository to somebody else")
	}
	w := newWorld(t)
	w.repo("theirs", remote)
	w.repo("ours", remote)
	for _, p := range []string{"theirs", "theirs/.git"} {
		if err := os.Chown(w.path(p), 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	w.same("theirs", "ours")
}

func TestAKnownFolderCostsNoWriteUntilHoursLater(t *testing.T) {
	w := newWorld(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w.reopen(project.WithClock(func() time.Time { return now }))
	w.repo("app", remote)
	first := w.resolve("app")
	file := filepath.Join(w.data, "projects.json")
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	w.resolve("app")
	if after, _ := os.Stat(file); !os.SameFile(before, after) {
		t.Error("a visit an hour later rewrote the file")
	}
	now = now.Add(10 * time.Hour)
	if p := w.resolve("app"); !p.SeenAt.Equal(now) || !p.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("seen %s, created %s", p.SeenAt, p.CreatedAt)
	}
}

func TestACloneBringsItsStore(t *testing.T) {
	w := newWorld(t)
	for rel, ignore := range map[string]string{"shared": "memories.db*\n", "private": "*\n"} {
		w.repo(rel, "")
		w.mkdir(rel + "/.codememory/memories")
		if err := os.WriteFile(w.path(rel+"/.codememory/.gitignore"), []byte(ignore), 0o644); err != nil {
			t.Fatal(err)
		}
		if p := w.resolve(rel); p.Store != w.path(rel+"/.codememory") || p.Shared != (rel == "shared") {
			t.Errorf("%s: store %q, shared %v", rel, p.Store, p.Shared)
		}
	}
	t.Run("but a store that is in use is not left for it", func(t *testing.T) {
		w.repo("late", "")
		w.resolve("late")
		w.mkdir("late/.codememory/memories")
		w.git("late", "remote", "add", "origin", remote)
		if p := w.resolve("late"); p.Store != "" {
			t.Errorf("store %q", p.Store)
		}
	})
	t.Run("and it moves with its folder", func(t *testing.T) {
		w.rename("shared", "moved")
		if p := w.resolve("moved"); runtime.GOOS != "windows" && p.Store != w.path("moved/.codememory") {
			t.Errorf("store %q", p.Store)
		}
	})
}

func BenchmarkResolveKnown(b *testing.B) {
	base, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range []string{"app/.git/objects", "app/.git/refs", "app/internal/deep"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(base, "app/.git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
	os.WriteFile(filepath.Join(base, "app/.git/config"), []byte("[remote \"origin\"]\n\turl = "+remote+"\n"), 0o644)
	reg, err := project.Open(filepath.Join(base, "data"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := reg.Resolve(b.Context(), filepath.Join(base, "app/internal/deep")); err != nil {
			b.Fatal(err)
		}
	}
}
