package project_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codememory"
	"codememory/internal/project"
)

// world is a folder for repositories beside a registry.
type world struct {
	*testing.T
	base, data string
	reg        *project.Registry
	repos      int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(base, "no-such-config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Dev")
		t.Setenv("GIT_"+who+"_EMAIL", "dev@example.com")
	}
	w := &world{T: t, base: base, data: filepath.Join(base, "data")}
	w.reopen()
	return w
}

// reopen is a restart of the program.
func (w *world) reopen(opts ...project.Option) {
	w.Helper()
	reg, err := project.Open(w.data, opts...)
	if err != nil {
		w.Fatal(err)
	}
	w.reg = reg
}

func (w *world) path(rel string) string { return filepath.Join(w.base, filepath.FromSlash(rel)) }

func (w *world) mkdir(rel string) string {
	w.Helper()
	if err := os.MkdirAll(w.path(rel), 0o755); err != nil {
		w.Fatal(err)
	}
	return w.path(rel)
}

func (w *world) git(rel string, args ...string) {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = w.path(rel)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repo makes a repository with one commit of its own.
func (w *world) repo(rel, remote string) string {
	w.Helper()
	w.mkdir(rel)
	w.git(rel, "init", "-q", "-b", "main")
	w.repos++ // two commits within a second would otherwise have one id
	w.git(rel, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("start of repository %d", w.repos))
	if remote != "" {
		w.git(rel, "remote", "add", "origin", remote)
	}
	return w.path(rel)
}

func (w *world) resolve(rel string) codememory.Project {
	w.Helper()
	p, err := w.reg.Resolve(w.Context(), w.path(rel))
	if err != nil {
		w.Fatalf("resolve %s: %v", rel, err)
	}
	return p
}

// same resolves the folders and demands one project.
func (w *world) same(rels ...string) codememory.Project {
	w.Helper()
	first := w.resolve(rels[0])
	for _, rel := range rels[1:] {
		if p := w.resolve(rel); p.ID != first.ID {
			w.Errorf("%s is %s (%s), but %s is %s (%s): want one project", rels[0], first.ID, first.Name, rel, p.ID, p.Name)
		}
	}
	return first
}

// distinct resolves the folders and demands as many projects.
func (w *world) distinct(rels ...string) {
	w.Helper()
	seen := make(map[string]string)
	for _, rel := range rels {
		p := w.resolve(rel)
		if other, ok := seen[p.ID]; ok {
			w.Errorf("%s and %s are both %s: want two projects", other, rel, p.ID)
		}
		seen[p.ID] = rel
	}
}

func (w *world) rename(from, to string) {
	w.Helper()
	if err := os.Rename(w.path(from), w.path(to)); err != nil {
		w.Fatal(err)
	}
}
