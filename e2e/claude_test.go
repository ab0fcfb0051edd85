//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"codememory/e2e/npmcache"
)

// claudeVersion is the release of Claude Code that is tested.
const claudeVersion = "2.1.325"

// claudeCode is Claude Code, run with `claude -p`.
var claudeCode = hookAgent{
	name: "claude-code", installed: "claude", add: (*world).addClaude,
	run: func(w *world, dir, session string, lines ...string) agentRun {
		w.Helper()
		var args []string
		if session != "" {
			args = []string{"--resume", session}
		}
		return w.claude(dir, args, lines...)
	},
	write: func(dir, name, text string) string {
		return fmt.Sprintf(`@@tool Write {"file_path":%q,"content":%q}`, filepath.Join(dir, name), text)
	},
	shell: func(command string) string { return fmt.Sprintf(`@@tool Bash {"command":%q}`, command) },
	hooks: ".claude/settings.json",
}

// addClaude gets Claude Code and lets it talk to nobody but the model.
func (w *world) addClaude() {
	w.Helper()
	modules := npmcache.Modules(w.T, "@anthropic-ai/claude-code", claudeVersion)
	w.programs["claude-code"] = filepath.Join(modules, "@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+npmcache.Arch(), "claude")
	w.env["ANTHROPIC_BASE_URL"], w.env["ANTHROPIC_API_KEY"] = w.model.Root(), "sk-dummy"
	for _, name := range []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING"} {
		w.env[name] = "1"
	}
	// On a busy machine it would begin without its MCP servers.
	w.env["MCP_CONNECTION_NONBLOCKING"], w.env["MCP_TIMEOUT"], w.env["MCP_CONNECT_TIMEOUT_MS"] = "0", "30000", "30000"
}

// claude runs one prompt to its end, with more arguments.
func (w *world) claude(dir string, args []string, lines ...string) agentRun {
	w.Helper()
	args = append(slices.Clone(args), "-p", strings.Join(lines, "\n"), "--output-format", "json", "--permission-mode", "acceptEdits", "--allowedTools", "Bash(*)", "Write", "Edit")
	out, _ := w.runs(dir, append([]string{w.programs["claude-code"]}, args...)...)
	var r struct {
		Session string `json:"session_id"`
		Result  string `json:"result"`
		IsError bool   `json:"is_error"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.IsError {
		w.Fatalf("claude: %v in %s", err, out)
	}
	return agentRun{r.Session, r.Result, out}
}
