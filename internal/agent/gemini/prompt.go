package gemini

import (
	"strings"

	"codememory/internal/agent/jsonl"
)

// What Gemini CLI writes in the user's name.
const (
	sessionContext = "<session_context>"
	snapshot       = "<state_snapshot>"
	goOn           = "Please continue."
	shellCommand   = "I ran the following shell command:"
	referenced     = "--- Content from referenced files ---"
)

// words returns what the user typed.
func (p *parser) words(m *record) string {
	typed := m.Display
	if len(typed) == 0 {
		typed = m.Content
	}
	var words []string
	for _, part := range typed {
		if strings.TrimSpace(part.Text) == referenced {
			break
		}
		if text := p.clean(part.Text); text != "" {
			words = append(words, text)
		}
	}
	if files := m.Content.attached(); files != "" {
		words = append(words, files)
	}
	return strings.Join(words, "\n")
}

// clean removes what hooks, ours among them, put into a text.
func (p *parser) clean(text string) string {
	return strings.TrimSpace(p.strip(jsonl.RemoveTag(jsonl.Valid(text), "hook_context")))
}

// shellTurn reads a command that the user ran, with its output.
func shellTurn(text string) (command, output string, ok bool) {
	rest, ok := strings.CutPrefix(text, shellCommand)
	if !ok {
		return "", "", false
	}
	command, rest, ok = fenced(rest)
	if !ok {
		return "", "", false
	}
	output, _, _ = fenced(rest)
	return strings.TrimSpace(command), output, true
}

// fenced returns the first block of code and what comes after it.
func fenced(text string) (code, rest string, ok bool) {
	_, text, ok = strings.Cut(text, "```")
	if !ok {
		return "", "", false
	}
	_, text, _ = strings.Cut(text, "\n")
	code, rest, ok = strings.Cut(text, "```")
	return code, rest, ok
}
