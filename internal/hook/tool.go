package hook

import (
	"encoding/json"
	"strconv"
	"strings"

	"codememory"
)

// toolCall reads the use of a tool. edited is a file that the command line
// names instead of a payload.
func toolCall(p payload, dir, edited string) codememory.ToolCall {
	in := p.raw("tool_input", "toolArgs", "toolInput", "edits")
	if text := p.text("tool_input", "toolArgs"); text != "" && json.Valid([]byte(text)) {
		in = json.RawMessage(text) // some versions hand over the input as a string
	}
	fields := object(in)
	result := p.raw("tool_response", "toolResult", "tool_result", "tool_output", "output", "result_json")
	parts := object(result)
	if text := p.text("tool_output"); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) { // Cursor's is JSON in a string
		result = json.RawMessage(text)
		parts = object(result)
	}
	c := codememory.ToolCall{
		ID: p.text("tool_use_id", "toolUseId", "toolCallId"), Name: p.text("tool_name", "toolName"), Input: in,
		Title: fields.text("description"), Output: output(result), Error: failure(p, parts),
	}
	file := orElse(fields.text("file_path", "filePath", "path", "notebook_path"), p.text("file_path"), edited)
	commandLine := orElse(fields.text("command"), p.text("command"))
	c.Changed = changes(c.Name, fields, parts, file, commandLine, dir)
	switch {
	case file != "":
		c.Target = file
	case isPatch(commandLine) && len(c.Changed) > 0:
		c.Target = c.Changed[0].Path
	default:
		c.Target = orElse(commandLine, fields.text("pattern", "query", "url", "prompt", "description", "name"))
	}
	if c.Exit = exitCode(orElse(c.Error, c.Output)); c.Exit == nil {
		c.Exit = parts.number("exitCode", "exit_code")
	}
	if c.Error == "" && parts.has("exitCode", "exit_code") && c.Exit != nil && *c.Exit != 0 {
		c.Error = "exit code " + strconv.Itoa(*c.Exit)
	}
	c.Child = parts.text("agentId")
	return c
}

// output is the text of a result, whatever it is wrapped in.
func output(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var s string
		_ = json.Unmarshal(raw, &s) // part of a valid document
		return s
	case '[':
		var parts []json.RawMessage
		_ = json.Unmarshal(raw, &parts)
		var texts []string
		for _, part := range parts {
			if s := object(part).text("text"); s != "" {
				texts = append(texts, s)
			}
		}
		return strings.Join(texts, "\n")
	case '{':
		p := object(raw)
		if p.has("filePath") { // its content is that of the file
			return ""
		}
		if p.has("stdout", "stderr") {
			return strings.TrimSpace(p.text("stdout") + "\n" + p.text("stderr"))
		}
		return output(p.raw("textResultForLlm", "text_result_for_llm", "llmContent", "content"))
	}
	return ""
}

// failure says what went wrong by the agent's own account.
func failure(p, result payload) string {
	if s := orElse(p.text("error", "error_message"), object(p["error"]).text("message")); s != "" {
		return s
	}
	if s := object(result["error"]).text("message"); s != "" {
		return s
	}
	if kind := result.text("resultType", "result_type"); kind != "" && kind != "success" {
		return orElse(result.text("error", "textResultForLlm", "text_result_for_llm"), kind)
	}
	return ""
}

// exitCode reads the status of a command where an agent writes it: at the
// beginning of the text (Claude Code, Codex) or at the end (Copilot).
func exitCode(text string) *int {
	rest, ok := strings.CutPrefix(text, "Exit code")
	if !ok {
		i := strings.LastIndex(text, " completed with exit code ")
		if i < 0 || !strings.HasSuffix(text, ">") || strings.Contains(text[i:], "\n") {
			return nil
		}
		rest = strings.TrimSuffix(text[i+len(" completed with exit code "):], ">")
	}
	rest = strings.TrimLeft(rest, ": ")
	end := 0
	for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || end == 0 && rest[end] == '-') {
		end++
	}
	code, err := strconv.Atoi(rest[:end])
	if err != nil {
		return nil
	}
	return &code
}
