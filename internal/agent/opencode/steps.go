package opencode

import (
	"strings"

	"codememory"
)

// steps returns what the agent said and did in one message.
func (b *builder) steps(m *message, diffs []fileDiff) []codememory.Step {
	var steps []codememory.Step
	var patched []string
	for i := range m.parts {
		p := &m.parts[i]
		step := codememory.Step{At: instant(p.at), Message: m.id}
		switch {
		case p.tool != nil:
			step.Tool = p.tool.call(b.session.dir)
		case p.kind == partPatch:
			patched = append(patched, p.files...)
			continue
		case p.kind == partText && !p.synthetic && !p.ignored:
			step.Text = strings.TrimSpace(b.strip(strings.ToValidUTF8(p.text, "\uFFFD")))
		}
		if step.Text != "" || step.Tool != nil {
			steps = append(steps, step)
		}
	}
	creditPatch(steps, patched, diffs, b.session.dir)
	return steps
}

// call returns the tool as a turn shows it.
func (t *tool) call(dir string) *codememory.ToolCall {
	in := t.fields()
	c := &codememory.ToolCall{
		ID: t.callID, Name: t.name, Input: t.input, Target: in.target(t.name), Title: strings.ToValidUTF8(t.title, "\uFFFD"),
		Output: t.output, Error: t.err, Running: t.running(), Child: t.meta.SessionID,
	}
	if t.meta.Exit != nil {
		exit := int(*t.meta.Exit)
		c.Exit = &exit
	}
	if t.status == "completed" {
		c.Changed = t.changed(in, dir)
	}
	return c
}

// shellCommand returns the command of a turn that the user ran.
func shellCommand(steps []codememory.Step) string {
	for _, s := range steps {
		if s.Tool != nil {
			return s.Tool.Target
		}
	}
	return ""
}

// fields are the inputs by which the tools of OpenCode, and most of others, say
// what they are about.
type fields struct {
	FilePath    string `json:"filePath"`
	FilePath2   string `json:"file_path"`
	Path        string `json:"path"`
	Command     string `json:"command"`
	Pattern     string `json:"pattern"`
	URL         string `json:"url"`
	Query       string `json:"query"`
	Description string `json:"description"`
	Name        string `json:"name"`
	Tool        string `json:"tool"`
	PatchText   string `json:"patchText"`
}

func (t *tool) fields() (f fields) {
	if len(t.input) > 0 {
		decode(t.input, &f)
	}
	return f
}

// target picks the field that says most for this tool.
func (f fields) target(tool string) string {
	var order []string
	switch tool {
	case "bash":
		order = []string{f.Command, f.Description}
	case "grep", "glob":
		order = []string{f.Pattern, f.Path}
	case "task":
		order = []string{f.Description}
	case "invalid":
		order = []string{f.Tool}
	}
	order = append(order, f.FilePath, f.FilePath2, f.Path, f.Command, f.Pattern, f.URL, f.Query, f.Name, f.Description)
	for _, s := range order {
		if s != "" {
			return s
		}
	}
	return ""
}
