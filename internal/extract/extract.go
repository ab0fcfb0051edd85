// Package extract finds in a conversation what is worth a memory, by rules and
// without a model: what the user asks to remember or states as a decision, a
// preference or a rule. A wrong memory costs more than a missing one, so a
// sentence that is not clearly meant to last is left alone.
package extract

import (
	"strings"
	"unicode/utf8"

	"codememory"
)

// Message is one message of a conversation.
type Message struct {
	Role string // user or assistant
	Text string
}

// Statements finds what the user stated in a conversation.
func Statements(messages []Message) []codememory.AddRequest {
	var found []codememory.AddRequest
	seen := map[string]bool{}
	for _, m := range messages {
		if m.Role != "user" {
			continue
		}
		for _, c := range Said(m.Text) {
			if key := strings.ToLower(c.Text); !seen[key] && len(found) < maxSaid {
				seen[key] = true
				found = append(found, c.Request())
			}
		}
	}
	return found
}

// around returns the words before and after a sentence.
func around(text, sentence string) string {
	const before, after = 150, 250
	at := max(0, strings.Index(text, sentence))
	return strings.TrimSpace(strings.ToValidUTF8(text[max(0, at-before):min(len(text), at+len(sentence)+after)], ""))
}

// The sizes of what is made of many messages, in characters.
const (
	goalChars    = 200
	stepChars    = 150
	resultChars  = 500
	summarySteps = 3
	briefChars   = 400
	soleChars    = 2000
)

// Summary says what a session was about: what the user wanted first, what then,
// and how the agent ended. A single message is taken for a summary already.
func Summary(messages []Message) string {
	if len(messages) == 1 {
		return cut(ownWords(messages[0].Text), soleChars)
	}
	var wishes []string
	result := ""
	for _, m := range messages {
		said := sentences(ownWords(m.Text))
		switch {
		case len(said) == 0:
		case m.Role == "user":
			wishes = append(wishes, said[0])
		case m.Role == "assistant":
			result = cut(strings.Join(said[:min(3, len(said))], " "), resultChars)
		}
	}
	if len(wishes) == 0 {
		return result
	}
	lines := []string{"Asked: " + cut(wishes[0], goalChars)}
	later := wishes[1:]
	for _, wish := range later[max(0, len(later)-summarySteps):] {
		lines = append(lines, "Then: "+cut(wish, stepChars))
	}
	if result != "" {
		lines = append(lines, "Result: "+result)
	}
	return strings.Join(lines, "\n")
}

// Brief is the first real paragraph of a project's own description: not a
// heading, a badge, markup, a file name or data.
func Brief(messages []Message) string {
	for _, m := range messages {
		var found []string
		for line := range strings.Lines(withoutCode(m.Text)) {
			line = strings.TrimSpace(line)
			if isProse(line) || len(found) > 0 && line != "" && !isMarkup(line) {
				found = append(found, line)
			} else if len(found) > 0 {
				break
			}
		}
		if said := sentences(strings.Join(found, " ")); len(said) > 0 {
			return cut(strings.Join(said[:min(2, len(said))], " "), briefChars)
		}
	}
	return ""
}

// isProse reports whether a line can begin a description: long enough, made of
// words, and no markup.
func isProse(line string) bool {
	if utf8.RuneCountInString(line) <= 20 || isMarkup(line) {
		return false
	}
	words := strings.Fields(line)
	return len(words) >= 3 && !strings.HasSuffix(line, ":") && !strings.ContainsAny(line, "{}=;")
}

func isMarkup(line string) bool {
	for _, start := range []string{"#", "[!", "![", "<", "---", "===", "***", "|", "{", "}", "[", "]", `"`, "//", "/*", "- ", "* ", "$ ", "File:", "["} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// cut shortens a text to n characters, at a space, with a mark.
func cut(text string, n int) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	short := string([]rune(text)[:n])
	if i := strings.LastIndexAny(short, " \n"); i > n/2 {
		short = short[:i]
	}
	return strings.TrimRight(short, " ,;:\n") + "…"
}
