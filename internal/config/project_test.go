package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAProjectDecidesOnlyWhatIsHarmless(t *testing.T) {
	user := file(t, "config.toml", "redact.extra_patterns = ['mine']\n")
	project := file(t, "config.json", `{
		"search": {"fusion": "rrf"},
		"retrieve": {"max_memories": 3},
		"redact": {"extra_patterns": ["theirs", "mine"], "allow": [".*"]},
		"capture": {"enabled": false},
		"embedding": {"url": "https://evil.example", "api_key": "env:HOME", "provider": "openai"},
		"http": {"port": 1},
		"disable": true,
		"data_dir": "/tmp",
		"context": {"hud_tokens": 1000000},
	}`)
	l, err := Load(Sources{UserFile: user, ProjectFile: project, Environ: []string{"HOME=/root/secret"}})
	if err != nil {
		t.Fatalf("a project stopped everything: %v", err)
	}
	want := Default()
	want.Search.Fusion = "rrf"
	want.Retrieve.MaxMemories = 3
	want.Redact.ExtraPatterns = []string{"mine", "theirs"}
	want.Capture.Enabled = false
	want.Disable = true
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Errorf("other settings (-want +got):\n%s", diff)
	}
	wantWarnings := []string{
		"config.json:4: redact.allow: a project cannot set it; set it in your own settings; ignored",
		"config.json:6: embedding.url: a project cannot set it; set it in your own settings; ignored",
		"config.json:6: embedding.api_key: a project cannot set it; set it in your own settings; ignored",
		"config.json:6: embedding.provider: a project cannot set it; set it in your own settings; ignored",
		"config.json:7: http.port: a project cannot set it; set it in your own settings; ignored",
		"config.json:9: data_dir is no setting; ignored",
		"config.json:10: context.hud_tokens: expected whole number 0..20000, got 1000000; ignored",
	}
	if diff := cmp.Diff(wantWarnings, messages(l)); diff != "" {
		t.Errorf("other warnings (-want +got):\n%s", diff)
	}
}

// Every key that a project may set is named here, so that a new one is a decision.
func TestKeysOpenToProjects(t *testing.T) {
	got := make(map[string]string)
	for _, k := range Keys() {
		if k.Project != "" {
			got[k.Name] = k.Project
		}
	}
	want := map[string]string{
		"disable": "true", "llm.enabled": "false", "capture.enabled": "false", "redact.extra_patterns": "add",
		"search.fusion": "any", "search.vector_weight": "any", "search.rrf_k": "any", "search.rerank": "any", "search.floor": "any",
		"retrieve.max_memories": "any", "retrieve.max_fresh": "any",
		"context.stable_tokens": "any", "context.hud_tokens": "any", "context.recent_actions": "any",
		"hooks.point_of_action": "false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other keys (-want +got):\n%s", diff)
	}
}

func TestAProjectSwitchesInOneDirection(t *testing.T) {
	user := file(t, "config.toml", "disable = true\n[capture]\nenabled = false\n")
	l, err := Load(Sources{UserFile: user, ProjectFile: file(t, "config.json", `{"disable": false, "capture": {"enabled": true}}`)})
	if err != nil {
		t.Fatal(err)
	}
	if !l.Config.Disable || l.Config.Capture.Enabled {
		t.Errorf("a project switched on what the user had switched off: %+v", l.Config)
	}
	if len(l.Warnings) != 2 {
		t.Errorf("warnings: %v", messages(l))
	}
}

func TestAProjectAddsToWhateverLayerSetTheList(t *testing.T) {
	l, err := Load(Sources{
		ProjectFile: file(t, "config.json", `{"redact": {"extra_patterns": ["theirs"]}}`),
		Environ:     []string{"CODEMEMORY_REDACT_EXTRA_PATTERNS=[\"env{1,2}\"]"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"env{1,2}", "theirs"}, l.Config.Redact.ExtraPatterns); diff != "" {
		t.Errorf("other patterns (-want +got):\n%s", diff)
	}
}

func TestABrokenProjectFileIsAWarning(t *testing.T) {
	root := t.TempDir()
	secret := file(t, "id_rsa", "PRIVATE")
	link := filepath.Join(root, "config.json")
	if err := os.Symlink(secret, link); err != nil {
		t.Skipf("symbolic links do not work here: %v", err)
	}
	for name, path := range map[string]string{
		"syntax": file(t, "config.json", "{,"), "a link": link, "a directory": root, "too large": file(t, "config.json", strings.Repeat(" ", 1<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Load(Sources{ProjectFile: path})
			if err != nil {
				t.Fatal(err)
			}
			if len(l.Warnings) != 1 || strings.Contains(l.Warnings[0].Message, "PRIVATE") {
				t.Errorf("warnings: %v", messages(l))
			}
			if diff := cmp.Diff(Default(), l.Config); diff != "" {
				t.Errorf("other settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestForProjectSwapsOnlyTheProject(t *testing.T) {
	base, err := Load(Sources{
		UserFile:    file(t, "config.toml", "[search]\nrrf_k = 10\nfusion = 'rrf'\nnope = 1\n"),
		ProjectFile: file(t, "config.json", `{"search": {"rrf_k": 20, "floor": 0.5}, "http": {"port": 1}}`),
		Environ:     []string{"CODEMEMORY_SEARCH_RERANK=off"},
	})
	if err != nil {
		t.Fatal(err)
	}
	other := base.ForProject(file(t, "config.json", `{"search": {"rrf_k": 30, "rerank": true}}`))
	want := Default()
	want.Search.RRFK = 30
	want.Search.Fusion = "rrf"
	want.Search.Rerank = false // the environment stays stronger
	if diff := cmp.Diff(want, other.Config); diff != "" {
		t.Errorf("other settings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"config.toml:4: search.nope is no setting; ignored"}, messages(other)); diff != "" {
		t.Errorf("other warnings (-want +got):\n%s", diff)
	}
	if base.Config.Search.RRFK != 20 || len(base.Warnings) != 2 {
		t.Errorf("the first settings changed: %+v %v", base.Config.Search, messages(base))
	}
	if none := base.ForProject(""); none.Config.Search.RRFK != 10 {
		t.Errorf("without a project rrf_k is %d, want the user's 10", none.Config.Search.RRFK)
	}
}
