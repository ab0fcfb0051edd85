package config

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setTOML replaces the value of key, or adds it where it belongs.
func setTOML(text []byte, key, literal string) []byte {
	doc := scanTOML(text)
	for _, v := range doc.values {
		if v.key == key {
			return splice(text, v.value, v.end, literal)
		}
	}
	group, name := groupOf(key)
	if group == "" {
		return addRootValue(text, doc, name+" = "+literal)
	}
	for _, v := range doc.values {
		if v.key == group && v.isInline {
			return addInline(text, doc, v, name+" = "+literal)
		}
	}
	for i, t := range doc.tables {
		if t.name == group {
			if last, ok := lastValue(doc, func(v tomlValue) bool { return v.table == i && !v.inline }); ok {
				return addLineAfter(text, last.end, lineIndent(text, last.start)+name+" = "+literal)
			}
			return addLineAfter(text, t.start, lineIndent(text, t.start)+name+" = "+literal)
		}
	}
	// A group that began with dotted keys cannot be continued by a header.
	inGroup := func(v tomlValue) bool { return v.table < 0 && !v.inline && strings.HasPrefix(v.key, group+".") }
	if last, ok := lastValue(doc, inGroup); ok {
		return addLineAfter(text, last.end, group+"."+name+" = "+literal)
	}
	eol := lineEnd(text)
	out := ensureNewline(text, eol)
	if len(out) > 0 {
		out = append(out, eol...)
	}
	return fmt.Appendf(out, "[%s]%s%s = %s%s", group, eol, name, literal, eol)
}

// unsetTOML removes the line of key, or its place in an inline table.
func unsetTOML(text []byte, key string) []byte {
	doc := scanTOML(text)
	i := slices.IndexFunc(doc.values, func(v tomlValue) bool { return v.key == key })
	if i < 0 {
		return text
	}
	v := doc.values[i]
	if !v.inline {
		return splice(text, lineStart(text, v.start), nextLine(text, v.end), "")
	}
	start, end := v.start, v.end
	if rest := bytes.TrimLeft(text[end:], " \t"); len(rest) > 0 && rest[0] == ',' {
		rest = bytes.TrimLeft(rest[1:], " \t")
		end = len(text) - len(rest)
	} else if before := bytes.TrimRight(text[:start], " \t"); before[len(before)-1] == ',' {
		start = len(before) - 1
	}
	return splice(text, start, end, "")
}

// addRootValue puts a line above the first header and the comment that belongs to it.
func addRootValue(text []byte, doc tomlDoc, line string) []byte {
	if last, ok := lastValue(doc, func(v tomlValue) bool { return v.table < 0 && !v.inline }); ok {
		return addLineAfter(text, last.end, line)
	}
	eol := lineEnd(text)
	if len(doc.tables) == 0 {
		return append(ensureNewline(text, eol), line+eol...)
	}
	at := lineStart(text, doc.tables[0].start)
	for at > 0 {
		above := lineStart(text, at-1)
		if !bytes.HasPrefix(bytes.TrimLeft(text[above:at], " \t"), []byte("#")) {
			break
		}
		at = above
	}
	return splice(text, at, at, line+eol+eol)
}

func addInline(text []byte, doc tomlDoc, table tomlValue, pair string) []byte {
	inside := func(v tomlValue) bool { return v.inline && v.start > table.start && v.end < table.end }
	if last, ok := lastValue(doc, inside); ok {
		return splice(text, last.end, last.end, ", "+pair)
	}
	return splice(text, table.value+1, table.value+1, " "+pair+" ")
}

// lastValue returns the value that ends last among those that fit.
func lastValue(doc tomlDoc, fits func(tomlValue) bool) (tomlValue, bool) {
	best, found := tomlValue{}, false
	for _, v := range doc.values {
		if fits(v) && (!found || v.end > best.end) {
			best, found = v, true
		}
	}
	return best, found
}

func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

// addLineAfter puts a line below the one that holds offset.
func addLineAfter(text []byte, offset int, line string) []byte {
	eol := lineEnd(text)
	at := nextLine(text, offset)
	if at == len(text) {
		return append(ensureNewline(text, eol), line+eol...)
	}
	return splice(text, at, at, line+eol)
}

func ensureNewline(text []byte, eol string) []byte {
	out := slices.Clone(text)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	return out
}

func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func lineStart(text []byte, offset int) int { return bytes.LastIndexByte(text[:offset], '\n') + 1 }

func nextLine(text []byte, offset int) int {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

func lineIndent(text []byte, offset int) string {
	line := text[lineStart(text, offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func tomlLiteral(raw any) string {
	switch v := raw.(type) {
	case string:
		return tomlString(v)
	case float64:
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = tomlLiteral(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		return fmt.Sprint(v)
	}
}

// tomlString quotes s; backslashes, as in regular expressions, stay readable
// where single quotes allow it.
func tomlString(s string) string {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	if strings.Contains(s, `\`) && !strings.Contains(s, "'") && !strings.ContainsFunc(s, isControl) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case isControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
