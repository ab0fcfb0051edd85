package lifecycle

import (
	"slices"
	"strings"

	"codememory/internal/text"
)

// single are words after which a statement names the one value that holds:
// "the linter is", "written in". After "uses" or "needs" several may hold.
var single = []string{"is", "are", "was", "in", "on", "at", "to", "with", "has", "after", "every", "under", "by", "as"}

// maxValueWords is how long a value may be.
const maxValueWords = 3

// OtherValue reports whether two statements are the same but for the value
// they name: "passwords are hashed with bcrypt" and "… with argon2id".
func OtherValue(a, b string) bool {
	x, y := valueWords(a), valueWords(b)
	before := 0
	for before < min(len(x), len(y)) && x[before] == y[before] {
		before++
	}
	after := 0
	for after < min(len(x), len(y))-before && x[len(x)-1-after] == y[len(y)-1-after] {
		after++
	}
	old, now := x[before:len(x)-after], y[before:len(y)-after]
	if before < 2 || len(old) == 0 || len(now) == 0 || len(old) > maxValueWords || len(now) > maxValueWords || !slices.Contains(single, x[before-1]) {
		return false
	}
	says := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return !text.IsStopWord(w) })
	}
	return says(x[:before]) && says(old) && says(now)
}

// valueWords are the words of a statement; marks of change say nothing of the value.
func valueWords(s string) []string {
	words := strings.Fields(strings.ToLower(s))
	for i, w := range words {
		words[i] = strings.Trim(w, ".,;:!?()\"'`")
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" || w == "now" || w == "currently" || w == "the" || w == "a" })
}
