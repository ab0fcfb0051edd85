package agentcli

import (
	"bytes"
	"encoding/json"

	"codememory/internal/llm"
)

// claude runs Claude Code. The user's settings are read, since the login may
// depend on them, but nothing in them is run.
var claude = dialect{
	args: func(r run) []string {
		args := []string{
			"-p", "--output-format", "json", "--no-session-persistence", "--tools", "", "--strict-mcp-config", "--disable-slash-commands",
			"--setting-sources", "user", "--settings", `{"disableAllHooks":true}`, "--system-prompt", r.System,
		}
		if r.Model != "" {
			args = append(args, "--model", r.Model)
		}
		return args
	},
	env: func(run) []string {
		return []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "DISABLE_AUTOUPDATER=1"}
	},
	prompt: func(r llm.Request) string { return r.Prompt },
	read:   readClaude,
}

func readClaude(out []byte) (llm.Response, error) {
	var answer struct {
		Type    string  `json:"type"`
		Result  string  `json:"result"`
		IsError bool    `json:"is_error"`
		Subtype string  `json:"subtype"`
		Status  *int    `json:"api_error_status"`
		Cost    float64 `json:"total_cost_usd"`
		Usage   struct {
			Input      int `json:"input_tokens"`
			CacheRead  int `json:"cache_read_input_tokens"`
			CacheWrite int `json:"cache_creation_input_tokens"`
			Output     int `json:"output_tokens"`
		} `json:"usage"`
		Models map[string]json.RawMessage `json:"modelUsage"`
		Stop   string                     `json:"stop_reason"`
	}
	if err := json.Unmarshal(lastLine(out), &answer); err != nil || answer.Type != "result" {
		return llm.Response{}, llm.Errorf(llm.Infrastructure, "claude answered with something that is not its protocol (%d bytes)", len(out))
	}
	response := llm.Response{
		Text: answer.Result, Truncated: answer.Stop == "max_tokens",
		Usage: llm.Usage{
			Input: answer.Usage.Input + answer.Usage.CacheRead + answer.Usage.CacheWrite, Cached: answer.Usage.CacheRead, Output: answer.Usage.Output,
			CostUSD: answer.Cost, Charged: true,
		},
	}
	for name := range answer.Models {
		response.Model = name
	}
	switch {
	case answer.IsError || answer.Subtype != "success":
		said := answer.Result
		if answer.Status != nil {
			said += " " + jsonNumber(*answer.Status)
		}
		return response, classify(Claude, said)
	case answer.Stop == "refusal":
		return response, llm.Errorf(llm.Refused, "the model refused to answer")
	}
	return response, nil
}

func jsonNumber(n int) string {
	b, _ := json.Marshal(n) // never fails
	return string(b)
}

// lastLine is what stands after everything that an agent says besides its answer.
func lastLine(out []byte) []byte {
	out = bytes.TrimSpace(out)
	return out[bytes.LastIndexByte(out, '\n')+1:]
}
