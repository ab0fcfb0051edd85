package redact

import "strings"

// spokenValue returns the word at text[at:], or what is quoted there.
func spokenValue(text string, at int) (assignment, string) {
	a := assignment{op: " ", value: at, spaced: true}
	if at < len(text) && isQuote(text[at]) {
		a.quote = text[at]
		a.value++
	}
	return a, valueAt(text, a)
}

// spokenPassword redacts the password in "the password is …" if it is quoted
// or cannot be a word.
func spokenPassword(s *scan, _, end int) {
	a, value := spokenValue(s.text, end)
	if len(value) < 6 || strings.ContainsAny(value, " -") || !couldBeSecret(value) || isPlaceholder(value) || isKnownTerm(value) {
		return
	}
	if plausiblePassword(value, a) {
		s.add(passwordRule, a.value, a.value+len(value))
	}
}

// spokenSecret redacts the secret in "the token is …" if it looks random and
// not like the identifiers that are spoken of in the same way.
func spokenSecret(s *scan, _, end int) {
	a, value := spokenValue(s.text, end)
	if len(value) < 8 || !couldBeSecret(value) || isPlaceholder(value) || isKnownTerm(value) {
		return
	}
	if plausibleSecret(value, a) || len(value) >= 16 && genericSecret(value, weakName) {
		s.add(secretRule, a.value, a.value+len(value))
	}
}

// sqlPassword redacts IDENTIFIED BY 'password'.
func sqlPassword(s *scan, _, end int) {
	if end == len(s.text) || !isQuote(s.text[end]) {
		return
	}
	a := assignment{value: end + 1, quote: s.text[end]}
	if value := valueAt(s.text, a); plausiblePassword(value, a) && !isPlaceholder(value) {
		s.add(passwordRule, a.value, a.value+len(value))
	}
}
