package capture

import "codememory"

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
			tool.Input = nil
			s.Tool = &tool
		}
		steps[i] = s
	}
	t.Steps = steps
	return t
}
