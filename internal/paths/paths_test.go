package paths

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codememory"

	"github.com/google/go-cmp/cmp"
)

// abs makes a path that is absolute on the system the test runs on.
func abs(elem ...string) string {
	root := "/"
	if os.PathSeparator == '\\' {
		root = `C:\`
	}
	return filepath.Join(append([]string{root}, elem...)...)
}

func from(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

func TestResolve(t *testing.T) {
	home := abs("none", "ada")
	tests := map[string]struct {
		goos string
		env  map[string]string
		want Layout
	}{
		"linux without XDG": {
			goos: "linux", env: map[string]string{"HOME": home},
			want: Layout{
				Data:       filepath.Join(home, ".local", "share", "codememory"),
				ConfigFile: filepath.Join(home, ".config", "codememory", "config.toml"),
				State:      filepath.Join(home, ".local", "state", "codememory"),
			},
		},
		"macOS uses the same places": {
			goos: "darwin", env: map[string]string{"HOME": home},
			want: Layout{
				Data:       filepath.Join(home, ".local", "share", "codememory"),
				ConfigFile: filepath.Join(home, ".config", "codememory", "config.toml"),
				State:      filepath.Join(home, ".local", "state", "codememory"),
			},
		},
		"XDG directories are honoured": {
			goos: "linux",
			env: map[string]string{
				"HOME": home, "XDG_DATA_HOME": abs("d"), "XDG_CONFIG_HOME": abs("c"), "XDG_STATE_HOME": abs("s"),
			},
			want: Layout{
				Data: abs("d", "codememory"), ConfigFile: abs("c", "codememory", "config.toml"), State: abs("s", "codememory"),
			},
		},
		"relative XDG directories are ignored": {
			goos: "linux",
			env:  map[string]string{"HOME": home, "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "./c", "XDG_STATE_HOME": "~/s"},
			want: Layout{
				Data:       filepath.Join(home, ".local", "share", "codememory"),
				ConfigFile: filepath.Join(home, ".config", "codememory", "config.toml"),
				State:      filepath.Join(home, ".local", "state", "codememory"),
			},
		},
		"our own variables win and need no home": {
			goos: "linux",
			env: map[string]string{
				"XDG_DATA_HOME": abs("d"), EnvData: abs("mine", "data"), EnvConfig: abs("mine", "c.jsonc"), EnvState: abs("mine", "x", "..", "log"),
			},
			want: Layout{Data: abs("mine", "data"), ConfigFile: abs("mine", "c.jsonc"), State: abs("mine", "log")},
		},
		"a tilde in our own variables is the home": {
			goos: "linux",
			env:  map[string]string{"HOME": home, EnvData: "~/mem", EnvConfig: "~/c.toml", EnvState: "~/s"},
			want: Layout{Data: filepath.Join(home, "mem"), ConfigFile: filepath.Join(home, "c.toml"), State: filepath.Join(home, "s")},
		},
		"Windows has its known folders": {
			goos: "windows",
			env:  map[string]string{"LOCALAPPDATA": abs("l"), "APPDATA": abs("r")},
			want: Layout{
				Data: abs("l", "codememory"), ConfigFile: abs("r", "codememory", "config.toml"), State: abs("l", "codememory", "state"),
			},
		},
		"Windows without known folders uses the profile": {
			goos: "windows",
			env:  map[string]string{"USERPROFILE": home},
			want: Layout{
				Data:       filepath.Join(home, "AppData", "Local", "codememory"),
				ConfigFile: filepath.Join(home, "AppData", "Roaming", "codememory", "config.toml"),
				State:      filepath.Join(home, "AppData", "Local", "codememory", "state"),
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := resolve(tt.goos, from(tt.env))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("other places (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	tests := map[string]struct {
		env  map[string]string
		code codememory.Code
		says string
	}{
		"a machine without a home":     {env: nil, code: codememory.Unavailable, says: "HOME"},
		"a relative home":              {env: map[string]string{"HOME": "ada"}, code: codememory.Unavailable, says: `"ada"`},
		"a relative data directory":    {env: map[string]string{"HOME": abs("a"), EnvData: "mem"}, code: codememory.Invalid, says: EnvData},
		"a relative configuration":     {env: map[string]string{"HOME": abs("a"), EnvConfig: "c.toml"}, code: codememory.Invalid, says: EnvConfig},
		"a tilde without a home":       {env: map[string]string{EnvData: "~/mem"}, code: codememory.Unavailable, says: "HOME"},
		"another user's home by tilde": {env: map[string]string{"HOME": abs("a"), EnvState: "~bob/s"}, code: codememory.Invalid, says: EnvState},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := resolve("linux", from(tt.env))
			if err == nil || codememory.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v (%s), want %s naming %q", err, codememory.CodeOf(err), tt.code, tt.says)
			}
		})
	}
}

func TestConfigFileIsTheFirstThatExists(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "codememory")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	env := from(map[string]string{"HOME": base, "XDG_CONFIG_HOME": base})
	check := func(want string, shadowed ...string) {
		t.Helper()
		l, err := resolve("linux", env)
		if err != nil {
			t.Fatal(err)
		}
		got := append([]string{filepath.Base(l.ConfigFile)}, baseNames(l.Shadowed)...)
		if diff := cmp.Diff(append([]string{want}, shadowed...), got); diff != "" {
			t.Errorf("other files (-want +got):\n%s", diff)
		}
	}
	touch := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check("config.toml")
	touch("config.json")
	check("config.json")
	touch("config.jsonc")
	check("config.jsonc", "config.json")
	touch("config.toml")
	check("config.toml", "config.jsonc", "config.json")
}

func baseNames(paths []string) []string {
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	return names
}

func TestProjectStoreStaysInside(t *testing.T) {
	l := Layout{Data: abs("data")}
	got, err := l.ProjectStore("web-1f2e3d")
	if want := abs("data", "projects", "web-1f2e3d"); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, id := range []string{"", ".", "..", "../user", "a/b", `a\b`, "/etc", "C:", "a/../b"} {
		if got, err := l.ProjectStore(id); codememory.CodeOf(err) != codememory.Invalid || err == nil {
			t.Errorf("id %q gave %q, %v; want it refused", id, got, err)
		}
	}
}
