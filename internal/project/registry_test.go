package project_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/project"
)

func TestLookupByEveryName(t *testing.T) {
	w := newWorld(t)
	w.repo("app", remote)
	w.mkdir("app/sub")
	w.mkdir("notes")
	app, notes := w.same("app", "app/sub"), w.resolve("notes")
	tests := map[string]struct {
		ref, want string
		code      codememory.Code
	}{
		"id":                                 {ref: app.ID, want: app.ID},
		"prefix of an id":                    {ref: app.ID[:8], want: app.ID},
		"prefix in upper case":               {ref: strings.ToUpper(app.ID[:8]), want: app.ID},
		"name":                               {ref: "app", want: app.ID},
		"name in another case":               {ref: "Notes", want: notes.ID},
		"path":                               {ref: w.path("app"), want: app.ID},
		"path of a subfolder":                {ref: w.path("app/other/deep"), want: app.ID},
		"remote":                             {ref: "https://github.com/owner/app.git", want: app.ID},
		"remote as shown":                    {ref: "GitHub.com/owner/app", want: app.ID},
		"container tag":                      {ref: project.Tag("opencode", w.path("app")), want: app.ID},
		"container tag with a prefix":        {ref: project.Tag("my_team", w.path("app")), want: app.ID},
		"container tag of a subfolder":       {ref: project.Tag("opencode", w.path("app/sub")), want: app.ID},
		"collection name":                    {ref: project.CollectionName(w.path("app")), want: app.ID},
		"the user":                           {ref: "user", want: codememory.UserProject},
		"container tag of a person":          {ref: project.UserTag("opencode", "dev@example.com"), want: codememory.UserProject},
		"nothing":                            {ref: "", code: codememory.Invalid},
		"unknown name":                       {ref: "nope", code: codememory.NotFound},
		"unknown path":                       {ref: w.path("elsewhere"), code: codememory.NotFound},
		"subfolder of a plain folder":        {ref: w.path("notes/sub"), code: codememory.NotFound},
		"unknown tag":                        {ref: project.Tag("opencode", "/nope"), code: codememory.NotFound},
		"one letter does not identify an id": {ref: "p", code: codememory.NotFound},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := w.reg.Lookup(tt.ref)
			if tt.code != "" {
				if err == nil || codememory.CodeOf(err) != tt.code {
					t.Errorf("Lookup(%q) = %s, %v; want %s", tt.ref, got.ID, err, tt.code)
				}
				return
			}
			if err != nil || got.ID != tt.want {
				t.Errorf("Lookup(%q) = %s, %v; want %s", tt.ref, got.ID, err, tt.want)
			}
		})
	}
}

func TestNamesAreUniqueInLists(t *testing.T) {
	w := newWorld(t)
	w.mkdir("work/app")
	w.mkdir("play/app")
	w.repo("clone", "git@github.com:Owner/App.git")
	w.distinct("work/app", "play/app", "clone")
	names := func() []string {
		t.Helper()
		list, err := w.reg.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range list {
			names = append(names, p.Name)
		}
		slices.Sort(names)
		return names
	}
	if diff := cmp.Diff([]string{"owner/app", "play/app", "work/app"}, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := w.reg.Lookup("app"); codememory.CodeOf(err) != codememory.Conflict || !strings.Contains(err.Error(), "play/app") {
		t.Errorf("an ambiguous name: %v", err)
	}
	if p, err := w.reg.Lookup("play/app"); err != nil || p.ID != w.resolve("play/app").ID {
		t.Errorf("a shown name: %s, %v", p.ID, err)
	}
	if _, err := w.reg.Rename(t.Context(), "play/app", "toys"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"owner/app", "toys", "work/app"}, names()); diff != "" {
		t.Errorf("after a rename (-want +got):\n%s", diff)
	}
	if _, err := w.reg.Rename(t.Context(), "work/app", "Toys"); codememory.CodeOf(err) != codememory.Conflict {
		t.Errorf("a name given twice: %v", err)
	}
	for _, bad := range []string{"", " ", "user", "a\nb", "/etc", strings.Repeat("x", 101)} {
		if _, err := w.reg.Rename(t.Context(), "toys", bad); err == nil {
			t.Errorf("the name %q was accepted", bad)
		}
	}
	w.reopen()
	if p := w.resolve("play/app"); p.Name != "toys" {
		t.Errorf("the given name did not stay: %q", p.Name)
	}
}

