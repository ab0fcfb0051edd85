package project_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"codememory/internal/project"
)

func readJSON[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTagsAreThoseOfOlderClients(t *testing.T) {
	golden := readJSON[struct{ User, Project map[string]string }](t, "container_tags.json")
	for email, want := range golden.User {
		if got := project.UserTag("opencode", email); got != want {
			t.Errorf("UserTag(%q) = %s, want %s", email, got, want)
		}
	}
	for dir, want := range golden.Project {
		if got := project.Tag("opencode", dir); got != want {
			t.Errorf("Tag(%q) = %s, want %s", dir, got, want)
		}
	}
	if len(golden.User) == 0 || len(golden.Project) == 0 {
		t.Error("the golden file is empty")
	}
}

func TestCollectionNamesAreThoseOfMemsearch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the golden paths are those of Unix")
	}
	golden := readJSON[map[string]string](t, "memsearch_collections.json")
	for dir, want := range golden {
		if got := project.CollectionName(dir); got != want {
			t.Errorf("CollectionName(%q) = %s, want %s", dir, got, want)
		}
	}
	if len(golden) == 0 {
		t.Error("the golden file is empty")
	}
}

func TestValidTag(t *testing.T) {
	for tag, want := range map[string]bool{
		"opencode_project_62c1f4141e679940": true, "my-team.v2": true,
		"": false, "a b": false, "../x": false, "täg": false, "a\x00": false,
	} {
		if project.ValidTag(tag) != want {
			t.Errorf("ValidTag(%q) is not %v", tag, want)
		}
	}
}
