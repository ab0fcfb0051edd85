package render

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The marks of blocks that begin with a line of their own and have no end.
const (
	memoryMark    = "[MEMORY]"
	memsearchMark = "[memsearch] Memory available."
)

// memoryNotice matches the first line of the one-off notices of the [MEMORY]
// system, which are one paragraph each.
var memoryNotice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[MEMORY (?:- |TRIGGER )[A-Z -]+\]`)
})

// journalLine matches what a memsearch block shows of a journal.
var journalLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:#{1,4} |\s*- |\[(?:User|Assistant|Human)\]|<!--)`)
})

// stripMarked removes the first block without an end mark: its marked line and
// the paragraphs after it that can only be part of it.
func stripMarked(text string) string {
	if !strings.Contains(text, memoryMark[:7]) && !strings.Contains(text, memsearchMark) {
		return text
	}
	for pos := 0; pos < len(text); {
		line, rest, _ := strings.Cut(text[pos:], "\n")
		next := len(text) - len(rest)
		switch line = strings.TrimSpace(line); {
		case line == memoryMark:
			return without(text, pos, next+paragraphs(rest, isMemoryHeading))
		case strings.HasPrefix(line, memsearchMark):
			return without(text, pos, next+paragraphs(rest, isJournal))
		case memoryNotice().MatchString(line):
			return without(text, pos, next+paragraphEnd(rest))
		}
		pos = next
	}
	return text
}

// paragraphs returns how many bytes at the start of text are paragraphs that
// pass belongs, with the empty lines before them.
func paragraphs(text string, belongs func(paragraph string) bool) int {
	end := 0
	for {
		blank := len(text[end:]) - len(strings.TrimLeft(text[end:], " \t\r\n"))
		start := end + blank
		size := paragraphEnd(text[start:])
		if size == 0 || !belongs(text[start:start+size]) {
			return end
		}
		end = start + size
	}
}

// paragraphEnd returns the length of text up to its first empty line.
func paragraphEnd(text string) int {
	end := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			break
		}
		end += len(line)
	}
	return end
}

// isMemoryHeading reports whether a paragraph is a section of a [MEMORY] block.
func isMemoryHeading(paragraph string) bool {
	line, _, _ := strings.Cut(paragraph, "\n")
	title, ok := strings.CutPrefix(strings.TrimSpace(line), "## ")
	return ok && (title == relevantTitle || title == "Last Session" ||
		slices.ContainsFunc(kinds(), func(k kind) bool { return k.title == title }))
}

// isJournal reports whether every line of a paragraph is one that a memsearch block shows.
func isJournal(paragraph string) bool {
	for line := range strings.SplitSeq(strings.TrimSpace(paragraph), "\n") {
		if !journalLine().MatchString(line) {
			return false
		}
	}
	return true
}
