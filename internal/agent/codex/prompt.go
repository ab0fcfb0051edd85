package codex

import "strings"

// injected are the beginnings of what Codex writes in the user's name.
var injected = []string{
	"# AGENTS.md instructions", "<user_instructions>", "<environment_context>", "<turn_aborted>", "<user_shell_command>", "<skill>", "<hook_prompt", "<recommended_plugins>",
	"<codex_internal_context", "<subagent_notification>", "<send_user_message_question_reply>", "<permissions instructions>", "<skills_instructions>", "<image ", "</image>", summaryStart,
}

// typed returns what of a message in the user's name the user typed.
func (p *parser) typed(r *response) string {
	var words []string
	for i, c := range r.Content {
		if i < len(r.Passed.Kinds) && !strings.HasPrefix(r.Passed.Kinds[i], "user.") || c.Type == "input_image" {
			continue
		}
		if text := p.words(c.Text); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, "\n")
}

// words returns a text of the user without what was put into it.
func (p *parser) words(text string) string {
	text = strings.TrimSpace(p.strip(text))
	for _, prefix := range injected {
		if strings.HasPrefix(text, prefix) {
			return ""
		}
	}
	return text
}

// What Codex puts before a summary for the model that goes on from it.
const (
	summaryStart = "Another language model started to solve this problem"
	summaryEnd   = "use the information in this summary to assist with your own analysis:"
)

// summary returns what the agent wrote when it compacted.
func summary(text string) string {
	if strings.HasPrefix(text, summaryStart) {
		if _, rest, ok := strings.Cut(text, summaryEnd); ok {
			text = rest
		}
	}
	return strings.TrimSpace(text)
}
