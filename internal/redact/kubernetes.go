package redact

import (
	"strings"
)

const (
	maxManifest = 4096
	minEncoded  = 10 // base64 characters of a value worth hiding
)

// kubernetesSecret redacts the values under data: and stringData: of a
// manifest of kind Secret.
func kubernetesSecret(s *scan, start, end int) {
	if start < s.manifest {
		return
	}
	kind := strings.TrimLeft(s.text[end:min(len(s.text), end+32)], " \t\"'")
	if !hasPrefixFold(kind, "secret") || len(kind) > 6 && isWord(kind[6]) || start > 0 && isWord(s.text[start-1]) {
		return
	}
	from, to := max(s.manifest, start-maxManifest), min(len(s.text), end+maxManifest)
	if i := strings.LastIndex(s.text[from:start], "\n---"); i >= 0 {
		from += i
	}
	if i := strings.Index(s.text[end:to], "\n---"); i >= 0 {
		to = end + i
	}
	s.manifest = to
	inData, indent, value := false, 0, false
	for at := from; at < to; {
		length := strings.IndexByte(s.text[at:to], '\n') + 1
		if length == 0 {
			length = to - at
		}
		line := s.text[at : at+length]
		body := strings.TrimLeft(line, " \t")
		margin := len(line) - len(body)
		body = strings.TrimSpace(body)
		switch {
		case body == "" || body[0] == '#':
		case hasPrefixFold(body, "data:") || hasPrefixFold(body, "stringdata:"):
			inData, indent, value = true, margin, false
		case inData && margin <= indent:
			inData = false
		case inData:
			value = redactEntry(s, at+margin, body, value)
		}
		at += length
	}
}

// redactEntry redacts the value of one line `key: value`, or the line itself
// when it continues a block that the line before opened. It reports whether
// the next line continues one.
func redactEntry(s *scan, at int, body string, continues bool) bool {
	value, offset := body, 0
	if i := strings.IndexByte(body, ':'); i >= 0 {
		value = strings.TrimLeft(body[i+1:], " \t")
		offset = len(body) - len(value)
		if value == "|" || value == ">" || value == "|-" || value == ">-" || value == "|+" || value == ">+" {
			return true
		}
	} else if !continues {
		return false
	}
	trimmed := strings.TrimLeft(value, `"'`)
	offset += len(value) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, `"'`)
	for i := range len(trimmed) {
		if c := trimmed[i]; !isAlnum(c) && strings.IndexByte("+/=", c) < 0 {
			return continues
		}
	}
	if len(strings.TrimRight(trimmed, "=")) >= minEncoded {
		s.add("kubernetes-secret-yaml", at+offset, at+offset+len(trimmed))
	}
	return continues
}
