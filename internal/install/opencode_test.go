package install

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codememory"
	"codememory/internal/paths"
	opencodeplugin "codememory/plugin/opencode"

	"github.com/google/go-cmp/cmp"
)

// machine is a home with an environment.
type machine struct {
	*testing.T
	home string
	env  map[string]string
}

func newMachine(t *testing.T) machine {
	home := t.TempDir()
	return machine{t, home, map[string]string{"HOME": home, "LOCALAPPDATA": filepath.Join(home, "local"), "APPDATA": filepath.Join(home, "roaming")}}
}

func (m machine) getenv(name string) string { return m.env[name] }

func (m machine) openCode(version string) OpenCode {
	m.Helper()
	layout, err := paths.Resolve(m.getenv)
	if err != nil {
		m.Fatal(err)
	}
	o, err := FindOpenCode(m.getenv, layout, filepath.Join(m.home, "bin", "codememory"), version)
	if err != nil {
		m.Fatal(err)
	}
	return o
}

func (m machine) write(name, text string) {
	m.Helper()
	path := filepath.Join(m.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.Fatal(err)
	}
}

// tree is everything in the home: files with mode and content, folders with mode.
func (m machine) tree() map[string]string {
	m.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		name, _ := filepath.Rel(m.home, path)
		found[filepath.ToSlash(name)] = text
		return nil
	})
	if err != nil {
		m.Fatal(err)
	}
	return found
}

func (m machine) install(version string) Plan {
	m.Helper()
	plan, err := m.openCode(version).Install()
	if err != nil {
		m.Fatal(err)
	}
	return plan
}

func (m machine) uninstall() Plan {
	m.Helper()
	plan, err := m.openCode("v1").Uninstall()
	if err != nil {
		m.Fatal(err)
	}
	return plan
}

func added(before, after map[string]string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] != after[name] {
			names = append(names, name)
		}
	}
	return names
}

func TestUninstallLeavesEverythingAsItWas(t *testing.T) {
	const plugin = ".config/opencode/plugins/codememory.ts"
	cure := []string{".config/opencode/node_modules", ".config/opencode/package-lock.json"}
	tests := map[string]struct {
		before func(m machine)
		cured  bool
	}{
		"an empty home": {func(machine) {}, true},
		"OpenCode was used before": {func(m machine) {
			m.write(".config/opencode/opencode.jsonc", "{ // mine\n}")
			m.write(".config/opencode/.gitignore", "node_modules\n")
		}, true},
		"with packages of its own": {func(m machine) {
			m.write(".config/opencode/package.json", `{"dependencies":{"left-pad":"1"}}`)
			m.write(".config/opencode/package-lock.json", `{}`)
			m.write(".config/opencode/node_modules/left-pad/index.js", "x")
		}, false},
		"with a plugin of the user": {func(m machine) { m.write(".config/opencode/plugins/mine.ts", "export const x = 1") }, false},
		"with a tool of the user":   {func(m machine) { m.write(".config/opencode/tool/mine.js", "x") }, false},
		"with only node_modules":    {func(m machine) { m.write(".config/opencode/node_modules/.keep", "") }, false},
		"with our data already there": {func(m machine) {
			m.write(".local/share/codememory/token", "secret")
			m.write(".local/share/codememory/user/memories/aa.md", "text")
		}, true},
	}
	if os.PathSeparator == '\\' {
		t.Skip("the names in this table are those of other systems")
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			tt.before(m)
			before := m.tree()
			m.install("v1")
			after := m.tree()
			names := added(before, after)
			if !slices.Contains(names, plugin) {
				t.Errorf("no plugin among %q", names)
			}
			for _, file := range cure {
				if slices.Contains(names, file) != tt.cured {
					t.Errorf("made %s: %v, want %v", file, !tt.cured, tt.cured)
				}
			}
			for name, was := range before {
				if after[name] != was {
					t.Errorf("%s was changed", name)
				}
			}
			m.uninstall()
			if diff := cmp.Diff(before, m.tree()); diff != "" {
				t.Errorf("not as before (-before +after):\n%s", diff)
			}
		})
	}
}

func TestInstallTwiceChangesNothing(t *testing.T) {
	m := newMachine(t)
	m.install("v1")
	once := m.tree()
	if plan := m.install("v1"); !plan.Empty() {
		t.Errorf("the second plan is %+v", plan)
	}
	if diff := cmp.Diff(once, m.tree()); diff != "" {
		t.Errorf("changed:\n%s", diff)
	}
}

func TestPlanChangesNothing(t *testing.T) {
	m := newMachine(t)
	before := m.tree()
	plan, err := m.openCode("v1").Plan()
	if err != nil || plan.Empty() {
		t.Fatalf("got %+v, %v", plan, err)
	}
	m.check(before)
	m.install("v1")
	installed := m.tree()
	if plan, err := m.openCode("v1").PlanUninstall(); err != nil || plan.Empty() {
		t.Fatalf("got %+v, %v", plan, err)
	}
	m.check(installed)
}

func (m machine) check(want map[string]string) {
	m.Helper()
	if diff := cmp.Diff(want, m.tree()); diff != "" {
		m.Errorf("a plan changed files:\n%s", diff)
	}
}

