package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Finding says where a secret stood in the input and which rule knew it. It
// never holds the secret.
type Finding struct {
	Rule       string
	Start, End int // byte offsets in the input
}

// PrivateRule is the rule of findings that an author marked with <private>.
const PrivateRule = "private"

// maxDepth bounds how often the text between findings is looked at again.
const maxDepth = 8

// Redactor replaces secrets. It is safe for concurrent use and worth sharing:
// what its rules compile to is kept.
type Redactor struct {
	patterns []userPattern
	allowed  []func(secret string) bool
	keywords func() *keywordTable
}

// New returns a Redactor with the built-in rules and what the options add. It
// fails with an Invalid error when an option's pattern is not a regular expression.
func New(options ...Option) (*Redactor, error) {
	r := &Redactor{}
	for _, option := range options {
		if err := option(r); err != nil {
			return nil, err
		}
	}
	r.keywords = sync.OnceValue(newKeywordTable)
	return r, nil
}

// String returns s with its secrets replaced.
func (r *Redactor) String(s string) string {
	out, _ := r.Text(s)
	return out
}

// Text returns s with every secret replaced by [REDACTED:rule] and every
// private block by [REDACTED], and says what was found, in order and without
// overlap. A secret that stands again elsewhere in s goes there too. Redacting
// the result again changes nothing.
func (r *Redactor) Text(s string) (string, []Finding) {
	old := markers(s)
	found := r.between(s, old, privateBlocks(s))
	for range maxRounds {
		if len(found) == 0 {
			return s, nil
		}
		again := merge(repetitions(s, found, barriers(old, found)))
		if len(again) == 0 {
			break
		}
		found = r.between(s, old, append(found, again...))
	}
	slices.SortFunc(found, byStart)
	return replace(s, found), found
}

// barriers are the parts of a text that are not looked at any more, in order.
func barriers(old, found []Finding) []Finding {
	return slices.SortedFunc(slices.Values(slices.Concat(old, found)), byStart)
}

// between adds the secrets in the pieces of s between old markers and what was
// found so far.
func (r *Redactor) between(s string, old, found []Finding) []Finding {
	at := 0
	for _, b := range barriers(old, found) {
		found = r.segment(s, at, b.Start, found, 0)
		at = max(at, b.End)
	}
	return r.segment(s, at, len(s), found, 0)
}

// segment adds the secrets in s[start:end] to found. The pieces that remain
// between them are looked at again, each for itself, because that is how a
// second redaction of the result will see them.
func (r *Redactor) segment(s string, start, end int, found []Finding, depth int) []Finding {
	if start >= end || depth == maxDepth {
		return found
	}
	spans := r.scan(s[start:end])
	at := start
	for i, span := range spans {
		span.Start += start
		span.End += start
		spans[i] = span
		found = append(found, span)
		found = r.segment(s, at, span.Start, found, depth+1)
		at = span.End
	}
	if len(spans) > 0 {
		found = r.segment(s, at, end, found, depth+1)
	}
	return found
}

// scan finds the secrets in text: sorted, merged where they overlap, and cut
// at rune boundaries.
func (r *Redactor) scan(text string) []Finding {
	s := scan{text: text, allowed: r.allowed, curl: -1}
	r.keywords().run(&s)
	for _, p := range r.patterns {
		p.find(&s)
	}
	return merge(s.found)
}

// merge sorts findings and unites those that overlap.
func merge(found []Finding) []Finding {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, byStart)
	merged := found[:1]
	for _, f := range found[1:] {
		last := &merged[len(merged)-1]
		if f.Start >= last.End {
			merged = append(merged, f)
			continue
		}
		if byName(last.Rule) && !byName(f.Rule) || byName(last.Rule) == byName(f.Rule) && f.End-f.Start > last.End-last.Start {
			last.Rule = f.Rule
		}
		last.End = max(last.End, f.End)
	}
	return merged
}

// byName reports whether a rule judges values by their name: where another
// rule knows the secret itself, that one says more.
func byName(rule string) bool {
	switch rule {
	case envRule, passwordRule, secretRule, genericRule:
		return true
	}
	return false
}

func byStart(a, b Finding) int {
	if a.Start != b.Start {
		return a.Start - b.Start
	}
	return b.End - a.End
}

// scan is one look at one piece of text.
type scan struct {
	text    string
	allowed []func(string) bool
	found   []Finding

	curl     int // end of the last "curl" seen, or -1
	manifest int // end of the last Kubernetes manifest looked at
	skip     int // keywords before this are part of something known
}

// add records text[start:end] unless the user allowed it.
func (s *scan) add(rule string, start, end int) {
	for _, allowed := range s.allowed {
		if allowed(s.text[start:end]) {
			return
		}
	}
	for start > 0 && !utf8.RuneStart(s.text[start]) {
		start--
	}
	for end < len(s.text) && !utf8.RuneStart(s.text[end]) {
		end++
	}
	s.found = append(s.found, Finding{Rule: rule, Start: start, End: end})
}

func replace(s string, found []Finding) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, f := range found {
		b.WriteString(s[at:f.Start])
		b.WriteString(marker(f.Rule))
		at = f.End
	}
	b.WriteString(s[at:])
	return b.String()
}
