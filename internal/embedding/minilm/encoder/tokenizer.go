package encoder

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Break says how strong the border before a token is; passages are cut at the
// strongest one near their end.
type Break uint8

// Borders, weakest first.
const (
	InsideWord Break = iota
	AtWord
	AtSentence
	AtLine
	AtParagraph
)

// Tokens are the word pieces of a text, without [CLS] and [SEP].
type Tokens struct {
	IDs    []int32
	Breaks []Break // the border before each token
}

// longestWord is the number of runes beyond which a word becomes [UNK], as in
// the original tokenizer.
const longestWord = 100

// Tokenizer is BERT's uncased WordPiece: clean, lower-case, strip accents, split
// at punctuation and around CJK characters, then the longest pieces first.
type Tokenizer struct {
	vocab         vocabulary
	cls, sep, unk int32
}

func newTokenizer(v vocabulary) Tokenizer {
	t := Tokenizer{vocab: v}
	t.cls, _ = v.find("", "[CLS]")
	t.sep, _ = v.find("", "[SEP]")
	t.unk, _ = v.find("", "[UNK]")
	return t
}

// HasWord reports whether the lower-cased word is a single piece.
func (t *Tokenizer) HasWord(word string) bool {
	_, ok := t.vocab.find("", strings.ToLower(word))
	return ok
}

// Piece returns the text of a token id.
func (t *Tokenizer) Piece(id int32) string { return t.vocab.piece(id) }

// Wrap puts [CLS] before and [SEP] after ids, in a new slice.
func (t *Tokenizer) Wrap(ids []int32) []int32 {
	out := make([]int32, 0, len(ids)+2)
	out = append(out, t.cls)
	out = append(out, ids...)
	return append(out, t.sep)
}

// Tokenize returns at most limit tokens of text.
func (t *Tokenizer) Tokenize(text string, limit int) Tokens {
	s := splitter{tokenizer: t, limit: limit, border: AtParagraph}
	if !isASCII(text) {
		text = norm.NFD.String(text)
	}
	for _, r := range text {
		if len(s.out.IDs) >= limit {
			break
		}
		s.rune(r)
	}
	s.flush()
	if len(s.out.IDs) > limit {
		s.out.IDs, s.out.Breaks = s.out.IDs[:limit], s.out.Breaks[:limit]
	}
	return s.out
}

// splitter turns runes into words and words into pieces.
type splitter struct {
	tokenizer *Tokenizer
	limit     int
	word      []byte
	out       Tokens
	border    Break // of the next token
	ended     bool  // the last token was . ! or ?, so a space ends a sentence
}

func (s *splitter) rune(r rune) {
	switch {
	case r == '\n':
		s.flush()
		if s.border == AtLine {
			s.border = AtParagraph
		}
		s.border = max(s.border, AtLine)
	case unicode.IsSpace(r):
		s.flush()
		if s.ended {
			s.border = max(s.border, AtSentence)
		}
	case isDropped(r):
	case isPunctuation(r) || isCJK(r):
		s.flush()
		s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
		s.flush()
		s.ended = r == '.' || r == '!' || r == '?' || r == '。'
	default:
		s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
	}
}

func (s *splitter) flush() {
	if len(s.word) == 0 {
		return
	}
	s.pieces(string(s.word))
	s.word = s.word[:0]
	s.ended = false
	s.border = AtWord
}

// pieces appends the word as its longest pieces, or as [UNK] when some part of
// it is in no piece.
func (s *splitter) pieces(word string) {
	first := len(s.out.IDs)
	if utf8.RuneCountInString(word) > longestWord {
		s.add(s.tokenizer.unk, s.border)
		return
	}
	prefix, border := "", s.border
	for len(word) > 0 {
		id, length := s.longest(prefix, word)
		if length == 0 {
			s.out.IDs, s.out.Breaks = s.out.IDs[:first], s.out.Breaks[:first]
			s.add(s.tokenizer.unk, s.border)
			return
		}
		s.add(id, border)
		word, prefix, border = word[length:], "##", InsideWord
	}
}

func (s *splitter) longest(prefix, word string) (id int32, length int) {
	for end := len(word); end > 0; {
		if id, ok := s.tokenizer.vocab.find(prefix, word[:end]); ok {
			return id, end
		}
		_, size := utf8.DecodeLastRuneInString(word[:end])
		end -= size
	}
	return 0, 0
}

func (s *splitter) add(id int32, border Break) {
	s.out.IDs = append(s.out.IDs, id)
	s.out.Breaks = append(s.out.Breaks, border)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isDropped reports whether cleaning removes r: control and format characters,
// invalid bytes, and the accents that decomposition set free.
func isDropped(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return r == utf8.RuneError || unicode.Is(unicode.C, r) || unicode.Is(unicode.Mn, r)
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && !isASCIIAlphanumeric(r)
	}
	return unicode.IsPunct(r)
}

func isASCIIAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

func isCJK(r rune) bool {
	return r >= 0x3400 && (r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B81F || r >= 0x2F800 && r <= 0x2FA1F)
}
