package claudecode

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// result is what Claude Code records about a tool besides what the model saw.
type result struct {
	Type        string  `json:"type"` // of Write: create or update
	FilePath    string  `json:"filePath"`
	Original    *string `json:"originalFile"`
	Interrupted bool    `json:"interrupted"`
	Background  string  `json:"backgroundTaskId"`
	Agent       string  `json:"agentId"`
}

// call returns a tool that begins.
func call(b block) codememory.ToolCall {
	in := jsonl.FieldsOf(b.Input)
	target := in.Target()
	if b.Name == "Task" || b.Name == "Agent" {
		target = in.First("description", "prompt")
	}
	return codememory.ToolCall{ID: b.ID, Name: b.Name, Input: jsonl.Input(b.Input), Target: target, Title: in.String("description"), Running: true}
}

// outcome notes what became of a tool.
func (p *parser) outcome(u *jsonl.Use, b block, raw json.RawMessage, at time.Time) {
	var res result
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		_ = json.Unmarshal(raw, &res) // some tools have another form
	}
	text := jsonl.Valid(b.Content.text())
	if clean := jsonl.RemoveTag(text, "system-reminder"); clean != text {
		text = strings.TrimRight(clean, "\n")
	}
	c := u.Call
	u.Output(text, p.keep, at)
	if res.Agent != "" {
		c.Child = res.Agent
	}
	if c.Name == "Bash" {
		c.Exit = exit(text, b.IsError, res)
	}
	if b.IsError {
		c.Error = reason(text)
		return
	}
	c.Changed = changed(c.Name, jsonl.FieldsOf(c.Input), res, p.log.Session.Dir)
}

// exit reads the exit code of a command, which stands before the output of one
// that failed.
func exit(text string, failed bool, res result) *int {
	code := 0
	if failed {
		rest, ok := strings.CutPrefix(text, "Exit code ")
		if !ok {
			return nil // it did not run
		}
		line, _, _ := strings.Cut(rest, "\n")
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return nil
		}
		code = n
	}
	if res.Background != "" || res.Interrupted {
		return nil
	}
	return &code
}

// reason makes an error of the output of a tool that failed.
func reason(text string) string {
	if inside, ok := jsonl.Tagged(text, "tool_use_error"); ok {
		text = inside
	}
	const most = 2000
	if text = strings.TrimSpace(text); text == "" {
		return "failed"
	}
	return jsonl.Cut(text, len(text), most)
}

// changed says what a tool did to files. What a command did is not guessed at.
func changed(tool string, in jsonl.Fields, res result, dir string) []codememory.FileChange {
	file := res.FilePath
	if file == "" {
		file = in.First("file_path", "notebook_path")
	}
	switch tool {
	case "Write":
		if res.Type == "create" || res.Type == "" && res.FilePath != "" && res.Original == nil {
			return jsonl.Change(nil, dir, file, codememory.FileCreated)
		}
	case "Edit", "MultiEdit":
		if in.String("old_string") == "" && res.FilePath != "" && (res.Original == nil || *res.Original == "") {
			return jsonl.Change(nil, dir, file, codememory.FileCreated)
		}
	case "NotebookEdit":
	default:
		return nil
	}
	return jsonl.Change(nil, dir, file, codememory.FileModified)
}
