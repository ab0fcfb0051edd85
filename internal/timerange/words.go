package timerange

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

func monthOf(word string) (time.Month, bool) {
	switch word {
	case "january", "jan":
		return time.January, true
	case "february", "feb":
		return time.February, true
	case "march", "mar":
		return time.March, true
	case "april", "apr":
		return time.April, true
	case "may":
		return time.May, true
	case "june", "jun":
		return time.June, true
	case "july", "jul":
		return time.July, true
	case "august", "aug":
		return time.August, true
	case "september", "sept", "sep":
		return time.September, true
	case "october", "oct":
		return time.October, true
	case "november", "nov":
		return time.November, true
	case "december", "dec":
		return time.December, true
	default:
		return 0, false
	}
}

// weekdayOf knows the short forms that are not words of their own, unlike sun and sat.
func weekdayOf(word string) (time.Weekday, bool) {
	switch word {
	case "monday", "mon":
		return time.Monday, true
	case "tuesday", "tue", "tues":
		return time.Tuesday, true
	case "wednesday", "wed":
		return time.Wednesday, true
	case "thursday", "thu", "thur", "thurs":
		return time.Thursday, true
	case "friday", "fri":
		return time.Friday, true
	case "saturday":
		return time.Saturday, true
	case "sunday":
		return time.Sunday, true
	default:
		return 0, false
	}
}

var numberWords = []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// count reads a number of units, at least one.
func (p parser) count(i int) (n, next int, ok bool) {
	word := p.word(i)
	if word == "a" || word == "an" {
		if p.is(i+1, "couple", "few") {
			return 0, 0, false
		}
		return 1, i + 1, true
	}
	if at := slices.Index(numberWords, word); at >= 0 {
		return at + 1, i + 1, true
	}
	n, ok = digits(word, 4)
	return n, i + 1, ok && n > 0
}

// vagueCount reads "a couple of" and "a few".
func (p parser) vagueCount(i int) (n, next int, ok bool) {
	if p.is(i, "a") {
		i++
	}
	switch p.word(i) {
	case "couple":
		if p.is(i+1, "of") {
			i++
		}
		return 2, i + 1, true
	case "few":
		return 3, i + 1, true
	default:
		return 0, 0, false
	}
}

// dayNumber reads 1 to 31, also as 1st, 2nd, 3rd, 4th.
func dayNumber(word string) (int, bool) {
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, suffix)
	}
	n, ok := digits(word, 2)
	return n, ok && n >= 1 && n <= 31
}

// countable are words before which a number such as 2000 is not a year.
var countable = []string{
	"ms", "s", "sec", "seconds", "minutes", "bytes", "kb", "mb", "chars", "characters", "tokens", "words", "lines", "rows", "files",
	"records", "items", "entries", "tests", "commits", "requests", "users", "iterations", "steps", "times", "calls", "memories",
}

// yearNumber reads a year that a memory can be from.
func (p parser) yearNumber(i int) (int, bool) {
	n, ok := digits(p.word(i), 4)
	return n, ok && plausible(n) && n <= p.now.Year()+1 && !slices.Contains(countable, p.word(i+1))
}

func plausible(year int) bool { return year >= 1990 && year < 2200 }

// digits reads a whole number of at most so many digits and nothing else.
func digits(word string, most int) (int, bool) {
	if word == "" || len(word) > most || strings.Trim(word, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(word)
	return n, err == nil
}
