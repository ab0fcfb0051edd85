package redact

import (
	"strings"
	"unicode"
)

const (
	markerStart   = "[REDACTED"
	privateMarker = "[REDACTED]"
)

// marker is what stands in the place of a secret.
func marker(rule string) string {
	if rule == PrivateRule {
		return privateMarker
	}
	return markerStart + ":" + rule + "]"
}

// markers finds what an earlier redaction left in s.
func markers(s string) []Finding {
	var found []Finding
	for at := 0; ; {
		i := strings.Index(s[at:], markerStart)
		if i < 0 {
			return found
		}
		start := at + i
		at = start + len(markerStart)
		end := at
		if end < len(s) && s[end] == ':' {
			for end++; end < len(s) && (isAlnum(s[end]) || s[end] == '-'); end++ {
			}
		}
		if end < len(s) && s[end] == ']' {
			at = end + 1
			found = append(found, Finding{Start: start, End: at})
		}
	}
}

// FullyPrivate reports whether s holds secrets or private blocks and, apart
// from them, not a single letter or digit: there is nothing left to keep.
func (r *Redactor) FullyPrivate(s string) bool {
	out := r.String(s)
	at := 0
	for _, m := range markers(out) {
		if saysSomething(out[at:m.Start]) {
			return false
		}
		at = m.End
	}
	return at > 0 && !saysSomething(out[at:])
}

func saysSomething(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}
