package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codememory"

	"github.com/google/go-cmp/cmp"
)

// file writes text under name into a fresh directory and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// messages returns the warnings with the directory of their file cut off.
func messages(l *Loaded) []string {
	var all []string
	for _, w := range l.Warnings {
		w.File = strings.TrimPrefix(w.File, filepath.Dir(w.File)+string(filepath.Separator))
		all = append(all, w.String())
	}
	return all
}

func TestLayersOverrideEachOther(t *testing.T) {
	user := file(t, "config.toml", "[search]\nrrf_k = 10\nvector_weight = 0.1\n[http]\nport = 1000\n[context]\nhud_tokens = 100\n")
	project := file(t, "config.json", `{"search": {"vector_weight": 0.2, "floor": 0.3}, "context": {"hud_tokens": 200}}`)
	l, err := Load(Sources{
		UserFile: user, ProjectFile: project,
		Environ: []string{"CODEMEMORY_SEARCH_FLOOR=0.4", "CODEMEMORY_CONTEXT_HUD_TOKENS=300", "CODEMEMORY_DATA_DIR=/x", "HOME=/y", "CODEMEMORY_HTTP_PORT="},
		Flags:   map[string]string{"context.hud_tokens": "400"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Search.RRFK = 10
	want.HTTP.Port = 1000
	want.Search.VectorWeight = 0.2
	want.Search.Floor = Floor{Value: 0.4, IsSet: true}
	want.Context.HUDTokens = 400
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Errorf("other settings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string(nil), messages(l)); diff != "" {
		t.Errorf("warnings:\n%s", diff)
	}

	e, err := l.Explain("context.hud_tokens")
	if err != nil {
		t.Fatal(err)
	}
	wantLayers := []Statement{
		{Layer: LayerDefault, Value: "400"},
		{Layer: LayerUser, File: user, Line: 7, Value: "100"},
		{Layer: LayerProject, File: project, Line: 1, Value: "200"},
		{Layer: LayerEnv, Name: "CODEMEMORY_CONTEXT_HUD_TOKENS", Value: "300"},
		{Layer: LayerFlag, Name: "context.hud_tokens", Value: "400"},
	}
	if diff := cmp.Diff(wantLayers, e.Layers); diff != "" {
		t.Errorf("other layers (-want +got):\n%s", diff)
	}
	if e.From.Layer != LayerFlag || e.Value != "400" {
		t.Errorf("%s from %s, want 400 from the flag", e.Value, e.From.Layer)
	}
	if _, err := l.Explain("http.prot"); codememory.CodeOf(err) != codememory.NotFound || !strings.Contains(err.Error(), "http.port") {
		t.Errorf("got %v, want not_found with http.port", err)
	}
}

func TestNothingToReadIsTheDefault(t *testing.T) {
	l, err := Load(Sources{UserFile: filepath.Join(t.TempDir(), "config.toml"), ProjectFile: ProjectFile(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), l.Config); diff != "" {
		t.Errorf("other settings (-want +got):\n%s", diff)
	}
}

func TestAllFormatsSayTheSame(t *testing.T) {
	want := Default()
	want.Disable = true
	want.Daemon.IdleExit = Duration{}
	want.Embedding.Timeout = Duration{90 * time.Second}
	want.Projects.Ignore = []string{"/tmp/*", "~/x"}
	for name, text := range map[string]string{
		"config.toml":  "disable = true # off\ndaemon = { idle_exit = 0 }\nembedding.timeout = '90s'\n[projects]\nignore = [\n  '/tmp/*',\n  '~/x',\n]\n",
		"config.jsonc": "{\n// off\n\"disable\": true, \"daemon\": {\"idle_exit\": \"0\"},\n\"embedding.timeout\": \"1m30s\",\n\"projects\": {\"ignore\": [\"/tmp/*\", \"~/x\",]},\n}",
		"bom.toml":     "\xef\xbb\xbfdisable = true\r\n[daemon]\r\nidle_exit = \"0s\"\r\n[embedding]\r\ntimeout = \"90s\"\r\n[projects]\r\nignore = [\"/tmp/*\", \"~/x\"]\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Load(Sources{UserFile: file(t, name, text)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, l.Config); diff != "" {
				t.Errorf("other settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrongValuesAreNamedAndLeftOut(t *testing.T) {
	tests := map[string]struct {
		name, text string
		env        []string
		says       []string
	}{
		"a text for a number": {
			name: "config.toml", text: "[http]\n# the port\nport = \"abc\"\ncompat_port = 8020\n",
			says: []string{"config.toml:3: http.port: expected whole number 0..65535, got the text \"abc\""},
		},
		"a number out of range": {
			name: "config.jsonc", text: "{\n\"http\": {\n\"port\": 70000, \"compat_port\": 8020}}",
			says: []string{"config.jsonc:3: http.port: expected whole number 0..65535, got 70000"},
		},
		"a fraction for a whole number": {
			name: "config.json", text: "{\"http\": {\"port\": 1.5, \"compat_port\": 8020}}", says: []string{"http.port: expected whole number"},
		},
		"a choice that does not exist": {
			name: "config.toml", text: "embedding.provider = \"openia\"\nhttp.compat_port = 8020",
			says: []string{"config.toml:1: embedding.provider: expected one of builtin, ollama, openai, none, got the text \"openia\""},
		},
		"a value where a group belongs": {
			name: "config.toml", text: "search = 3\n[http]\ncompat_port = 8020", says: []string{"config.toml:1: search: it is a group"},
		},
		"a group where a value belongs": {
			name: "config.toml", text: "[http.port]\nx = 1\n[http]\ncompat_port = 8020", says: []string{"http.port: expected whole number 0..65535, got a table"},
		},
		"null": {name: "config.json", text: `{"timezone": null, "http.compat_port": 8020}`, says: []string{"timezone: expected text, got null"}},
		"a duration without a unit": {
			name: "config.toml", text: "daemon.idle_exit = 30\nhttp.compat_port = 8020", says: []string{`daemon.idle_exit: expected duration such as "30m", got 30`},
		},
		"a negative duration": {
			name: "config.toml", text: "daemon.idle_exit = \"-1m\"\nhttp.compat_port = 8020", says: []string{`daemon.idle_exit: expected duration`},
		},
		"a bad pattern": {
			name: "config.toml", text: "redact.extra_patterns = ['(']\nhttp.compat_port = 8020", says: []string{"redact.extra_patterns", "no regular expression"},
		},
		"a bad address": {name: "config.toml", text: "embedding.url = 'localhost:11434'\nhttp.compat_port = 8020", says: []string{"embedding.url", "http://"}},
		"a bad zone":    {name: "config.toml", text: "timezone = 'Mars/Base'\nhttp.compat_port = 8020", says: []string{"timezone", "Mars/Base"}},
		"several at once, the environment too": {
			name: "config.toml", text: "disable = 'x'\n[http]\nport = true\ncompat_port = 8020",
			env:  []string{"CODEMEMORY_DAEMON_AUTOSTART=perhaps"},
			says: []string{"config.toml:1: disable: expected true or false", "config.toml:3: http.port", "environment CODEMEMORY_DAEMON_AUTOSTART: daemon.autostart: expected true or false"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, err := Load(Sources{UserFile: file(t, tt.name, tt.text), Environ: tt.env})
			if codememory.CodeOf(err) != codememory.Invalid {
				t.Fatalf("got %v (%s), want invalid", err, codememory.CodeOf(err))
			}
			for _, says := range tt.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("error %q does not say %q", err, says)
				}
			}
			want := Default()
			want.HTTP.CompatPort = 8020 // what is right still counts
			if diff := cmp.Diff(want, l.Config); diff != "" {
				t.Errorf("other settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestABrokenUserFileLeavesTheOtherLayers(t *testing.T) {
	for name, tt := range map[string]struct{ name, text, says string }{
		"toml":            {"config.toml", "[http]\nport = 1\n[[[\n", "config.toml:3: "},
		"a key twice":     {"config.toml", "[http]\nport = 1\nport = 2\n", "config.toml:3: "},
		"jsonc":           {"config.jsonc", "{\n\"http\": {\"port\": 1,,}}", "config.jsonc:2: "},
		"not an object":   {"config.json", "[1]", "config.json:1: expected an object"},
		"too large a one": {"config.toml", strings.Repeat("# long\n", 1<<16), "at most"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Load(Sources{UserFile: file(t, tt.name, tt.text), Environ: []string{"CODEMEMORY_LOG_LEVEL=debug"}})
			if codememory.CodeOf(err) != codememory.Invalid || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v (%s), want invalid saying %q", err, codememory.CodeOf(err), tt.says)
			}
			want := Default()
			want.Log.Level = "debug"
			if diff := cmp.Diff(want, l.Config); diff != "" {
				t.Errorf("other settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownNamesGetASuggestion(t *testing.T) {
	l, err := Load(Sources{
		UserFile: file(t, "config.toml", "port = 1\n[embeding]\nprovider = 'none'\n[http]\nPort = 2\nzzz = 1\n[[roles]]\na = 1\n"),
		Environ:  []string{"CODEMEMORY_HTTP_PROT=1", "CODEMEMORY_CHILD=1", "CODEMEMORY_XYZZY=1"},
		KnownEnv: []string{"CODEMEMORY_CHILD"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"config.toml:1: port is no setting (did you mean http.port?); ignored",
		"config.toml:3: embeding.provider is no setting (did you mean embedding.provider?); ignored",
		"config.toml:5: http.Port is no setting (did you mean http.port?); ignored",
		"config.toml:6: http.zzz is no setting; ignored",
		"the variable CODEMEMORY_HTTP_PROT is no setting (did you mean CODEMEMORY_HTTP_PORT?); ignored",
		"the variable CODEMEMORY_XYZZY is no setting; ignored",
	}
	got := messages(l)
	got = append(got[:0:0], without(got, "roles")...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other warnings (-want +got):\n%s", diff)
	}
	if _, err := Load(Sources{Flags: map[string]string{"http.prot": "1"}}); codememory.CodeOf(err) != codememory.Invalid || !strings.Contains(err.Error(), "http.port") {
		t.Errorf("unknown flag gave %v", err)
	}
}

func without(list []string, word string) []string {
	var rest []string
	for _, s := range list {
		if !strings.Contains(s, word) {
			rest = append(rest, s)
		}
	}
	return rest
}

func TestExplainNamesWhatWasRefused(t *testing.T) {
	l, _ := Load(Sources{UserFile: file(t, "config.toml", "[http]\nport = 'x'\n")})
	e, err := l.Explain("http.port")
	if err != nil {
		t.Fatal(err)
	}
	if e.From.Layer != LayerDefault || len(e.Layers) != 2 || e.Layers[1].Ignored == "" || e.Layers[1].Line != 2 {
		t.Errorf("got %+v", e)
	}
}

func TestLoadingIsFast(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its file system is too uneven for a bound")
	}
	user := file(t, "config.toml", "[http]\nport = 1\n[redact]\nextra_patterns = ['a+', 'b+']\n")
	best := time.Hour
	for range 20 {
		start := time.Now()
		if _, err := Load(Sources{UserFile: user, Environ: os.Environ()}); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	if best > 5*time.Millisecond { // hooks load settings on every turn
		t.Errorf("loading takes %v", best)
	}
	t.Logf("loading takes %v", best)
}
