package timerange

import (
	"strconv"
	"strings"
	"time"
)

// isoDate reads 2026-10-03, with or without a time of day behind a T, and,
// where a date is expected, 2026-10.
func (p parser) isoDate(i int, c context) (span, int, bool) {
	// "protocol 2026-07-28" names a version.
	if c == bare && p.isBefore(i, "version", "protocol", "revision", "spec", "schema", "api") {
		return span{}, 0, false
	}
	text, _, _ := strings.Cut(strings.ReplaceAll(p.word(i), "/", "-"), "t")
	if t, err := time.ParseInLocation("2006-01-02", text, p.now.Location()); err == nil && plausible(t.Year()) {
		from := StartOfDay(t)
		return span{Range: Range{From: from, To: from.AddDate(0, 0, 1)}}, i + 1, true
	}
	if c == named {
		if t, err := time.ParseInLocation("2006-01", text, p.now.Location()); err == nil && plausible(t.Year()) {
			return span{Range: Range{From: t, To: t.AddDate(0, 1, 0)}}, i + 1, true
		}
	}
	return span{}, 0, false
}

// isBefore reports whether the word in front of i, whatever phrase it belongs
// to, is one of these.
func (p parser) isBefore(i int, words ...string) bool {
	p.first = i
	return i > 0 && p.is(i-1, words...)
}

// monthDay reads "march 15", "15th of march", "march 15th, 2026".
func (p parser) monthDay(i int, c context) (span, int, bool) {
	if p.is(i, "the") {
		i++
	}
	m, d, next := time.Month(0), 0, 0
	if name, ok := monthOf(p.word(i)); ok {
		if n, ok := dayNumber(p.word(i + 1)); ok {
			m, d, next = name, n, i+2
		}
	} else if n, ok := dayNumber(p.word(i)); ok {
		at := i + 1
		if p.is(at, "of") {
			at++
		}
		name, ok := monthOf(p.word(at))
		_, hasYear := p.yearNumber(at + 1)
		// "step 3 may fail" is no date, "the 3rd of may" is.
		clear := c != bare || hasYear || at > i+1 || p.word(i) != strconv.Itoa(n) || !p.is(at, "may", "march", "mar", "dec")
		if ok && clear && !p.isVerb(at) {
			m, d, next = name, n, at+1
		}
	}
	if m == 0 {
		return span{}, 0, false
	}
	if y, ok := p.yearNumber(next); ok {
		from := date(y, m, d, p.now)
		return span{Range: Range{From: from, To: from.AddDate(0, 0, 1)}}, next + 1, from.Day() == d
	}
	// The latest such day that has begun; February 29 may be eight years ago.
	for y := p.now.Year(); y >= p.now.Year()-8; y-- {
		if from := date(y, m, d, p.now); from.Day() == d && !from.After(p.now) {
			return span{Range: Range{From: from, To: from.AddDate(0, 0, 1)}, guessedYear: true}, next, true
		}
	}
	return span{}, 0, false
}

// month reads "march 2026" anywhere, "last march", and "march" where a date is
// expected and the word is not part of another meaning.
func (p parser) month(i int, c context) (span, int, bool) {
	last := p.is(i, "last", "this")
	if last {
		i++
	}
	m, ok := monthOf(p.word(i))
	if !ok {
		return span{}, 0, false
	}
	if y, ok := p.yearNumber(i + 1); ok {
		from := date(y, m, 1, p.now)
		return span{Range: Range{From: from, To: from.AddDate(0, 1, 0)}}, i + 2, true
	}
	if c != named && !last || p.otherMeaning(i) {
		return span{}, 0, false
	}
	from := date(p.now.Year(), m, 1, p.now)
	if from.After(p.now) {
		from = from.AddDate(-1, 0, 0)
	}
	return span{Range: Range{From: from, To: from.AddDate(0, 1, 0)}, guessedYear: true}, i + 1, true
}

// otherMeaning reports whether the month at i is a verb, the start of "march of
// tests", or a short form that is a unit or file format more often than a month.
func (p parser) otherMeaning(i int) bool {
	return p.isVerb(i) || p.is(i, "mar", "dec") || p.is(i, "march") && p.is(i+1, "of")
}

// isVerb recognises "may be", "may need" and their like.
func (p parser) isVerb(i int) bool {
	return p.is(i, "may") &&
		p.is(i+1, "be", "not", "have", "also", "never", "still", "cause", "lead", "need", "only", "contain", "no", "fail", "well", "or")
}

// weekday reads "monday" where a date is expected, and "last monday" anywhere.
func (p parser) weekday(i int, c context) (span, int, bool) {
	last, this := p.is(i, "last", "past"), p.is(i, "this")
	if last || this {
		i++
	}
	d, ok := weekdayOf(p.word(i))
	if !ok || c == bare && !last && !this {
		return span{}, 0, false
	}
	back := (int(p.now.Weekday()) - int(d) + 7) % 7
	switch {
	case last && back == 0:
		back = 7
	case this: // of this week, which may still be to come
		back = (int(p.now.Weekday())+6)%7 - (int(d)+6)%7
	}
	return p.days(-back), i + 1, true
}

// year reads "2025" where a date is expected and it does not count something.
func (p parser) year(i int, c context) (span, int, bool) {
	y, ok := p.yearNumber(i)
	if !ok || c != named {
		return span{}, 0, false
	}
	from := date(y, time.January, 1, p.now)
	return span{Range: Range{From: from, To: from.AddDate(1, 0, 0)}}, i + 1, true
}
