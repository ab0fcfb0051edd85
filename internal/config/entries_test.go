package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"codememory"
)

const llmFile = `[llm]
provider = "local"
[llm.budget]
usd = 0.5
[llm.providers.local]
type = "ollama"
model = "qwen3:8b"
[llm.providers.big-one]
type = "anthropic"
api_key = "env:BIG_KEY"
price_input = 3.0
[llm.roles.extract]
provider = "big-one"
fallback = ["local"]
timeout = "90s"
`

func TestNamedEntries(t *testing.T) {
	l, err := Load(Sources{UserFile: file(t, "config.toml", llmFile), Environ: []string{
		"BIG_KEY=" + hush, "CODEMEMORY_LLM_ROLES_EXTRACT_MODEL=other", "CODEMEMORY_LLM_PROVIDERS_BIG_ONE_CONTEXT=9000", "CODEMEMORY_LLM_BUDGET_TOKENS=5",
	}})
	if err != nil || len(l.Warnings) > 0 {
		t.Fatal(err, l.Warnings)
	}
	c := l.Config.LLM
	big, extract := c.Providers["big-one"], c.Roles["extract"]
	if c.Provider != "local" || c.Budget.USD != 0.5 || c.Budget.Tokens != 5 || len(c.Providers) != 2 || c.Providers["local"].Model != "qwen3:8b" ||
		big.APIKey.Reveal() != hush || big.PriceInput != 3 || big.Context != 9000 || extract.Provider != "big-one" || extract.Model != "other" || extract.Timeout.String() != "1m30s" || len(extract.Fallback) != 1 {
		t.Errorf("got %+v", c)
	}
	e, err := l.Explain("llm.providers.big-one.api_key")
	if err != nil || e.Value != "env:BIG_KEY" || e.From.Line == 0 {
		t.Errorf("explained as %+v, %v", e, err)
	}
	names := map[string]bool{}
	for _, k := range l.Keys() {
		names[k.Name] = true
		if strings.Contains(k.Default, hush) {
			t.Error("the key shows")
		}
	}
	if !names["llm.providers.local.type"] || !names["http.port"] || names["llm.providers.NAME.type"] {
		t.Errorf("keys %v", names)
	}
}

func TestEntriesThatCannotBe(t *testing.T) {
	for name, text := range map[string]string{
		"a role nobody has":   "[llm.roles.extrakt]\nprovider = \"x\"\n",
		"a key nobody has":    "[llm.providers.x]\nmode = \"x\"\n",
		"a name in bad taste": "[llm.providers.\"My Own\"]\ntype = \"ollama\"\n",
	} {
		l, err := Load(Sources{UserFile: file(t, "config.toml", text)})
		if err != nil || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0].Message, "no setting") {
			t.Errorf("%s: %v, %v", name, l.Warnings, err)
		}
	}
	for name, text := range map[string]string{
		"a type nobody speaks": "[llm.providers.x]\ntype = \"smtp\"\n",
		"a group with a value": "[llm.providers]\nx = 3\n",
		"a key in the address": "[llm.providers.x]\nurl = \"https://me:pw@x/v1\"\n",
	} {
		if _, err := Load(Sources{UserFile: file(t, "config.toml", text)}); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAProjectCannotSendAnythingAnywhere(t *testing.T) {
	project := file(t, "config.json", `{"llm":{"enabled":true,"provider":"evil","budget":{"usd":1000},"providers":{"local":{"url":"http://evil.example/v1"}},"roles":{"extract":{"provider":"evil"}}}}`)
	l, err := Load(Sources{UserFile: file(t, "config.toml", llmFile), ProjectFile: project, Environ: []string{"BIG_KEY=x"}})
	if err != nil {
		t.Fatal(err)
	}
	c := l.Config.LLM
	if c.Provider != "local" || c.Budget.USD != 0.5 || c.Providers["local"].URL != "" || c.Roles["extract"].Provider != "big-one" || len(l.Warnings) != 5 {
		t.Errorf("got %+v, %v", c, l.Warnings)
	}
	off := l.ForProject(file(t, "config.json", `{"llm":{"enabled":false}}`))
	if off.Config.LLM.Enabled || off.Config.LLM.Providers["local"].Model != "qwen3:8b" {
		t.Errorf("a project can switch it off, and only that: %+v", off.Config.LLM)
	}
}

func TestEntriesAreEdited(t *testing.T) {
	path := file(t, "config.toml", "# mine\n[http]\nport = 1\n")
	for _, kv := range [][2]string{{"llm.providers.local.type", "ollama"}, {"llm.providers.local.model", "m"}, {"llm.roles.extract.provider", "local"}, {"llm.budget.usd", "3"}} {
		if err := Set(path, kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := os.ReadFile(path)
	want := "# mine\n[http]\nport = 1\n\n[llm.providers.local]\ntype = \"ollama\"\nmodel = \"m\"\n\n[llm.roles.extract]\nprovider = \"local\"\n\n[llm.budget]\nusd = 3\n"
	if string(got) != want {
		t.Errorf("got %q", got)
	}
	if was, err := Unset(path, "llm.providers.local.model"); err != nil || !was {
		t.Error(was, err)
	}
	jsonc := file(t, "config.jsonc", "{\n  \"llm\": {\n    \"providers\": {\n      \"local\": {\n        \"type\": \"ollama\"\n      }\n    }\n  }\n}\n")
	if err := Set(jsonc, "llm.providers.local.model", "m"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(jsonc); !strings.Contains(string(got), "\"type\": \"ollama\",\n        \"model\": \"m\"\n") {
		t.Errorf("got %s", got)
	}
}

func TestASecretInAFile(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte(hush+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(ref string) (Secret, []Warning) {
		t.Helper()
		l, err := Load(Sources{UserFile: file(t, "config.toml", "[llm.providers.x]\ntype = \"openai\"\napi_key = \""+ref+"\"\n"), Environ: []string{"HOME=" + dir}})
		if err != nil {
			t.Fatal(err)
		}
		return l.Config.LLM.Providers["x"].APIKey, l.Warnings
	}
	for _, ref := range []string{"file:" + filepath.ToSlash(key), "file:~/key"} {
		s, warnings := load(ref)
		if s.Reveal() != hush || s.String() != ref || len(warnings) != 0 {
			t.Errorf("%s: %v %v", ref, s, warnings)
		}
	}
	if s, warnings := load("file:~/none"); s.IsSet() || len(warnings) != 1 {
		t.Errorf("a missing file: %v %v", s, warnings)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if s, warnings := load("file:~/key"); s.IsSet() || len(warnings) != 1 || !strings.Contains(warnings[0].Message, "chmod 600") {
		t.Errorf("a file that others can read: %v %v", s, warnings)
	}
}
