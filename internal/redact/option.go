package redact

import (
	"regexp"
	"strings"

	"codememory"
)

// Option adds to what a Redactor knows.
type Option func(*Redactor) error

// WithPattern makes everything that expr matches a secret; if expr has a
// group, only what its first group matches. The id appears in the replacement
// and consists of lower-case letters, digits and dashes.
func WithPattern(id, expr string) Option {
	return func(r *Redactor) error {
		if id == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return codememory.Errorf(codememory.Invalid, "redaction pattern name %q: use lower-case letters, digits and dashes", id)
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return codememory.Errorf(codememory.Invalid, "redaction pattern %s: %w", id, err)
		}
		r.patterns = append(r.patterns, userPattern{id, re})
		return nil
	}
}

// WithAllowed keeps secrets that expr matches as a whole: values known to be
// public, or test data.
func WithAllowed(expr string) Option {
	return func(r *Redactor) error {
		re, err := regexp.Compile(`^(?:` + expr + `)$`)
		if err != nil {
			return codememory.Errorf(codememory.Invalid, "allowed pattern %q: %w", expr, err)
		}
		r.allowed = append(r.allowed, re.MatchString)
		return nil
	}
}

// userPattern is a rule that the user added.
type userPattern struct {
	id string
	re *regexp.Regexp
}

func (p userPattern) find(s *scan) {
	for _, m := range p.re.FindAllStringSubmatchIndex(s.text, -1) {
		start, end := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			start, end = m[2], m[3]
		}
		if start < end {
			s.add(p.id, start, end)
		}
	}
}