func TestProjectsOfClientsThatOnlyKnowTags(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	tag := project.Tag("opencode", w.path("app"))
	early, err := w.reg.ResolveTag(ctx, tag)
	if err != nil {
		t.Fatal(err)
	}
	userTag := project.UserTag("opencode", "dev@example.com")
	for tag, name := range map[string]string{tag: "my app", userTag: "Dev", "custom.tag": "my app"} {
		if err := w.reg.SetName(ctx, tag, name); err != nil {
			t.Fatal(err)
		}
	}
	w.repo("app", remote)
	if p := w.resolve("app"); p.ID != early.ID || p.Name != "owner/my app" { // two have the name "my app"
		t.Errorf("the folder is %s (%s), its tag was %s", p.ID, p.Name, early.ID)
	}
	want := map[string]string{tag: "my app", userTag: "Dev", "custom.tag": "my app"}
	if got, err := w.reg.Names(ctx, "opencode"); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("names: %v, %v", got, err)
	}
	if p, err := w.reg.ResolveTag(ctx, userTag); err != nil || p.ID != codememory.UserProject {
		t.Errorf("a person's tag is %s, %v", p.ID, err)
	}
	for _, bad := range []string{"", "a b", "../../etc"} {
		if _, err := w.reg.ResolveTag(ctx, bad); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("tag %q: %v", bad, err)
		}
		if err := w.reg.SetName(ctx, bad, "x"); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("name for tag %q: %v", bad, err)
		}
	}
	t.Run("a tag that comes after its folder", func(t *testing.T) {
		w.mkdir("notes")
		notes := w.resolve("notes")
		p, err := w.reg.ResolveTag(ctx, project.Tag("other", w.path("notes")))
		if err != nil || p.ID != notes.ID {
			t.Errorf("got %s, %v; want %s", p.ID, err, notes.ID)
		}
	})
}

func TestMergeForgetPruneSetStore(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.repo("a", "")
	w.repo("b", "")
	w.mkdir("c")
	w.distinct("a", "b", "c")
	a, b, c := w.resolve("a"), w.resolve("b"), w.resolve("c")

	if _, err := w.reg.Merge(ctx, "a", a.ID); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("merged with itself: %v", err)
	}
	if _, err := w.reg.Merge(ctx, "user", a.ID); err == nil {
		t.Error("the user's store was merged")
	}
	if p, err := w.reg.Merge(ctx, b.ID, "a"); err != nil || p.ID != a.ID {
		t.Fatalf("merge: %s, %v", p.ID, err)
	}
	if p, err := w.reg.Merge(ctx, "a", c.ID); err != nil || p.ID != c.ID {
		t.Fatalf("second merge: %s, %v", p.ID, err)
	}
	w.reopen()
	if p := w.same("a", "b", "c"); p.ID != c.ID {
		t.Errorf("all are %s, want %s", p.ID, c.ID)
	}
	if p, err := w.reg.Lookup(b.ID); err != nil || p.ID != c.ID {
		t.Errorf("the id that was merged twice leads to %s, %v", p.ID, err)
	}

	store := filepath.Join(w.path("c"), project.StoreDir)
	if p, err := w.reg.SetStore(ctx, c.ID, store, true); err != nil || p.Store != store || !p.Shared {
		t.Errorf("store: %+v, %v", p, err)
	}
	if _, err := w.reg.SetStore(ctx, c.ID, "relative", true); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("relative store: %v", err)
	}
	if p, err := w.reg.SetStore(ctx, c.ID, "", true); err != nil || p.Store != "" || p.Shared {
		t.Errorf("store taken back: %+v, %v", p, err)
	}

	for _, rel := range []string{"a", "b", "c"} {
		if err := os.RemoveAll(w.path(rel)); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := w.reg.Prune(ctx)
	if err != nil || len(gone) != 2 {
		t.Errorf("pruned %v, %v; want two of three", gone, err)
	}
	for _, rel := range []string{"a", "b", "c"} {
		if p, err := w.reg.Lookup(w.path(rel)); err != nil || p.ID != c.ID {
			t.Errorf("%s is not known any more: %v", rel, err)
		}
	}

	if err := w.reg.Forget(ctx, c.ID); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{a.ID, b.ID, c.ID} {
		if _, err := w.reg.Lookup(id); codememory.CodeOf(err) != codememory.NotFound {
			t.Errorf("%s after forgetting: %v", id, err)
		}
	}
	w.mkdir("c")
	if p := w.resolve("c"); p.ID != c.ID {
		t.Errorf("registered again as %s, was %s", p.ID, c.ID)
	}
}

