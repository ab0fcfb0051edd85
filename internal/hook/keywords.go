package hook

import (
	"regexp"
	"strings"
	"sync"
)

// keywords are the words by which users ask for something to be remembered, as
// regular expressions. The plugin for OpenCode has the same.
var keywords = [...]string{
	"remember", "memorize", "save this", "note this", "keep in mind", "don'?t forget", "learn this", "store this",
	"record this", "make a note", "take note", "jot down", "commit to memory", "remember that", "never forget", "always remember",
}

var keywordPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(keywords[:], "|") + `)\b`)
})

// maxSearched is how much of a prompt is searched for keywords: what stands
// after it was pasted.
const maxSearched = 50_000

// asksToRemember reports whether the user asks for something to be kept. Code
// in the message does not count.
func asksToRemember(prompt string) bool {
	prompt = prompt[:min(len(prompt), maxSearched)]
	return keywordPattern().MatchString(withoutCode(strings.ReplaceAll(prompt, "’", "'")))
}

// withoutCode returns text less fenced blocks and code within lines.
func withoutCode(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := fenceMark(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence == "":
			b.WriteString(line)
		case strings.HasPrefix(mark, fence):
			fence = ""
			b.WriteByte('\n')
		}
	}
	return withoutSpans(b.String())
}

// fenceMark returns the run of three or more ` or ~ that a line begins with.
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

func withoutSpans(text string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			return b.String() + text
		}
		after := strings.TrimLeft(text[start:], "`")
		mark := text[start : len(text)-len(after)]
		end := strings.Index(after, mark)
		b.WriteString(text[:start])
		if end < 0 {
			text = after
			continue
		}
		b.WriteByte(' ')
		text = after[end+len(mark):]
	}
}
