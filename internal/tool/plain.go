package tool

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Stored text must not be able to end the answer it stands in or to pose as
// another part of it. It stays legible: only tags that agents use to mark
// instructions, and lines that look like our own structure, get a mark.
var (
	wrapperTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<(\s*/?\s*(?:codememory|developer_context|memories|memory|system[-_]?(?:reminder|prompt|message)?|user[-_]prompt[-_]submit[-_]hook|important|instructions?|human|assistant|function_(?:calls|results)|tool_(?:result|use)|antml:[a-z_]+)\b)`)
	})
	structureLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^([ \t]*)(👤 \*\*|🤖 \*\*|🔧 |=== (?:Turn|Compaction) |\[(?:User|Assistant|Tool|Summary)\]:|\[MEMORY|\[(?:system|SYSTEM)\b)`)
	})
)

// harmless returns text of several lines so that it can be shown in an answer.
func harmless(s string) string {
	s = visible(s)
	if strings.Contains(s, "<") {
		s = wrapperTag().ReplaceAllString(s, "&lt;$1")
	}
	return structureLine().ReplaceAllString(s, `$1\$2`)
}

// visible removes what a person would not see: control characters, escape
// sequences' beginnings, marks that reverse or hide text, and tag characters.
func visible(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u200c' || r == '\u200d' || r == '\ufe0f': // some scripts and emoji need these
			return r
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			return -1
		}
		return r
	}, s)
}

// inline returns text as one line of at most so many characters.
func inline(s string, most int) string {
	return shortened(strings.Join(strings.Fields(harmless(s)), " "), most)
}

// cell is inline for a cell of a table, cut without a mark.
func cell(s string, most int) string {
	s = strings.ReplaceAll(strings.Join(strings.Fields(harmless(s)), " "), "|", `\|`)
	return strings.TrimSpace(first(s, most))
}

// shortened cuts at a word and marks the cut.
func shortened(s string, most int) string {
	if chars(s) <= most {
		return s
	}
	cut := first(s, most)
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// first returns the first n characters.
func first(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// fenced puts text into a code block whose fence does not occur in it.
func fenced(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence
}
