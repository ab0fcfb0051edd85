package redact

import "strings"

// matcher looks at text[start:end], where a keyword stands, and adds what is
// secret around it.
type matcher func(s *scan, start, end int)

type keyword struct {
	text     string // lower case
	exact    string // the only spelling that counts, or empty
	matchers []matcher
}

// classes is how many kinds of bytes begin keywords; class 0 is every other byte.
const classes = 64

// keywordTable finds all keywords in one pass: the classes of two neighbouring
// bytes say which keywords may begin there.
type keywordTable struct {
	class   [256]uint8
	next    uint8
	pairs   [classes * classes]uint16 // 1 + index in buckets, or 0
	buckets [][]*keyword
	byText  map[string]*keyword
}

// add makes m look wherever text stands, in any case or only as spelled.
func (t *keywordTable) add(text string, foldCase bool, m matcher) {
	k, id := &keyword{text: strings.ToLower(text)}, strings.ToLower(text)
	if !foldCase {
		k.exact, id = text, "="+text
	}
	if known, ok := t.byText[id]; ok {
		known.matchers = append(known.matchers, m)
		return
	}
	k.matchers = []matcher{m}
	t.byText[id] = k
	pair := int(t.classOf(k.text[0]))*classes + int(t.classOf(k.text[1]))
	if t.pairs[pair] == 0 {
		t.buckets = append(t.buckets, nil)
		t.pairs[pair] = uint16(len(t.buckets))
	}
	bucket := &t.buckets[t.pairs[pair]-1]
	*bucket = append(*bucket, k)
}

func (t *keywordTable) classOf(c byte) uint8 {
	if t.class[c] == 0 {
		t.next++
		t.class[c] = t.next
		if isLower(c) {
			t.class[c-'a'+'A'] = t.next
		}
	}
	return t.class[c]
}

func (t *keywordTable) run(s *scan) {
	text := s.text
	previous := 0
	for i := range len(text) {
		class := int(t.class[text[i]])
		bucket := t.pairs[(previous*classes+class)&(classes*classes-1)]
		previous = class
		if bucket == 0 || i == 0 {
			continue
		}
		start := i - 1
		if start < s.skip {
			continue
		}
		for _, k := range t.buckets[bucket-1] {
			if k.exact != "" && !strings.HasPrefix(text[start:], k.exact) || !hasPrefixFold(text[start:], k.text) {
				continue
			}
			for _, match := range k.matchers {
				match(s, start, start+len(k.text))
			}
		}
	}
}
