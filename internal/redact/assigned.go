package redact

import (
	"regexp"
	"strings"
)

// assignedForm is a rule with its pattern, compiled when first needed.
type assignedForm struct {
	assignedRule
	re func() *regexp.Regexp
}

// addAssigned puts the rules that know a service's name behind that name.
func addAssigned(t *keywordTable) {
	byKey := map[string][]assignedForm{}
	var keys []string
	for _, rule := range assignedRules {
		f := assignedForm{rule, anchored(rule.pattern)}
		for key := range strings.FieldsSeq(rule.keys) {
			if byKey[key] == nil {
				keys = append(keys, key)
			}
			byKey[key] = append(byKey[key], f)
		}
	}
	for _, key := range keys {
		forms := byKey[key]
		t.add(key, true, func(s *scan, start, end int) {
			if !isNamed(s.text[start:end]) {
				return
			}
			a, ok := assignmentAfter(s.text, end)
			if !ok || namesSomethingElse(a.between) {
				return
			}
			starts := []int{a.value}
			if a.value > a.prefix && s.text[a.value-1] == '=' {
				starts = append(starts, a.value-1) // the value may begin with it
			}
			for _, value := range starts {
				for _, f := range forms {
					if f.find(s, value) {
						return
					}
				}
			}
		})
	}
}

// find redacts the value at text[start:] if it has the form of the rule.
func (f assignedForm) find(s *scan, start int) bool {
	const longest = 256
	loc := f.re().FindStringIndex(s.text[start:min(len(s.text), start+longest)])
	if loc == nil || !valueEnds(s.text, start+loc[1]) {
		return false
	}
	secret := s.text[start : start+loc[1]]
	if !hasDigit(secret) && !isHexText(secret) || entropy(secret) < f.entropy || isMadeUp(secret) {
		return false
	}
	s.add(f.id, start, start+loc[1])
	return true
}

// isNamed reports whether a short service name is spelled as one: the letters
// of okta also stand in rookTable.
func isNamed(word string) bool {
	if len(word) > 6 || strings.EqualFold(word, "jfrog") {
		return true
	}
	return word == strings.ToLower(word) || word == strings.ToUpper(word) || word[1:] == strings.ToLower(word[1:])
}

// isHexText reports whether s is made of hexadecimal digits and separators.
func isHexText(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) && s[i] != ':' && s[i] != '-' {
			return false
		}
	}
	return true
}

// namesSomethingElse reports whether what follows a service's name says that
// the value is public: the commit of a dependency, a digest, an address.
func namesSomethingElse(between string) bool {
	between = strings.ToLower(between)
	for _, word := range [...]string{"sha", "commit", "rev", "hash", "digest", "checksum", "integrity", "version", "url", "uri", "path", "image", "etag"} {
		if strings.Contains(between, word) {
			return true
		}
	}
	return false
}
