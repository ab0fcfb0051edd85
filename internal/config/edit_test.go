package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"codememory"

	"github.com/google/go-cmp/cmp"
)

func TestSetKeepsEverythingElse(t *testing.T) {
	tests := map[string]struct {
		name, before string
		key, value   string
		after        string
	}{
		"toml: into nothing": {"c.toml", "", "http.port", "1", "[http]\nport = 1\n"},
		"toml: a value keeps its comment": {
			"c.toml", "# mine\n[http]\n  port   =  9473   # why\n\n[log]\nlevel = 'info'\n", "http.port", "1",
			"# mine\n[http]\n  port   =  1   # why\n\n[log]\nlevel = 'info'\n",
		},
		"toml: a new key joins its table": {
			"c.toml", "[http]\n  port = 1 # p\n\n# logs\n[log]\nlevel = 'info'", "http.compat_port", "8020",
			"[http]\n  port = 1 # p\n  compat_port = 8020\n\n# logs\n[log]\nlevel = 'info'",
		},
		"toml: a new key in an empty table": {"c.toml", "[http] # h\n[log]\n", "http.port", "1", "[http] # h\nport = 1\n[log]\n"},
		"toml: at the end without line break": {
			"c.toml", "[log]\nlevel = 'info'", "log.keep", "5", "[log]\nlevel = 'info'\nkeep = 5\n",
		},
		"toml: a new table goes to the end": {"c.toml", "disable = false", "log.level", "debug", "disable = false\n\n[log]\nlevel = \"debug\"\n"},
		"toml: dotted keys stay dotted": {
			"c.toml", "http.port = 1\ntimezone = ''\n", "http.compat_port", "2", "http.port = 1\nhttp.compat_port = 2\ntimezone = ''\n",
		},
		"toml: an inline table grows": {
			"c.toml", "http = { port = 1 } # h\n", "http.compat_port", "2", "http = { port = 1, compat_port = 2 } # h\n",
		},
		"toml: an empty inline table": {"c.toml", "http = {}\n", "http.port", "2", "http = { port = 2 }\n"},
		"toml: inside an inline table": {
			"c.toml", "http = { port = 1, compat_port = 3 }\n", "http.port", "2", "http = { port = 2, compat_port = 3 }\n",
		},
		"toml: a root key above the tables": {
			"c.toml", "# file\n\n# http\n[http]\nport = 1\n", "timezone", "UTC", "# file\n\ntimezone = \"UTC\"\n\n# http\n[http]\nport = 1\n",
		},
		"toml: a list over several lines": {
			"c.toml", "[projects]\nignore = [\n  'a', # x\n]\n[log]\n", "projects.ignore", `["b", "c\\d"]`, "[projects]\nignore = [\"b\", 'c\\d']\n[log]\n",
		},
		"toml: windows line ends": {"c.toml", "[http]\r\nport = 1\r\n", "http.compat_port", "2", "[http]\r\nport = 1\r\ncompat_port = 2\r\n"},
		"toml: a byte order mark": {"c.toml", "\xef\xbb\xbfdisable = false\n", "disable", "1", "\xef\xbb\xbfdisable = true\n"},
		"toml: unknown keys stay": {"c.toml", "[x.y]\nz = 1979-05-27\n", "disable", "on", "disable = true\n\n[x.y]\nz = 1979-05-27\n"},
		"jsonc: into nothing": {
			"c.json", "", "search.floor", "0.3", "{\n  \"search\": {\n    \"floor\": 0.3\n  }\n}\n",
		},
		"jsonc: a value keeps its comments": {
			"c.jsonc", "{\n  // p\n  \"http\": {\"port\": /* x */ 1 /* y */}, // end\n}", "http.port", "2",
			"{\n  // p\n  \"http\": {\"port\": /* x */ 2 /* y */}, // end\n}",
		},
		"jsonc: a new key is indented like its siblings": {
			"c.jsonc", "{\n\t\"search\": {\n\t\t\"rrf_k\": 1 // k\n\t}\n}\n", "search.floor", "1",
			"{\n\t\"search\": {\n\t\t\"rrf_k\": 1, // k\n\t\t\"floor\": 1\n\t}\n}\n",
		},
		"jsonc: trailing commas stay the habit": {
			"c.jsonc", "{\n  \"disable\": false,\n}", "timezone", "UTC", "{\n  \"disable\": false,\n  \"timezone\": \"UTC\",\n}",
		},
		"jsonc: on one line":  {"c.json", `{"disable": false}`, "timezone", "UTC", `{"disable": false, "timezone": "UTC"}`},
		"jsonc: dotted names": {"c.json", `{"http.port": 1}`, "http.port", "2", `{"http.port": 2}`},
		"jsonc: a list":       {"c.json", `{"redact": {"allow": []}}`, "redact.allow", "<a,b>\nc", `{"redact": {"allow": ["<a,b>","c"]}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := file(t, tt.name, tt.before)
			if err := Set(path, tt.key, tt.value); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("other text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnset(t *testing.T) {
	tests := map[string]struct {
		name, before, key, after string
		missing                  bool
	}{
		"toml: a line with its comment": {name: "c.toml", before: "[http]\n# p\nport = 1 # x\ncompat_port = 2\n", key: "http.port", after: "[http]\n# p\ncompat_port = 2\n"},
		"toml: a list of lines":         {name: "c.toml", before: "projects.ignore = [\n 'a',\n]\ndisable = true", key: "projects.ignore", after: "disable = true"},
		"toml: first of inline":         {name: "c.toml", before: "http = { port = 1, compat_port = 2 }", key: "http.port", after: "http = { compat_port = 2 }"},
		"toml: last of inline":          {name: "c.toml", before: "http = { port = 1, compat_port = 2 }", key: "http.compat_port", after: "http = { port = 1 }"},
		"toml: not there":               {name: "c.toml", before: "disable = true\n", key: "http.port", after: "disable = true\n", missing: true},
		"toml: a key nobody knows":      {name: "c.toml", before: "old = 1\ndisable = true\n", key: "old", after: "disable = true\n"},
		"jsonc: first": {
			name: "c.jsonc", before: "{\n  // d\n  \"disable\": true, // x\n  // t\n  \"timezone\": \"\" // y\n}", key: "disable",
			after: "{\n  // t\n  \"timezone\": \"\" // y\n}",
		},
		"jsonc: last": {
			name: "c.jsonc", before: "{\n  \"disable\": true, // x\n  // t\n  \"timezone\": \"\" // y\n}", key: "timezone",
			after: "{\n  \"disable\": true // x\n}",
		},
		"jsonc: last with comma": {name: "c.jsonc", before: "{\n  \"disable\": true,\n  \"timezone\": \"\",\n}", key: "timezone", after: "{\n  \"disable\": true,\n}"},
		"jsonc: before the brace": {
			name: "c.jsonc", before: "{\"disable\": true, // x\n\"timezone\": \"\"}", key: "timezone", after: "{\"disable\": true // x\n}",
		},
		"jsonc: twice": {name: "c.jsonc", before: `{"http": {"port": 1}, "http.port": 2}`, key: "http.port", after: `{"http": {}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := file(t, tt.name, tt.before)
			was, err := Unset(path, tt.key)
			if err != nil {
				t.Fatal(err)
			}
			if was == tt.missing {
				t.Errorf("reports %v", was)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("other text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	tests := map[string]struct {
		set        func(file, key, value string) error
		text       string
		key, value string
		code       codememory.Code
	}{
		"an unknown key":       {set: Set, key: "http.prot", value: "1", code: codememory.NotFound},
		"a wrong value":        {set: Set, key: "http.port", value: "x", code: codememory.Invalid},
		"a file with an error": {set: Set, text: "[http\n", key: "http.port", value: "1", code: codememory.Invalid},
		"a project's port":     {set: SetProject, key: "http.port", value: "1", code: codememory.Forbidden},
		"a project's capture":  {set: SetProject, key: "capture.enabled", value: "true", code: codememory.Forbidden},
		"a group that is none": {set: Set, text: "http = 3\n", key: "http.port", value: "1", code: codememory.Conflict},
		"a list of tables":     {set: Set, text: "[[http]]\n", key: "http.port", value: "1", code: codememory.Conflict},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := file(t, "config.toml", tt.text)
			err := tt.set(path, tt.key, tt.value)
			if err == nil || codememory.CodeOf(err) != tt.code {
				t.Errorf("got %v (%s), want %s", err, codememory.CodeOf(err), tt.code)
			}
			if got, _ := os.ReadFile(path); string(got) != tt.text {
				t.Errorf("the file became %q", got)
			}
		})
	}
}

func TestSetMakesPrivateFilesAndFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps no permission bits")
	}
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles.toml"), filepath.Join(dir, "new", "config.toml")
	if err := Set(real, "disable", "true"); err != nil {
		t.Fatal(err)
	}
	wantMode(t, real, 0o600)
	if err := os.Chmod(real, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := Set(link, "embedding.api_key", "env:KEY"); err != nil {
		t.Fatal(err)
	}
	wantMode(t, real, 0o644)
	if err := Set(link, "embedding.api_key", hush); err != nil {
		t.Fatal(err)
	}
	wantMode(t, real, 0o600)
	if got, _ := os.ReadFile(real); !strings.Contains(string(got), hush) {
		t.Errorf("the file behind the link is %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != want {
		t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
	}
}
