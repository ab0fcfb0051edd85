package claudecode

import (
	"strings"

	"codememory/internal/agent/jsonl"
)

// What Claude Code writes in the user's name.
const (
	interrupted  = "[Request interrupted by user"
	stopFeedback = "Stop hook feedback:"
	caveat       = "Caveat: The messages below were generated"
)

// notTyped are the beginnings of messages in the user's name that no user wrote.
var notTyped = []string{"<task-notification>", "<local-command-", "<agent-message", "<teammate-message", "<channel", "<user-memory-input>", "<bash-stdout>", "<bash-stderr>", stopFeedback, caveat, interrupted}

// words returns what the user typed, without what was put around it.
func words(text string, strip func(string) string) string {
	text = jsonl.RemoveTag(strip(jsonl.Valid(text)), "system-reminder")
	text = strings.TrimSpace(text)
	for _, prefix := range notTyped {
		if strings.HasPrefix(text, prefix) {
			return ""
		}
	}
	return text
}

// command returns a slash command as the user typed it.
func command(text string) (string, bool) {
	name, ok := jsonl.Tagged(text, "command-name")
	if !ok || !strings.HasPrefix(strings.TrimSpace(text), "<command-") {
		return "", false
	}
	args, _ := jsonl.Tagged(text, "command-args")
	return strings.TrimSpace(strings.TrimSpace(name) + " " + strings.TrimSpace(args)), true
}

// summary returns what the agent wrote when it compacted, without what Claude
// Code put around it.
func summary(text string) string {
	text = jsonl.RemoveTag(text, "system-reminder")
	if strings.HasPrefix(text, "This session is being continued") {
		if _, rest, ok := strings.Cut(text, "\n\n"); ok {
			text = rest
		}
		text = strings.TrimPrefix(strings.TrimSpace(text), "Summary:")
	}
	for _, tail := range []string{"\n\nIf you need specific details from before", "\nPlease continue the conversation from where we left", "\nContinue the conversation from where it left off"} {
		text, _, _ = strings.Cut(text, tail)
	}
	return strings.TrimSpace(text)
}
