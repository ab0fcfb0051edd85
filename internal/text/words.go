package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind says how a term came out of a text.
type kind uint8

const (
	wholeWord kind = iota // a word, or an identifier as one
	wordPart              // a part of an identifier, path or compound
	nGram                 // characters of a script without spaces
)

// maxTermBytes bounds a single term: longer runs are hashes or encoded data
// that nobody asks for by word; their first bytes still find them.
const maxTermBytes = 64

// walk calls emit for every term of s in order of appearance.
func walk(s string, emit func(term string, k kind)) {
	w := walker{emit: emit}
	for i := 0; i < len(s); {
		start, end := nextChunk(s, i)
		if start < 0 {
			return
		}
		w.chunk(s[start:end])
		i = end
	}
}

// nextChunk finds the next run of word characters and the signs that join
// them, without joining signs at its ends.
func nextChunk(s string, i int) (start, end int) {
	for i < len(s) {
		r, n := decode(s[i:])
		if isWord(r) {
			break
		}
		i += n
	}
	if i >= len(s) {
		return -1, -1
	}
	start, end = i, i
	dense := false
	for i < len(s) {
		r, n := decode(s[i:])
		switch {
		case isWord(r):
			// An identifier glued to a script without spaces is a word of its own.
			if d := isDense(r); end > start && d != dense {
				return start, end
			} else {
				dense = d
			}
			i += n
			end = i
		case isJoint(r):
			i += n
		case (r == '+' || r == '#') && i == end && !dense:
			e := end
			for e < len(s) && s[e] == byte(r) && e-end < 2 {
				e++
			}
			if e-start <= 4 { // c++, c#, f#: not "a+b" or headings
				return start, e
			}
			return start, end
		default:
			return start, end
		}
	}
	return start, end
}

func isJoint(r rune) bool {
	switch r {
	case '.', '-', '/', ':', '@', '\'', '’', '\\', '‐', '‑':
		return true
	}
	return false
}

type walker struct {
	emit func(string, kind)
}

// chunk emits the terms of one run: the whole of it, its identifiers and
// their parts.
func (w *walker) chunk(c string) {
	r, _ := decode(c)
	if isDense(r) {
		w.grams(fold(c), nGram)
		return
	}
	if !isASCII(c) {
		c = foldKeepCase(c)
	}
	c = dropPossessive(c)
	if simpleWord(c) {
		w.word(c, wholeWord)
		return
	}
	segs := strings.FieldsFunc(c, func(r rune) bool { return isJoint(r) })
	if len(segs) == 1 {
		w.identifier(segs[0], wholeWord)
		return
	}
	if isContraction(c) {
		w.word(withoutApostrophes.Replace(c), wholeWord)
		return
	}
	path := strings.ContainsAny(c, "/\\")
	if path {
		w.word(strings.ReplaceAll(c, "\\", "/"), wholeWord)
		if base := c[strings.LastIndexAny(c, "/\\")+1:]; strings.Contains(base, ".") {
			w.word(strings.ReplaceAll(base, ".", ""), wordPart)
		}
	} else if len(segs) <= 4 {
		w.word(strings.Join(segs, ""), wholeWord)
	}
	for _, s := range segs {
		w.identifier(s, wordPart)
	}
}

// identifier emits snake_case and camelCase as one and in parts.
func (w *walker) identifier(s string, k kind) {
	s = strings.Trim(s, "_")
	if s == "" {
		return
	}
	parts := splitIdentifier(s)
	if len(parts) == 1 {
		w.word(s, k)
		return
	}
	w.word(strings.ReplaceAll(s, "_", ""), k)
	for _, p := range parts {
		w.word(p, wordPart)
	}
}

// word emits one word in lower case; Korean also in pairs of syllables, since
// its particles are glued to the noun.
func (w *walker) word(s string, k kind) {
	if s == "" {
		return
	}
	s = lower(s)
	if len(s) > maxTermBytes {
		cut := maxTermBytes
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
	}
	w.emit(s, k)
	if r, _ := decode(s); unicode.Is(unicode.Hangul, r) && utf8.RuneCountInString(s) > 2 {
		w.grams(s, wordPart)
	}
}

// grams emits pairs of neighbouring characters, or the single one.
func (w *walker) grams(s string, k kind) {
	prev := 0
	_, n := decode(s)
	if n >= len(s) {
		w.emit(s, k)
		return
	}
	for i := n; i < len(s); {
		_, m := decode(s[i:])
		w.emit(s[prev:i+m], k)
		prev, i = i, i+m
	}
}

// splitIdentifier cuts at underscores, at changes from lower to upper case,
// before the last capital of an acronym, and between letters and digits.
func splitIdentifier(s string) []string {
	var parts []string
	start := 0
	rs := []rune(s)
	flush := func(end int) {
		if end > start {
			parts = append(parts, string(rs[start:end]))
		}
		start = end
	}
	for i, r := range rs {
		if r == '_' {
			flush(i)
			start = i + 1
			continue
		}
		if i == start {
			continue
		}
		p := rs[i-1]
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(p):
			flush(i)
		case unicode.IsLower(r) && unicode.IsUpper(p) && i-1 > start:
			flush(i - 1)
		case unicode.IsDigit(r) && unicode.IsLetter(p), unicode.IsLetter(r) && unicode.IsDigit(p):
			flush(i)
		}
	}
	flush(len(rs))
	return parts
}

func simpleWord(c string) bool {
	upperAfterFirst := false
	for i := 0; i < len(c); i++ {
		b := c[i]
		switch {
		case b >= utf8.RuneSelf:
			return false
		case 'a' <= b && b <= 'z':
		case 'A' <= b && b <= 'Z':
			upperAfterFirst = upperAfterFirst || i > 0
		default:
			return false
		}
	}
	return !upperAfterFirst || strings.ToUpper(c) == c
}

// dropPossessive removes the genitive 's.
func dropPossessive(c string) string {
	for _, suffix := range []string{"'s", "’s", "'S"} {
		if t, ok := strings.CutSuffix(c, suffix); ok {
			return t
		}
	}
	return c
}

func isContraction(c string) bool {
	if strings.Count(c, "'")+strings.Count(c, "’") != 1 {
		return false
	}
	for _, r := range c {
		if !unicode.IsLetter(r) && r != '\'' && r != '’' {
			return false
		}
	}
	return true
}

// decode is DecodeRune that sees an invalid byte as a separator.
func decode(s string) (rune, int) {
	if len(s) > 0 && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// withoutApostrophes is made once: making one costs more than a whole text.
var withoutApostrophes = strings.NewReplacer("'", "", "’", "")
