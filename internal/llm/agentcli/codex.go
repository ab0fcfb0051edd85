package agentcli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"codememory/internal/llm"
)

// codexOff are features of Codex that would let it do more than answer.
var codexOff = []string{
	"hooks", "plugins", "apps", "shell_tool", "unified_exec", "view_image", "image_generation", "multi_agent", "tool_suggest", "computer_use", "browser_use", "goals", "memories",
}

// codex runs Codex. It stays in the user's own folder of settings: a copy of
// the login would go stale, and would then invalidate the original.
var codex = dialect{
	args: func(r run) []string {
		args := []string{
			"exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-rules", "--sandbox", "read-only", "--color", "never",
			"-c", `approval_policy="never"`, "-c", `web_search="disabled"`, "-c", `history.persistence="none"`, "-c", "check_for_update_on_startup=false",
		}
		for _, feature := range codexOff {
			args = append(args, "--disable", feature)
		}
		for _, server := range codexServers(r.getenv) {
			args = append(args, "-c", "mcp_servers."+server+".enabled=false")
		}
		if r.Model != "" {
			args = append(args, "--model", r.Model)
		}
		return append(args, "-")
	},
	prompt: func(r llm.Request) string { return r.System + "\n\n" + r.Prompt },
	read:   readCodex,
}

// codexServers lists the MCP servers that the user's settings name: there is no
// way to switch them all off at once.
func codexServers(getenv func(string) string) []string {
	home := getenv("CODEX_HOME")
	if home == "" {
		home = filepath.Join(getenv("HOME"), ".codex")
	}
	data, err := os.ReadFile(filepath.Join(home, "config.toml"))
	if err != nil {
		return nil
	}
	var settings struct {
		Servers map[string]any `toml:"mcp_servers"`
	}
	if toml.Unmarshal(data, &settings) != nil {
		return nil // Codex will say what is wrong with it
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	var names []string
	for name := range settings.Servers {
		if plain.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func readCodex(out []byte) (llm.Response, error) {
	var response llm.Response
	var texts []string
	var problem string
	finished := false
	err := eachEvent(out, func(e event) {
		switch e.Type {
		case "item.completed":
			if e.Item.Type == "agent_message" {
				texts = append(texts, e.Item.Text)
			}
		case "turn.completed":
			finished = true
			response.Usage = llm.Usage{Input: e.Usage.Input, Cached: e.Usage.Cached, Output: e.Usage.Output}
		case "turn.failed", "error":
			problem = e.Message + e.Error.Message
		}
	})
	if err != nil {
		return response, err
	}
	if len(texts) > 0 {
		response.Text = texts[len(texts)-1] // what it said before was on the way
	}
	switch {
	case finished:
		return response, nil
	case strings.TrimSpace(problem) != "":
		return response, classify(Codex, problem)
	}
	return response, llm.Errorf(llm.Infrastructure, "the answer broke off")
}
