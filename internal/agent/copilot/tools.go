package copilot

import (
	"strconv"
	"strings"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// call returns a tool that begins.
func call(r request) codememory.ToolCall {
	in := jsonl.FieldsOf(r.Arguments)
	return codememory.ToolCall{ID: r.Call, Name: r.Name, Input: jsonl.Input(r.Arguments), Target: in.Target(), Title: jsonl.Title(jsonl.Valid(r.Intention)), Running: true}
}

// outcome notes what became of a tool.
func (p *parser) outcome(u *jsonl.Use, b *body) {
	c := u.Call
	text, exit := shellOutput(c.Name, jsonl.Valid(b.Result.Content))
	if b.Shell != nil && b.Shell.Exit != nil {
		exit = b.Shell.Exit
	}
	c.Exit = exit
	u.Output(text, p.keep, p.last)
	switch {
	case b.Success != nil && !*b.Success:
		c.Error = jsonl.Cut(string(b.Error), 0, 2000)
		if c.Error == "" {
			c.Error = "failed"
		}
	case exit != nil && *exit != 0:
		c.Error = "exit code " + strconv.Itoa(*exit)
	default:
		c.Changed = changed(c, b, p.log.Session.Dir)
	}
}

// shellOutput takes the line off by which Copilot CLI tells the model how a
// command ended.
func shellOutput(tool, text string) (output string, exit *int) {
	if tool != "bash" && tool != "powershell" {
		return text, nil
	}
	i := strings.LastIndexByte(text, '<')
	if i < 0 {
		return text, nil
	}
	_, code, ok := strings.Cut(strings.TrimSpace(text[i:]), "exit code ")
	if !ok {
		return text, nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(code, ">"))
	if err != nil {
		return text, nil
	}
	return text[:i], &n
}

// changed says what a tool did to files. What a command did is not guessed at.
func changed(c *codememory.ToolCall, b *body, dir string) (out []codememory.FileChange) {
	for _, e := range b.Edits {
		kind := codememory.FileModified
		switch e.Kind {
		case "create", "add":
			kind = codememory.FileCreated
		case "delete", "remove":
			kind = codememory.FileDeleted
		}
		out = jsonl.Change(out, dir, e.Path, kind)
	}
	if len(out) > 0 {
		return out
	}
	// Older releases name only the tool.
	file := jsonl.FieldsOf(c.Input).String("path")
	switch c.Name {
	case "create":
		return jsonl.Change(nil, dir, file, codememory.FileCreated)
	case "edit", "str_replace", "insert":
		return jsonl.Change(nil, dir, file, codememory.FileModified)
	}
	return nil
}
