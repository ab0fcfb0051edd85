package lifecycle

import (
	"slices"
	"unicode"

	"codememory/internal/text"
)

// Content splits a text into what it is about and what it says of it: stems of
// its content words, and numbers, versions and negations. Both are sorted.
func Content(s string) (subject, values []string) {
	for _, t := range text.AnalyzeQuery(s) {
		switch {
		case isValue(t.Text):
			values = append(values, t.Text)
		case !text.IsStopWord(t.Text):
			subject = append(subject, t.Stem)
		}
	}
	slices.Sort(subject)
	slices.Sort(values)
	return slices.Compact(subject), slices.Compact(values)
}

// isValue reports whether a word is a number, a version or a negation.
func isValue(word string) bool {
	switch word {
	case "instead", "always", "on", "enabled", "true":
		return true
	}
	return isDenial(word) || isNumber(word)
}

func isDenial(word string) bool {
	switch word {
	case "not", "no", "never", "don't", "dont", "without", "off", "disabled", "false", "doesn't", "isn't", "cannot", "can't":
		return true
	}
	return false
}

func isNumber(word string) bool {
	switch word {
	case "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "hundred", "thousand":
		return true
	}
	digits := 0
	for _, r := range word {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits*2 >= len(word)
}

// Contradict reports whether one text denies what the other says, or both name
// numbers and none of them is the same, given the values of each.
func Contradict(a, b []string) bool {
	if slices.ContainsFunc(a, isDenial) != slices.ContainsFunc(b, isDenial) {
		return true
	}
	numbers := func(values []string) []string {
		return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !isNumber(v) })
	}
	x, y := numbers(a), numbers(b)
	return len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(x, func(v string) bool { return slices.Contains(y, v) })
}

// Subset reports whether all of a, which is sorted like b, is in b.
func Subset(a, b []string) bool {
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); !ok {
			return false
		}
	}
	return true
}
