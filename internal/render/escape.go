package render

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// escapedLess stands for a "<" that would open or close a tag. The ">" needs
// no escape, as nothing is left that it could end.
const escapedLess = "&lt;"

// escape takes from a line of visible text whatever could be read as a tag, as
// the marker of a block, or as a code fence. Comparisons, shifts, arrows and
// type parameters stay as they are written.
func escape(line string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return isLess(r) || r == '[' || r == '`' || r == '~' }) {
		return line
	}
	rs := []rune(line)
	lastMore := len(rs) - 1
	for lastMore >= 0 && !isMore(rs[lastMore]) {
		lastMore--
	}
	var b strings.Builder
	b.Grow(len(line) + 16)
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		switch {
		case isLess(r) && opensTag(rs, i, lastMore > i):
			b.WriteString(escapedLess)
		case r == '[' && opensMarker(rs[i+1:]):
			b.WriteString("[ ")
		case r == '`' || r == '~':
			run := 1
			for i+run < len(rs) && rs[i+run] == r {
				run++
			}
			if run < 3 {
				b.WriteString(string(rs[i : i+run]))
			} else {
				b.WriteRune(r) // a fence becomes a code span
			}
			i += run - 1
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// opensTag reports whether the "<" at rs[i] could be the start of a tag.
// closes says whether any ">" follows.
func opensTag(rs []rune, i int, closes bool) bool {
	rest := rs[i+1:]
	name := rest
	for len(name) > 0 && name[0] == ' ' {
		name = name[1:]
	}
	if len(name) == 0 {
		return true // whatever follows the text could complete it
	}
	switch c := name[0]; {
	case isSlash(c), c == '|', c == '\\':
		return true
	case c == '!':
		return len(name) > 1 && name[1] != '='
	case c == '?':
		return len(name) > 1 && unicode.IsLetter(name[1])
	case !unicode.IsLetter(c) && c != '_' && c != ':':
		return false
	}
	if isReserved(firstWord(name)) {
		return true
	}
	if len(name) < len(rest) || rs[i] != '<' {
		return false // "a < b", or a quotation mark that looks like a bracket
	}
	attached := i > 0 && (isLetter(rs[i-1]) || rs[i-1] >= '0' && rs[i-1] <= '9' || rs[i-1] == '_')
	return !attached || closes && !typeParameters(rest)
}

// opensMarker reports whether rest, which follows a "[", makes it the marker
// of a memory block or of a chat template: [MEMORY], [/INST], [system].
func opensMarker(rest []rune) bool {
	for len(rest) > 0 && isSlash(rest[0]) {
		rest = rest[1:]
	}
	return isReserved(firstWord(rest)) && !followedByDot(rest)
}

// followedByDot tells [tool.poetry], a section of a file, from [tool].
func followedByDot(rest []rune) bool {
	for i, r := range rest {
		if !isLetter(r) {
			return i > 0 && r == '.'
		}
	}
	return false
}

// typeParameters reports whether rest, which follows a "<" attached to a name,
// is a short list of types up to its ">", as in Map<string, Vec<T>>.
func typeParameters(rest []rune) bool {
	const longest = 80
	depth := 1
	for i, r := range rest[:min(len(rest), longest)] {
		switch {
		case r == '<':
			depth++
		case r == '>':
			depth--
		case !isLetter(r) && (r < '0' || r > '9') && !strings.ContainsRune("_,.&*?:[]|' ", r):
			return false
		}
		if depth == 0 {
			words := strings.FieldsFunc(string(rest[:i]), func(r rune) bool {
				return !isLetter(r) && (r < '0' || r > '9') && r != '_'
			})
			return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !isTypeName(w) })
		}
	}
	return false
}

// isTypeName reports whether a word is a type in the usual languages.
func isTypeName(word string) bool {
	if isReserved(strings.ToLower(word)) {
		return false
	}
	if word[0] >= 'A' && word[0] <= 'Z' || word[0] >= '0' && word[0] <= '9' {
		return true
	}
	return slices.Contains(strings.Fields(
		`any auto bigint bool boolean byte bytes char const double dict dyn extends f32 f64 float float32 float64 i8 i16 i32 i64
		impl in infer int int8 int16 int32 int64 interface isize keyof list long map mut never null number object out set short
		size_t static std str string symbol tuple typeof u8 u16 u32 u64 uint uint32 uint64 undefined unknown usize vector void`), word)
}

// firstWord returns the name that rs starts with as a model may read it: lower
// case, normalised, look-alike letters replaced.
func firstWord(rs []rune) string {
	const longest = 32
	folded := strings.ToLower(norm.NFKC.String(string(rs[:min(len(rs), longest)])))
	var b strings.Builder
	for _, r := range folded {
		if latin, ok := lookAlike[r]; ok {
			r = latin
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' && b.Len() > 0 || (r == '_' || r == '-') && b.Len() > 0 {
			b.WriteRune(r)
			continue
		}
		break
	}
	return b.String()
}

// isReserved reports whether a tag or marker of this name means something to
// CodeMemory, to the systems before it, to agents or to chat templates.
func isReserved(name string) bool {
	switch name {
	case "action", "admin", "ai", "assistant", "bos", "context", "document", "endoftext", "env", "eos", "eot_id", "human", "important",
		"inst", "instruction", "instructions", "invoke", "message", "model", "parameter", "private", "prompt", "recent_actions",
		"rest-of-document", "result", "role", "s", "sys", "think", "thinking", "user":
		return true
	}
	for _, family := range []string{
		tagName, "antml", "begin_of", "command-", "developer", "end_of", "fim_", "function", "im_", "memories", "memory",
		"memsearch", "start_", "start-", "system", "tool", "user-", "user_",
	} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}

func isLess(r rune) bool  { return strings.ContainsRune("<‹〈⟨❮❰ᐸ˂", r) }
func isMore(r rune) bool  { return strings.ContainsRune(">›〉⟩❯❱ᐳ˃", r) }
func isSlash(r rune) bool { return strings.ContainsRune("/∕⁄╱⧸／", r) }

// lookAlike maps lower-case Cyrillic and Greek letters to the Latin ones they
// are drawn like.
var lookAlike = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'у': 'y', 'х': 'x', 'і': 'i', 'ѕ': 's', 'ј': 'j', 'һ': 'h', 'ԁ': 'd', 'м': 'm', 'т': 't', 'н': 'h', 'к': 'k', 'в': 'b',
	'α': 'a', 'ε': 'e', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'y', 'ι': 'i', 'μ': 'm', 'ν': 'v', 'χ': 'x', 'η': 'h', 'κ': 'k', 'ς': 's',
}