func TestADamagedFileIsSetAside(t *testing.T) {
	for name, damage := range map[string]string{
		"cut off":      `{"version":1,"projects":[{"id":"p00`,
		"empty":        "",
		"binary":       "\x00\x01\x02",
		"another JSON": `["x"]`,
		"no version":   `{}`,
		"bad id":       `{"version":1,"projects":[{"id":"../../x"}]}`,
		"null":         `{"version":1,"projects":[null]}`,
		"twice":        `{"version":1,"projects":[{"id":"p0123456789abcdef"},{"id":"p0123456789abcdef"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo("app", remote)
			id := w.resolve("app").ID
			file := filepath.Join(w.data, "projects.json")
			if err := os.WriteFile(file, []byte(damage), 0o600); err != nil {
				t.Fatal(err)
			}
			if p := w.resolve("app"); p.ID != id { // the running program
				t.Errorf("got %s, want %s", p.ID, id)
			}
			if len(w.reg.Warnings()) != 1 || len(w.reg.Warnings()) != 0 {
				t.Error("want one warning, once")
			}
			aside, _ := filepath.Glob(file + ".corrupt-*")
			if len(aside) != 1 {
				t.Fatalf("set aside: %v", aside)
			}
			if kept, _ := os.ReadFile(aside[0]); string(kept) != damage {
				t.Error("what was set aside is not what was there")
			}
			w.reopen()
			if p, err := w.reg.Lookup("app"); err != nil || p.ID != id {
				t.Errorf("after a restart: %s, %v", p.ID, err)
			}
		})
	}
}

func TestAFileOfTheFutureIsLeftAlone(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "projects.json")
	future := []byte(`{"version":99,"projects":{}}`)
	for _, content := range [][]byte{[]byte(`{"version":99,"projects":[],"more":1}`), future} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := project.Open(data); codememory.CodeOf(err) != codememory.Conflict {
			t.Errorf("open: %v", err)
		}
		if kept, _ := os.ReadFile(file); !bytes.Equal(kept, content) {
			t.Error("it was changed")
		}
	}
}

func TestTheFileIsReadableAndStable(t *testing.T) {
	w := newWorld(t)
	w.repo("a & b", "https://secret-token@github.com/owner/app.git")
	w.mkdir("z")
	w.resolve("z")
	w.resolve("a & b")
	file := filepath.Join(w.data, "projects.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("secret-token")) {
		t.Error("the file holds a credential")
	}
	if !bytes.Contains(data, []byte("a & b\"")) || !json.Valid(data) {
		t.Errorf("not readable:\n%s", data)
	}
	if info, _ := os.Stat(file); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if _, err := w.reg.Prune(t.Context()); err != nil { // nothing to do
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(file); !bytes.Equal(data, again) {
		t.Errorf("rewritten differently:\n%s", cmp.Diff(string(data), string(again)))
	}
}

func TestADataDirectoryThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	w.repo("app", remote)
	if err := os.WriteFile(w.path("file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w.data = w.path("file/data") // below a file: also root cannot create it
	reg, err := project.Open(w.data)
	if err != nil {
		t.Logf("open says: %v", err)
		return
	}
	if p, err := reg.Resolve(t.Context(), w.path("app")); err == nil {
		t.Errorf("registered %s where nothing can be written", p.ID)
	}
}
