package capture

import (
	"encoding/json"
	"strings"

	"codememory"
)

// Redacted returns a turn without secrets, in the form in which it is written,
// indexed, compared and shown to a model.
func Redacted(t codememory.Turn, redact func(string) string) codememory.Turn {
	t.Prompt, t.Error = redact(t.Prompt), redact(t.Error)
	steps := make([]codememory.Step, len(t.Steps))
	for i, s := range t.Steps {
		s.Text = redact(s.Text)
		if s.Tool != nil {
			tool := *s.Tool
			tool.Target, tool.Title = redact(tool.Target), redact(tool.Title)
			tool.Output, tool.Error = redact(tool.Output), redact(tool.Error)
			tool.Input = todos(tool, redact)
			s.Tool = &tool
		}
		steps[i] = s
	}
	t.Steps = steps
	return t
}

// todos keeps the one input that is of use later: a list of what is to be done.
func todos(t codememory.ToolCall, redact func(string) string) json.RawMessage {
	if !strings.Contains(strings.ToLower(t.Name), "todo") {
		return nil
	}
	if in := json.RawMessage(redact(string(t.Input))); json.Valid(in) {
		return in
	}
	return nil
}
