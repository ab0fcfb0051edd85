package render

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// share splits budget among demands so that none starves another: each gets
// what it asks for, or an equal part of what the modest ones leave.
func share(budget int, demands []int) []int {
	order := make([]int, len(demands))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return demands[a] - demands[b] })
	got := make([]int, len(demands))
	for n, i := range order {
		got[i] = min(demands[i], max(0, budget)/(len(order)-n))
		budget -= got[i]
	}
	return got
}

// lineCost counts a line with its newline.
func lineCost(line string, count func(string) int) int { return count(line + "\n") }

// entry is one memory as a line: what the renderer puts before it, its text
// made safe, and the id under which the rest of a cut text can be read.
type entry struct {
	lead string
	text string
	id   string
}

func (e entry) line() string { return e.lead + e.text }

// within returns the line of e in at most limit tokens with its newline, cut
// when it has to be, or false when so little would be left of it that it is better not shown.
func (e entry) within(limit int, count func(string) int) (string, bool) {
	if whole := e.line(); lineCost(whole, count) <= limit {
		return whole, true
	}
	if limit < minCut {
		return "", false
	}
	low, high := 0, len(e.text) // the longest prefix that fits lies in [low, high)
	for low+1 < high {
		mid := (low + high) / 2
		if lineCost(e.lead+e.text[:mid]+cutMark(e.id), count) <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	head := cleanCut(e.text, low)
	if head == "" {
		return "", false
	}
	return e.lead + head + cutMark(e.id), true
}

// shortened returns e with at most limit characters of text.
func (e entry) shortened(limit int) entry {
	if utf8.RuneCountInString(e.text) <= limit {
		return e
	}
	end := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(e.text[end:])
		end += size
	}
	e.text = cleanCut(e.text, end) + cutMark(e.id)
	return e
}

func cutMark(id string) string { return " … (cut; all of it: " + id + ")" }

// cleanCut returns the start of text up to the last whole word before byte
// end, or up to the last whole character where words are very long.
func cleanCut(text string, end int) string {
	if end >= len(text) {
		return text
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if space := strings.LastIndexByte(text[:end+1], ' '); space > end*2/3 {
		end = space
	}
	if and := strings.LastIndexByte(text[:end], '&'); and >= 0 && strings.HasPrefix(text[and:], escapedLess) && end < and+len(escapedLess) {
		end = and
	}
	return strings.TrimRight(text[:end], " ,;:(–-")
}

// clipped returns the text of e in at most limit characters, for what has no
// id under which the rest could be read.
func (e entry) clipped(limit int) string {
	if utf8.RuneCountInString(e.text) <= limit {
		return e.text
	}
	return cleanCut(e.text, len(string([]rune(e.text)[:limit]))) + "…"
}