func TestNewerVersionReplacesThePlugin(t *testing.T) {
	m := newMachine(t)
	before := m.tree()
	m.install("v1")
	plan := m.install("v2")
	data, err := os.ReadFile(m.openCode("v2").PluginFile())
	if err != nil || !strings.Contains(string(data), `const VERSION = "v2"`) {
		t.Errorf("%v; the plan was %+v", err, plan)
	}
	m.uninstall()
	if diff := cmp.Diff(before, m.tree()); diff != "" {
		t.Errorf("not as before:\n%s", diff)
	}
}

func TestForeignFileInItsPlaceIsAConflict(t *testing.T) {
	m := newMachine(t)
	o := m.openCode("v1")
	if err := os.MkdirAll(filepath.Dir(o.PluginFile()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.PluginFile(), []byte("export default 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := m.tree()
	if _, err := o.Install(); codememory.CodeOf(err) != codememory.Conflict || !strings.Contains(err.Error(), o.PluginFile()) {
		t.Errorf("got %v, want a conflict that names the file", err)
	}
	if _, err := o.Uninstall(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, m.tree()); diff != "" {
		t.Errorf("it was touched:\n%s", diff)
	}
}

func TestUninstallKeepsWhatCameLater(t *testing.T) {
	m := newMachine(t)
	o := m.openCode("v1")
	m.install("v1")
	later := map[string]string{
		filepath.Join(o.ConfigDir, "package-lock.json"):            `{"lockfileVersion":3}`,
		filepath.Join(o.ConfigDir, "node_modules", "x", "a.js"):    "x",
		filepath.Join(o.ConfigDir, "plugins", "other.ts"):          "x",
		filepath.Join(o.DataDir, "user", "memories", "mem.md"):     "x",
		filepath.Join(filepath.Dir(o.ConfigDir), "other", "c.ini"): "x",
	}
	for path, text := range later {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m.uninstall()
	for path, text := range later {
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if exists(o.PluginFile()) || exists(o.manifest()) {
		t.Error("the plugin or the manifest is still there")
	}
}

func TestCureIsTakenBackWhenAnotherPluginComes(t *testing.T) {
	m := newMachine(t)
	o := m.openCode("v1")
	m.install("v1")
	lock := filepath.Join(o.ConfigDir, "package-lock.json")
	if !exists(lock) {
		t.Fatal("no cure")
	}
	if err := os.WriteFile(filepath.Join(o.ConfigDir, "plugins", "other.ts"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	m.install("v1")
	if exists(lock) {
		t.Error("npm is still kept from installing what the other plugin needs")
	}
}

// The plugin takes the cure back by itself too, and knows it by its content.
func TestPluginKnowsTheCure(t *testing.T) {
	file, err := opencodeplugin.File("v1", "")
	if err != nil {
		t.Fatal(err)
	}
	if want := "'" + strings.TrimSuffix(npmLock, "\n") + `\n'`; !strings.Contains(string(file), want) {
		t.Errorf("the plugin does not have the line %s", want)
	}
}

func TestUninstallWithoutManifestRemovesThePlugin(t *testing.T) {
	m := newMachine(t)
	o := m.openCode("v1")
	m.install("v1")
	if err := os.Remove(o.manifest()); err != nil {
		t.Fatal(err)
	}
	m.uninstall()
	if exists(o.PluginFile()) {
		t.Error("the plugin is still there")
	}
}

func TestUnreadableManifestIsNamed(t *testing.T) {
	m := newMachine(t)
	o := m.openCode("v1")
	m.install("v1")
	if err := os.WriteFile(o.manifest(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Uninstall(); err == nil || !strings.Contains(err.Error(), o.manifest()) {
		t.Errorf("got %v", err)
	}
}

func TestWhereOpenCodeLooks(t *testing.T) {
	m := newMachine(t)
	cfg := filepath.Join(m.home, ".config", "opencode")
	tests := map[string]struct {
		env    map[string]string
		make   string
		dir    string
		others []string
	}{
		"the default":         {dir: cfg},
		"XDG_CONFIG_HOME":     {env: map[string]string{"XDG_CONFIG_HOME": filepath.Join(m.home, "xdg")}, dir: filepath.Join(m.home, "xdg", "opencode")},
		"a relative one":      {env: map[string]string{"XDG_CONFIG_HOME": "xdg"}, dir: cfg},
		"a folder of its own": {env: map[string]string{"OPENCODE_CONFIG_DIR": filepath.Join(m.home, "oc")}, dir: filepath.Join(m.home, "oc"), others: []string{cfg}},
		"an old folder":       {make: ".opencode", dir: cfg, others: []string{filepath.Join(m.home, ".opencode")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := machine{t, m.home, maps.Clone(m.env)}
			maps.Copy(m.env, tt.env)
			if tt.make != "" {
				dir := filepath.Join(m.home, tt.make)
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				defer os.Remove(dir)
			}
			o := m.openCode("v1")
			if o.ConfigDir != tt.dir || !slices.Equal(o.OtherDirs, tt.others) {
				t.Errorf("got %q and %q, want %q and %q", o.ConfigDir, o.OtherDirs, tt.dir, tt.others)
			}
		})
	}
	for _, env := range []map[string]string{{}, {"HOME": "relative"}, {"HOME": m.home, "OPENCODE_CONFIG_DIR": "oc"}} {
		if _, err := FindOpenCode(func(name string) string { return env[name] }, paths.Layout{}, "", ""); err == nil {
			t.Errorf("%v: found nevertheless", env)
		}
	}
}
