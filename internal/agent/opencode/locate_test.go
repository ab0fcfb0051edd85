package opencode_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
)

// environment looks variables up in a map.
func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestDatabaseIsFoundAsOpenCodeFindsIt(t *testing.T) {
	home := t.TempDir()
	share := filepath.Join(home, ".local", "share", "opencode")
	xdg := filepath.Join(home, "xdg")
	elsewhere := filepath.Join(home, "elsewhere.db")
	homeVar := "HOME"
	if runtime.GOOS == "windows" {
		homeVar = "USERPROFILE"
	}
	start := time.Now().Add(-time.Hour).Truncate(time.Second)
	for i, file := range []string{filepath.Join(share, "opencode.db"), filepath.Join(share, "opencode-dev.db"), filepath.Join(share, "mine.db"), filepath.Join(xdg, "opencode", "opencode.db"), elsewhere} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := start.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		path string
		env  map[string]string
		want []string
	}{
		{"in the home folder, all channels, last active first", "", map[string]string{homeVar: home}, []string{filepath.Join(share, "opencode-dev.db"), filepath.Join(share, "opencode.db")}},
		{"without channels", "", map[string]string{homeVar: home, "OPENCODE_DISABLE_CHANNEL_DB": "true"}, []string{filepath.Join(share, "opencode.db")}},
		{"in the data folder", "", map[string]string{homeVar: home, "XDG_DATA_HOME": xdg}, []string{filepath.Join(xdg, "opencode", "opencode.db")}},
		{"named by an absolute path", "", map[string]string{homeVar: home, "OPENCODE_DB": elsewhere}, []string{elsewhere}},
		{"named relative to the data folder", "", map[string]string{homeVar: home, "OPENCODE_DB": "mine.db"}, []string{filepath.Join(share, "mine.db")}},
		{"named by us", elsewhere, map[string]string{homeVar: home, "OPENCODE_DB": ":memory:"}, []string{elsewhere}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := opencode.New(opencode.Options{Path: tt.path, Env: environment(tt.env)}).Candidates()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range found {
				got = append(got, c.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for name, env := range map[string]map[string]string{
		"keeps nothing on disk": {homeVar: home, "OPENCODE_DB": ":memory:"},
		"looked for":            {homeVar: home, "OPENCODE_DB": "missing.db"},
		"home folder":           {},
	} {
		r := opencode.New(opencode.Options{Env: environment(env)})
		_, err := r.Check(t.Context())
		if codememory.CodeOf(err) != codememory.NotFound || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: %v", env, err)
		}
	}
}

func TestALogCountsAsActivity(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"opencode.db", "opencode.db-wal", "opencode-dev.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, "opencode.db"), old, old); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(dir, "opencode.db-wal"), later, later); err != nil {
		t.Fatal(err)
	}
	r := opencode.New(opencode.Options{Env: environment(map[string]string{"XDG_DATA_HOME": filepath.Dir(dir), "OPENCODE_DB": ""})})
	if err := os.Rename(dir, filepath.Join(filepath.Dir(dir), "opencode")); err != nil {
		t.Fatal(err)
	}
	found, err := r.Candidates()
	if err != nil || filepath.Base(found[0].Path) != "opencode.db" {
		t.Errorf("candidates %+v, %v", found, err)
	}
}

func TestTheActiveChannelIsReadAndTheOthersAreNamed(t *testing.T) {
	data := t.TempDir()
	dir := filepath.Join(data, "opencode")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	stable := opencodetest.Create(t, filepath.Join(dir, "opencode.db"))
	stable.Session("/app", "stable").Turn("q", "a")
	now := time.Now()
	r := reader(t, opencode.Options{Env: environment(map[string]string{"XDG_DATA_HOME": data}), Now: func() time.Time { return now }})
	titles := func() string {
		t.Helper()
		found, err := r.Sessions(t.Context(), codememory.SessionQuery{})
		if err != nil || len(found) != 1 {
			t.Fatalf("sessions %+v, %v", found, err)
		}
		return found[0].Title
	}
	if got := titles(); got != "stable" {
		t.Errorf("read %s", got)
	}
	_, _, mark, err := r.Changed(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	dev := opencodetest.Create(t, filepath.Join(dir, "opencode-dev.db"))
	ses := dev.Session("/app", "dev")
	ses.Turn("q", "a")
	later := now.Add(time.Hour)
	if err := os.Chtimes(dev.Path, later, later); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Minute)
	if got := titles(); got != "dev" {
		t.Errorf("after dev became active read %s", got)
	}
	changed, deleted, _, err := r.Changed(t.Context(), mark)
	if err != nil || !slices.Equal(changed, []string{ses.ID}) || len(deleted) > 0 {
		t.Errorf("changed %q, deleted %q, %v: the sessions of another database are not deleted", changed, deleted, err)
	}
	line, err := r.Check(t.Context())
	if err != nil || !strings.Contains(line, "opencode-dev.db: 1 session") || !strings.Contains(line, "not read: opencode.db") {
		t.Errorf("check %q, %v", line, err)
	}
	if got := r.Watched(); len(got) != 4 {
		t.Errorf("watched %q", got)
	}
}
