//go:build e2e

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"context"

	"codememory/e2e/npmcache"
	"codememory/internal/llm"
	"codememory/internal/llm/agentcli"
)

// askedAgent is an agent that is asked as a model.
type askedAgent struct {
	agent string
	// prepare gets it, connects it to the scripted model and to a hook that
	// leaves a mark, and returns its program.
	prepare func(w *world, mark string) string
	// home is where it keeps its data; extra are files that any run writes.
	home  string
	extra []string
}

var askedAgents = []askedAgent{
	{
		agent: agentcli.OpenCode, home: ".local/share/opencode", extra: []string{"log/"},
		prepare: func(w *world, _ string) string {
			w.env["OPENCODE_DISABLE_MODELS_FETCH"], w.env["OPENCODE_DISABLE_LSP_DOWNLOAD"] = "1", "1"
			w.configureOpenCode()
			w.install("opencode") // its plugin has to stay silent
			return openCodeBinary(w.T, openCodeVersions[0])
		},
	},
	{
		agent: agentcli.Claude, home: ".claude", extra: []string{"backups/", "plugins/"},
		prepare: func(w *world, mark string) string {
			w.env["ANTHROPIC_BASE_URL"], w.env["ANTHROPIC_API_KEY"], w.env["DISABLE_TELEMETRY"], w.env["DISABLE_ERROR_REPORTING"] = w.model.Root(), "sk-dummy", "1", "1"
			w.write(".claude/settings.json", fmt.Sprintf(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch %s"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch %s"}]}]}}`, mark, mark))
			modules := npmcache.Modules(w.T, "@anthropic-ai/claude-code", claudeVersion)
			return filepath.Join(modules, "@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+npmcache.Arch(), "claude")
		},
	},
	{
		agent: agentcli.Codex, home: ".codex", extra: []string{"skills/", "tmp/", "log/", "shell_snapshots/", "cache/", ".sqlite", "installation_id", "version.json", "models_cache.json"},
		prepare: func(w *world, mark string) string {
			w.env["SCRIPTED_KEY"] = "dummy"
			w.write(".codex/config.toml", fmt.Sprintf("model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = %q\nenv_key = \"SCRIPTED_KEY\"\nwire_api = \"responses\"\n[mcp_servers.mark]\ncommand = \"touch\"\nargs = [%q]\n", w.model.URL(), mark))
			w.write(".codex/hooks.json", fmt.Sprintf(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch %s"}]}]}}`, mark))
			modules := npmcache.Modules(w.T, "@openai/codex", codexVersion)
			found, err := filepath.Glob(filepath.Join(modules, "@openai", "codex-*", "vendor", "*", "bin", "codex"))
			if err != nil || len(found) != 1 {
				w.Fatalf("the program of Codex is not in %s: %q %v", modules, found, err)
			}
			return found[0]
		},
	},
}

func (w *world) write(name, text string) {
	w.Helper()
	file := filepath.Join(w.home, filepath.FromSlash(name))
	w.folder(filepath.ToSlash(filepath.Dir(name)))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// files lists what is below a folder of the home.
func (w *world) files(dir string) map[string]bool {
	w.Helper()
	out := map[string]bool{}
	root := filepath.Join(w.home, filepath.FromSlash(dir))
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, path)
			out[filepath.ToSlash(name)] = true
		}
		return nil
	})
	return out
}

// TestAnAgentIsAskedAsAModel asks the real agents, as a role of the extraction
// would: one request, no tools that could do anything, and no trace.
func TestAnAgentIsAskedAsAModel(t *testing.T) {
	for _, tt := range askedAgents {
		t.Run(tt.agent, func(t *testing.T) {
			w := newWorld(t)
			mark := filepath.Join(w.home, "mark")
			program := tt.prepare(w, mark)
			ask := func(prompt string) (llm.Response, error) {
				p, err := agentcli.New(agentcli.Config{Agent: tt.agent, Command: program, Environ: w.environ()})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				return p.Complete(ctx, llm.Request{System: "You read a record. Answer with JSON only. RULE-OF-THE-SYSTEM", Prompt: prompt})
			}
			if _, err := ask("warm up\n@@text ok"); err != nil { // the first run writes what every first run writes
				t.Fatal(err)
			}
			before, asked := w.files(tt.home), w.model.Count()
			began := time.Now()
			got, err := ask("[data x]\nthe \"record\" of SESSION-TEXT\n[end x]\n@@text {\"memories\":[]}\n@@usage 321")
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s answered after %s, %+v", tt.agent, time.Since(began).Round(time.Millisecond), got.Usage)
			if got.Text != `{"memories":[]}` || got.Usage.Input != 321 || got.Usage.Output == 0 {
				t.Errorf("got %+v", got)
			}
			requests := w.model.Since(asked)
			if len(requests) != 1 {
				t.Fatalf("%d requests", len(requests))
			}
			if text := requests[0].Text(); !strings.Contains(text, "RULE-OF-THE-SYSTEM") || !strings.Contains(text, `the "record" of SESSION-TEXT`) || strings.Contains(text, "<codememory>") {
				t.Errorf("was asked\n%s", text)
			}
			for _, tool := range requests[0].Tools {
				switch tool.Name {
				case "bash", "Bash", "shell", "exec_command", "local_shell", "read", "Read", "webfetch", "WebFetch", "edit", "write", "Write", "task", "Task", "memory":
					t.Errorf("it could use %s", tool.Name)
				}
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a hook or server of the user ran")
			}
			for name := range w.files(tt.home) {
				usual := before[name]
				for _, part := range tt.extra {
					usual = usual || strings.Contains(name, part)
				}
				if !usual {
					t.Errorf("it left %s", name)
				}
			}
			w.withoutTrace("SESSION-TEXT")
		})
	}
}

// withoutTrace looks for words in everything below the home.
func (w *world) withoutTrace(words string) {
	w.Helper()
	for name := range w.files(".") {
		data, err := os.ReadFile(filepath.Join(w.home, filepath.FromSlash(name)))
		if err == nil && strings.Contains(string(data), words) {
			w.Errorf("%s holds what the agent was asked", name)
		}
	}
}
