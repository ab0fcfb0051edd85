package agentcli

import (
	"encoding/json"
	"strings"

	"codememory/internal/llm"
)

// openCodeAgent is the name under which a run has its own prompt and no tools.
const openCodeAgent = "codememory"

// openCode runs OpenCode with a database in memory: the session is gone with
// the process.
var openCode = dialect{
	args: func(r run) []string {
		args := []string{"run", "--agent", openCodeAgent, "--title", openCodeAgent, "--format", "json"}
		if r.Model != "" {
			args = append(args, "--model", r.Model)
		}
		return args
	},
	env: func(r run) []string {
		settings, _ := json.Marshal(map[string]any{ // texts only: it cannot fail
			"autoupdate": false, "share": "disabled", "snapshot": false, "mcp": map[string]any{}, "instructions": []string{},
			"agent": map[string]any{openCodeAgent: map[string]any{
				"mode": "primary", "prompt": r.System, "permission": map[string]any{"*": "deny"},
			}},
		})
		return []string{
			"OPENCODE_CONFIG_CONTENT=" + string(settings), "OPENCODE_DB=:memory:", "OPENCODE_PURE=1", "OPENCODE_DISABLE_PROJECT_CONFIG=1",
			"OPENCODE_DISABLE_CLAUDE_CODE=1", "OPENCODE_DISABLE_EXTERNAL_SKILLS=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
			"npm_config_offline=true", // it asks npm at every start for what it has already
		}
	},
	prompt: func(r llm.Request) string { return r.Prompt },
	read:   readOpenCode,
}

func readOpenCode(out []byte) (llm.Response, error) {
	var response llm.Response
	var text strings.Builder
	var problem string
	finished := false
	err := eachEvent(out, func(e event) {
		switch e.Type {
		case "text":
			text.WriteString(e.Part.Text)
		case "step_finish":
			finished = true
			t := e.Part.Tokens
			response.Usage.Input += t.Input + t.Cache.Read + t.Cache.Write
			response.Usage.Cached += t.Cache.Read
			response.Usage.Output += t.Output + t.Reasoning
			response.Usage.CostUSD += e.Part.Cost
			response.Usage.Charged = response.Usage.CostUSD > 0 // it does not know every price
			response.Truncated = e.Part.Reason == "length"
		case "error":
			problem = e.Error.Name + " " + e.Error.Message + " " + e.Error.Data.Message
		}
	})
	response.Text = text.String()
	switch {
	case err != nil:
		return response, err
	case problem != "":
		return response, classify(OpenCode, problem)
	case !finished:
		return response, llm.Errorf(llm.Infrastructure, "the answer broke off")
	}
	return response, nil
}
