//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"codememory/e2e/npmcache"
)

// codexVersion is the release of Codex that is tested.
const codexVersion = "0.166.0"

// codex is Codex, run with `codex exec`.
var codex = hookAgent{
	name: "codex", installed: "codex", add: (*world).addCodex,
	run: func(w *world, dir, session string, lines ...string) agentRun {
		w.Helper()
		var args []string
		if session != "" {
			args = []string{"resume", session}
		}
		return w.codex(dir, args, lines...)
	},
	write: func(_, name, text string) string {
		return fmt.Sprintf(`@@tool apply_patch %q`, "*** Begin Patch\n*** Add File: "+name+"\n+"+strings.TrimSpace(text)+"\n*** End Patch\n")
	},
	shell: func(command string) string { return fmt.Sprintf(`@@tool exec_command {"cmd":%q}`, command) },
	hooks: ".codex/hooks.json",
}

// addCodex gets Codex and lets it talk to nobody but the model.
func (w *world) addCodex() {
	w.Helper()
	modules := npmcache.Modules(w.T, "@openai/codex", codexVersion)
	found, err := filepath.Glob(filepath.Join(modules, "@openai", "codex-*", "vendor", "*", "bin", "codex"))
	if err != nil || len(found) != 1 {
		w.Fatalf("the program of Codex is not in %s: %q %v", modules, found, err)
	}
	w.programs["codex"] = found[0]
	w.env["SCRIPTED_KEY"] = "dummy"
	config := fmt.Sprintf(`model = "gpt-5.5" # a model that it knows: for others it has no tool to patch
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.scripted]
name = "scripted"
base_url = %q
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`, w.model.URL())
	if err := os.WriteFile(filepath.Join(w.folder(".codex"), "config.toml"), []byte(config), 0o600); err != nil {
		w.Fatal(err)
	}
}

// codex runs one prompt to its end, with more arguments. Hooks run without the
// trust that a person would give them in its interface.
func (w *world) codex(dir string, args []string, lines ...string) agentRun {
	w.Helper()
	command := append([]string{w.programs["codex"], "exec", "--json", "--dangerously-bypass-hook-trust"}, args...)
	out, _ := w.runs(dir, append(command, strings.Join(lines, "\n"))...)
	if strings.Contains(out, "clamping") {
		w.Errorf("it complains of us: %s", out)
	}
	r := agentRun{Output: out}
	for line := range strings.Lines(r.Output) {
		var event struct {
			Thread string `json:"thread_id"`
			Item   struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"item"`
		}
		if json.Unmarshal([]byte(line), &event) != nil {
			continue
		}
		if event.Thread != "" {
			r.Session = event.Thread
		}
		if event.Item.Type == "agent_message" {
			r.Result = event.Item.Text
		}
	}
	return r
}
