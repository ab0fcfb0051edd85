package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// shortener copies JSON, of which it sees one piece after the other, without
// the ends of its long strings.
type shortener struct {
	limit    int // of a string
	most     int // of all
	out      []byte
	inString bool
	escaped  bool
	start    int // of the string in out
	length   int // of the string, as written
	over     bool
}

func (s *shortener) take(chunk []byte) {
	for len(chunk) > 0 && !s.over {
		switch {
		case s.escaped:
			s.escaped = false
			s.add(chunk[:1])
			chunk = chunk[1:]
		case s.inString:
			n := bytes.IndexAny(chunk, `"\`)
			if n < 0 {
				s.add(chunk)
				return
			}
			s.add(chunk[:n])
			if s.escaped = chunk[n] == '\\'; s.escaped {
				s.add(chunk[n : n+1])
			} else {
				s.inString = false
				s.endString()
				s.keep(chunk[n : n+1])
			}
			chunk = chunk[n+1:]
		default:
			n := bytes.IndexByte(chunk, '"') + 1
			if s.inString = n > 0; !s.inString {
				n = len(chunk)
			}
			s.keep(chunk[:n])
			s.start, s.length = len(s.out), 0
			chunk = chunk[n:]
		}
	}
}

// add takes a piece of a string.
func (s *shortener) add(piece []byte) {
	left := max(0, s.limit-s.length)
	s.length += len(piece)
	s.keep(piece[:min(left, len(piece))])
}

func (s *shortener) keep(piece []byte) {
	if len(s.out)+len(piece) > s.most {
		s.over, s.out = true, nil
		return
	}
	s.out = append(s.out, piece...)
}

// endString puts a mark after a string that was cut, and takes away what the
// cut left of an escape sequence or a character.
func (s *shortener) endString() {
	if s.length <= s.limit {
		return
	}
	end := len(s.out)
	if i := bytes.LastIndexByte(s.out[max(s.start, end-12):end], '\\'); i >= 0 {
		// Six bytes after the last escape are enough for any; before it may
		// be the first half of a pair, which decodes to a replacement.
		if at := max(s.start, end-12) + i; end-at < 6 {
			end = at
			for end > s.start && s.out[end-1] == '\\' {
				end--
			}
		}
	}
	for end > s.start && !utf8.RuneStart(s.out[end-1]) {
		end--
	}
	if end > s.start && s.out[end-1] >= utf8.RuneSelf {
		end--
	}
	s.out = fmt.Appendf(s.out[:end], `\n[… cut, %d bytes in all]`, s.length)
}

// bytes returns the copy, nil when even that is too long.
func (s *shortener) bytes() []byte { return s.out }

// bigInput is how much of one value in a big input of a tool is kept.
const bigInput = 16 << 10

// Input makes a copy of the input of a tool with its long strings cut. What is
// no JSON becomes nothing.
func Input(input []byte) json.RawMessage {
	if len(input) == 0 || bytes.Equal(input, []byte("null")) {
		return nil
	}
	if len(input) <= bigInput {
		if !json.Valid(input) {
			return nil
		}
		return bytes.ToValidUTF8(bytes.Clone(input), []byte("\uFFFD"))
	}
	var v any
	if json.Unmarshal(input, &v) != nil {
		return nil
	}
	out, err := json.Marshal(shortenValue(v))
	if err != nil {
		return nil
	}
	return out
}

func shortenValue(v any) any {
	switch v := v.(type) {
	case string:
		return Cut(v, len(v), bigInput)
	case []any:
		for i := range v {
			v[i] = shortenValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = shortenValue(v[k])
		}
	}
	return v
}

// Cut shortens s, which had size bytes in all, to at most limit bytes with a
// mark; limit 0 means no limit. What is not UTF-8 in it is replaced.
func Cut(s string, size, limit int) string {
	s = Valid(s)
	size = max(size, len(s))
	if limit <= 0 || size <= limit {
		return s
	}
	mark := fmt.Sprintf("\n[… cut, %d bytes in all]", size)
	if len(mark) >= limit {
		mark = ""
	}
	return Head(s, limit-len(mark)) + mark
}

// Head returns a copy of at most limit bytes of s that ends with a whole
// character.
func Head(s string, limit int) string {
	end := min(limit, len(s))
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.Clone(s[:end]) // so that the rest can be freed
}
