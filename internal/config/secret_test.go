package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

const hush = "sk-hush-4711"

func TestASecretIsNeverPrinted(t *testing.T) {
	user := file(t, "config.toml", "embedding.api_key = '"+hush+"'\n")
	for name, environ := range map[string][]string{
		"literally in the file": nil,
		"by reference":          {"CODEMEMORY_EMBEDDING_API_KEY=env:MY_KEY", "MY_KEY=" + hush},
		"in the environment":    {"CODEMEMORY_EMBEDDING_API_KEY=" + hush},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Load(Sources{UserFile: user, Environ: environ})
			if err != nil {
				t.Fatal(err)
			}
			if got := l.Config.Embedding.APIKey.Reveal(); got != hush {
				t.Fatalf("the secret is %q", got)
			}
			var out bytes.Buffer
			for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
				fmt.Fprintf(&out, format, l.Config)
				fmt.Fprintf(&out, format, l.Config.Embedding.APIKey)
				fmt.Fprintf(&out, format, &l.Config.Embedding.APIKey)
			}
			slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "config", l.Config, "key", l.Config.Embedding.APIKey)
			slog.New(slog.NewTextHandler(&out, nil)).Info("x", "config", l.Config, "key", l.Config.Embedding.APIKey)
			if err := json.NewEncoder(&out).Encode(l.Config); err != nil {
				t.Fatal(err)
			}
			if err := toml.NewEncoder(&out).Encode(l.Config); err != nil {
				t.Fatal(err)
			}
			e, err := l.Explain("embedding.api_key")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%+v %v", e, l.Warnings)
			if strings.Contains(out.String(), hush) || strings.Contains(out.String(), fmt.Sprintf("%x", hush)) {
				t.Errorf("the secret is in:\n%s", out.String())
			}
		})
	}
}

func TestAnUnsetReferenceIsAWarning(t *testing.T) {
	l, err := Load(Sources{UserFile: file(t, "config.toml", "[embedding]\napi_key = 'env:NO_SUCH'\n")})
	if err != nil {
		t.Fatal(err)
	}
	got := messages(l)
	if len(got) != 1 || got[0] != "config.toml:2: embedding.api_key refers to the variable NO_SUCH, which is not set" {
		t.Errorf("warnings: %q", got)
	}
	if l.Config.Embedding.APIKey.IsSet() {
		t.Error("the secret counts as set")
	}
}

func TestAReadableFileWithASecretIsAWarning(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps no permission bits")
	}
	for text, want := range map[string]int{
		"embedding.api_key = '" + hush + "'": 1,
		"embedding.api_key = 'env:K'":        0,
		"embedding.api_key = ''":             0,
	} {
		user := file(t, "config.toml", text)
		if err := os.Chmod(user, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Load(Sources{UserFile: user, Environ: []string{"K=1"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Warnings) != want || want == 1 && !strings.Contains(l.Warnings[0].Message, "chmod 600") {
			t.Errorf("%s gave %q", text, messages(l))
		}
	}
}
