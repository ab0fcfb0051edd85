// Package timerange finds a phrase about time in a question, such as "last
// week", "since monday" or "before march 15", and turns it into an interval.
//
// It prefers to find nothing over guessing: a wrong interval hides the answer,
// while a phrase left in the question costs little. So names that are also
// other words (may, march, sun) count only where the words around them say that
// a date is meant, and text in quotes is left alone.
//
// Phrases about the past are assumed: a month or day without a year is the
// latest one that has begun.
package timerange

import (
	"strings"
	"time"
)

// Range is the time from From until just before To. A zero end is open.
type Range struct {
	From, To time.Time
}

// Contains reports whether t lies in r.
func (r Range) Contains(t time.Time) bool {
	return (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || t.Before(r.To))
}

// Find returns the interval that query speaks of and the query without the
// phrase, or the query as it is and false. now is the present in the user's
// time zone, in which days begin and end.
func Find(query string, now time.Time) (r Range, rest string, ok bool) {
	r, rest, ok = findOne(query, now, false)
	if !ok {
		return Range{}, query, false
	}
	// "after X before Y" states both ends in two phrases.
	if r.From.IsZero() != r.To.IsZero() {
		if other, shorter, ok := findOne(rest, now, true); ok && complementary(r, other) {
			return Range{From: later(r.From, other.From), To: later(r.To, other.To)}, shorter, true
		}
	}
	return r, rest, true
}

// complementary reports whether one range has only a beginning and the other
// only an end that follows it.
func complementary(a, b Range) bool {
	if a.From.IsZero() {
		a, b = b, a
	}
	return !a.From.IsZero() && a.To.IsZero() && b.From.IsZero() && b.To.After(a.From)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// findOne finds the first phrase. The second of two takes the "and" before it along.
func findOne(query string, now time.Time, second bool) (Range, string, bool) {
	tokens := tokenize(query)
	for i := range tokens {
		p := parser{tokens: tokens, first: i, now: now}
		if r, next, ok := p.phrase(i); ok {
			start := tokens[i].start
			if second && p.isBefore(i, "and") {
				start = tokens[i-1].start
			}
			return r, cut(query, start, tokens[next-1].end), true
		}
	}
	return Range{}, query, false
}

// cut removes a phrase and the punctuation that stood around it.
func cut(query string, start, end int) string {
	before := strings.TrimRight(query[:start], " \t\r\n,;:-(")
	after := strings.TrimLeft(query[end:], " \t\r\n,;:-)")
	if before == "" || after == "" {
		return strings.TrimSpace(before + after)
	}
	return strings.TrimSpace(before + " " + after)
}
