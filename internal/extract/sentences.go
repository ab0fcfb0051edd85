package extract

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var (
	fencedCode = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?s)(```|~~~).*?(?:\n[ \t]*(?:```|~~~)[ \t]*(?:\n|$)|$)")
	})
	// injected are blocks that were put before the model, by us or by the
	// agent, and what the user marked as private.
	injected = sync.OnceValue(func() *regexp.Regexp {
		var blocks []string
		for _, tag := range []string{"codememory", "developer_context", "system-reminder", "private", "local-command-stdout", "local-command-caveat", "command-name", "command-message", "command-args", "command-contents", "bash-input", "bash-stdout", "bash-stderr", "task-notification", "ide_opened_file", "ide_selection", "environment_context", "user_instructions", "INSTRUCTIONS", "attached_files", "file_contents"} {
			blocks = append(blocks, `<`+tag+`\b.*?(?:</`+tag+`>|$)`)
		}
		return regexp.MustCompile(`(?is)` + strings.Join(blocks, "|"))
	})
	listMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?`) })
)

func withoutCode(text string) string { return fencedCode().ReplaceAllString(text, "\n") }

// ownWords is what its author said: without code blocks, injected blocks and quotations.
func ownWords(text string) string {
	text = withoutCode(injected().ReplaceAllString(text, "\n"))
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ">") || strings.HasPrefix(line, "#") {
			line = ""
		}
		lines = append(lines, strings.ReplaceAll(line, "’", "'"))
	}
	return strings.TrimSpace(withoutPastes(strings.Join(lines, "\n")))
}

// sentences splits a text at line ends and after full stops.
func sentences(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line = listMark().ReplaceAllString(strings.TrimSpace(line), "")
		for line != "" {
			end := sentenceEnd(line)
			if s := strings.TrimSpace(line[:end]); s != "" {
				all = append(all, s)
			}
			line = strings.TrimSpace(line[end:])
		}
	}
	return all
}

// sentenceEnd returns where the first sentence of a line ends. A stop inside a
// word, a number, inline code or after an abbreviation is none.
func sentenceEnd(line string) int {
	inCode := false
	for i, r := range line {
		switch r {
		case '`':
			inCode = !inCode
		case '。', '！', '？':
			return i + utf8.RuneLen(r)
		case '.', '!', '?':
			next, _ := utf8.DecodeRuneInString(line[i+1:])
			if !inCode && i+1 < len(line) && unicode.IsSpace(next) && !abbreviated(line[:i]) {
				return i + 1
			}
		}
	}
	return len(line)
}

func abbreviated(before string) bool {
	word := strings.ToLower(before[strings.LastIndexAny(before, " (")+1:])
	switch word {
	case "e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "incl", "no", "mr", "mrs", "dr", "st":
		return true
	}
	return false
}
