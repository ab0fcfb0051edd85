package redact

import (
	"regexp"
	"strings"
	"sync"
)

// maxToken bounds how much text a token's pattern looks at.
const maxToken = 4096

// newKeywordTable puts every rule behind its keywords. No pattern is compiled
// before its keyword is met.
func newKeywordTable() *keywordTable {
	t := &keywordTable{byText: make(map[string]*keyword, 320)}
	for _, rules := range [][]tokenRule{gitleaksTokens, ownTokens} {
		for _, rule := range rules {
			m := rule.matcher()
			for key := range strings.FieldsSeq(rule.keys) {
				t.add(key, rule.flags&foldCase != 0, m)
			}
		}
	}
	addAssigned(t)
	addShaped(t)
	addNames(t)
	addTransport(t)
	return t
}

// anchored compiles a pattern that has to match at the beginning, when first asked.
func anchored(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)`) })
}

func (rule tokenRule) matcher() matcher {
	pattern := anchored(rule.pattern)
	return func(s *scan, start, _ int) {
		if rule.flags&wordStart != 0 && !atWordStart(s.text, start) {
			return
		}
		window := s.text[start:min(len(s.text), start+maxToken)]
		loc := pattern().FindStringIndex(window)
		if loc == nil {
			return
		}
		end := start + loc[1]
		if rule.flags&ends != 0 {
			if !tokenEnds(s.text, end) {
				return
			}
		} else {
			for end < len(s.text) && isWord(s.text[end]) {
				end++ // a longer format than we know is as secret
			}
		}
		secret := s.text[start:end]
		if rule.flags&lettersOnly == 0 && !hasDigit(secret) || rule.entropy > 0 && entropy(secret) < rule.entropy || isMadeUp(secret) {
			return
		}
		if rule.flags&looksDrawn != 0 && (!looksRandom(secret) || hasRun(secret[4:], 5) || start > 0 && s.text[start-1] == '+') {
			return
		}
		s.add(rule.id, start, end)
		s.skip = end
	}
}

// tokenEnds reports whether no character at text[i] continues a token.
func tokenEnds(text string, i int) bool {
	if i == len(text) {
		return true
	}
	if text[i] == '-' || text[i] == '.' {
		return i+1 == len(text) || !isWord(text[i+1])
	}
	return !isWord(text[i])
}
