package gemini

import (
	"encoding/json"
	"strconv"
	"strings"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// tool is a call with as much of its outcome as is kept.
type tool struct {
	call   codememory.ToolCall
	at     string
	output string
	size   int
	status string
}

// tool makes a tool of a record.
func (p *parser) tool(c *call) tool {
	in := jsonl.FieldsOf(c.Args)
	t := tool{at: c.Timestamp, status: c.Status, call: codememory.ToolCall{ID: c.ID, Name: c.Name, Input: jsonl.Input(c.Args), Target: in.Target(), Title: jsonl.Title(jsonl.Valid(c.Description)), Child: c.Agent}}
	text := p.result(c.Result)
	switch c.Status {
	case "success":
	case "error":
		t.call.Error = jsonl.Cut(strings.TrimSpace(text), 0, 2000)
		if t.call.Error == "" {
			t.call.Error = "failed"
		}
	case "cancelled":
		t.call.Error = "cancelled by the user"
	default:
		t.call.Running = true
	}
	if c.Name == "run_shell_command" && c.Status == "success" {
		text, t.call.Exit = shellOutput(text)
		if t.call.Exit != nil && *t.call.Exit != 0 {
			t.call.Error = "exit code " + strconv.Itoa(*t.call.Exit)
		}
	}
	if c.Status == "success" {
		t.call.Changed = changed(c, in)
	}
	t.output, t.size = text, len(text)
	if p.keep > 0 && len(text) > p.keep {
		t.output = jsonl.Head(text, p.keep)
	}
	return t
}

// result returns what the model got from a tool, without what was put around it.
func (p *parser) result(c content) string {
	var texts []string
	for _, part := range c {
		switch {
		case part.Response != nil && part.Response.Response.Error != "":
			texts = append(texts, part.Response.Response.Error)
		case part.Response != nil:
			texts = append(texts, part.Response.Response.Output)
		case part.Text != "":
			texts = append(texts, part.Text)
		}
	}
	text := jsonl.Valid(strings.Join(texts, "\n"))
	if clean := jsonl.RemoveTag(text, "hook_context"); clean != text {
		text = strings.TrimRight(clean, "\n")
	}
	if inside, ok := strings.CutPrefix(text, "<untrusted_context>\n"); ok {
		if inside, ok = strings.CutSuffix(inside, "\n</untrusted_context>"); ok {
			text = inside
		}
	}
	return text
}

// shellOutput reads the report that the model gets about a command.
func shellOutput(text string) (output string, exit *int) {
	_, body, ok := strings.Cut("\n"+text, "\nOutput: ")
	if !ok {
		return text, nil
	}
	code := 0
	for _, field := range []string{"\nProcess Group PGID: ", "\nBackground PIDs: ", "\nSignal: ", "\nExit Code: ", "\nError: "} {
		i := strings.LastIndex(body, field)
		if i < 0 {
			continue
		}
		if field == "\nExit Code: " {
			value, _, _ := strings.Cut(body[i+len(field):], "\n")
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
				code = n
			}
		}
		body = body[:i]
	}
	if body == "(empty)" {
		body = ""
	}
	return body, &code
}

// changed says what a tool did to files. What a command did is not guessed at.
func changed(c *call, in jsonl.Fields) []codememory.FileChange {
	var d display
	_ = json.Unmarshal(c.Display, &d) // text for tools that change nothing
	switch c.Name {
	case "write_file", "replace", "edit":
	default:
		if d.FilePath == "" || d.Diff == "" {
			return nil
		}
	}
	file := d.FilePath
	if file == "" {
		file = in.First("file_path", "path")
	}
	kind := codememory.FileModified
	if d.New != nil && *d.New || d.New == nil && strings.Contains(d.Diff, "\n@@ -0,0 ") {
		kind = codememory.FileCreated
	}
	return jsonl.Change(nil, "", file, kind)
}
