package session

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unixLines makes valid text with line feeds only and without other controls.
func unixLines(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case unicode.IsControl(r) && r != '\n' && r != '\t':
			return ' '
		}
		return r
	}, s)
}

// oneLine joins the words of s with single spaces.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// cut shortens s to at most so many bytes, at a word where there is one.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if space := strings.LastIndexByte(s[:end], ' '); space > end/2 {
		end = space
	}
	return strings.TrimRight(s[:end], " ,;:") + "…"
}

// gist reduces a message to its first sentences on one line: code blocks,
// tables and rules carry little there.
func gist(s string, most int) string {
	var kept []string
	fenced := false
	for line := range strings.SplitSeq(unixLines(s), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, "|") || strings.Trim(line, "-=*_ ") == "" {
			continue
		}
		kept = append(kept, strings.TrimLeft(line, "#> "))
	}
	all := oneLine(strings.Join(kept, " "))
	if len(all) <= most {
		return all
	}
	for end := most; end > most/3; end-- {
		if strings.IndexByte(".!?", all[end-1]) >= 0 && all[end] == ' ' {
			return all[:end]
		}
	}
	return cut(all, most)
}
