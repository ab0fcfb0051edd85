package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// sequence is what objects and arrays have in common: entries with white space
// and comments between them.
type sequence interface {
	length() int
	before(i int) *hujson.Extra // what precedes an entry, after the comma of the one above
	after(i int) *hujson.Extra  // what follows it, before its comma; nil on the last means that it has none
	closing() *hujson.Extra     // what precedes the bracket
	drop(i int)
}

type members struct{ *hujson.Object }

func (m members) length() int                { return len(m.Members) }
func (m members) before(i int) *hujson.Extra { return &m.Members[i].Name.BeforeExtra }
func (m members) after(i int) *hujson.Extra  { return &m.Members[i].Value.AfterExtra }
func (m members) closing() *hujson.Extra     { return &m.AfterExtra }
func (m members) drop(i int)                 { m.Members = append(m.Members[:i], m.Members[i+1:]...) }

type elements struct{ *hujson.Array }

func (e elements) length() int                { return len(e.Elements) }
func (e elements) before(i int) *hujson.Extra { return &e.Elements[i].BeforeExtra }
func (e elements) after(i int) *hujson.Extra  { return &e.Elements[i].AfterExtra }
func (e elements) closing() *hujson.Extra     { return &e.AfterExtra }
func (e elements) drop(i int)                 { e.Elements = append(e.Elements[:i], e.Elements[i+1:]...) }

// settle gives the last entry, which is new, its place: on a line of its own
// unless the others share one. indent is that of the line with the opening
// bracket, inner that of the entries.
func (d *Document) settle(s sequence, indent, inner string) {
	last := s.length() - 1
	closing := *s.closing()
	if last > 0 {
		if *s.after(last - 1) != nil {
			*s.after(last) = hujson.Extra{} // keep the habit of a trailing comma
		}
		if d.unit == "" || inLine(s, last) {
			*s.before(last) = d.colonSpace()
			return
		}
	} else if d.unit == "" {
		return
	}
	above, below := cutLastLine(closing)
	switch {
	case below != nil:
	case last > 0: // the bracket is not on a line of its own, and stays there
		below = closing
	default:
		above, below = trimRight(closing), hujson.Extra(d.newline+indent)
	}
	*s.before(last) = append(bytes.Clone(above), d.newline+inner...)
	*s.closing() = below
}

// remove takes out an entry and undoes what settle did. What precedes it on
// lines of their own, or beside the entry above, is not ours and stays.
func remove(s sequence, i int) {
	before, own := *s.before(i), *s.after(i)
	above, line := cutLastLine(before)
	if line == nil && !blank(before) {
		above = before
	}
	last := i == s.length()-1
	switch {
	case !last:
		next := s.before(i + 1)
		if blank(before) && blank(own) && blank(*next) && line == nil && !bytes.ContainsRune(*next, '\n') {
			*next = bytes.Clone(before) // all on one line
		} else {
			*next = joined(above, own, *next)
		}
	case i == 0:
		*s.closing() = joined(above, own, *s.closing())
		if blank(*s.closing()) {
			*s.closing() = nil
		}
	default:
		beside := *s.after(i - 1)
		if own == nil { // neither has the one above a comma from now on
			*s.after(i - 1) = nil
		} else {
			*s.after(i - 1) = append(hujson.Extra{}, beside...)
			beside = nil
		}
		*s.closing() = joined(beside, above, own, *s.closing())
	}
	s.drop(i)
}

func blank(e hujson.Extra) bool { return len(bytes.TrimSpace(e)) == 0 }

// joined puts pieces of white space and comments together, so that no comment
// swallows what follows.
func joined(pieces ...hujson.Extra) hujson.Extra {
	var all hujson.Extra
	for _, p := range pieces {
		if len(p) > 0 && endsInComment(all) && !bytes.HasPrefix(bytes.TrimLeft(p, " \t\r"), []byte("\n")) {
			all = append(all, '\n')
		}
		all = append(all, p...)
	}
	if endsInComment(all) {
		all = append(all, '\n')
	}
	return all
}

// endsInComment reports whether e ends within a comment of one line.
func endsInComment(e hujson.Extra) bool {
	for len(e) > 0 {
		switch {
		case bytes.HasPrefix(e, []byte("//")):
			end := bytes.IndexByte(e, '\n')
			if end < 0 {
				return true
			}
			e = e[end:]
		case bytes.HasPrefix(e, []byte("/*")):
			end := bytes.Index(e[2:], []byte("*/"))
			if end < 0 {
				return false
			}
			e = e[2+end+2:]
		default:
			e = e[1:]
		}
	}
	return false
}

// cutLastLine parts white space and comments before the last line break, if
// only white space follows it.
func cutLastLine(e hujson.Extra) (above, line hujson.Extra) {
	i := bytes.LastIndexByte(e, '\n')
	if i < 0 || len(bytes.TrimSpace(e[i:])) > 0 {
		return nil, nil
	}
	if i > 0 && e[i-1] == '\r' {
		i--
	}
	return e[:i:i], e[i:]
}

func trimRight(e hujson.Extra) hujson.Extra { return bytes.TrimRight(e, " \t\r\n") }

// lastIndent is the white space after the last line break.
func lastIndent(e hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(e, '\n')
	if i < 0 {
		return "", false
	}
	line := e[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]), true
}

// inLine reports whether the first n entries, of which there are some, share a
// line with the brackets.
func inLine(s sequence, n int) bool {
	if n == 0 || bytes.ContainsRune(*s.closing(), '\n') {
		return false
	}
	for i := range n {
		if bytes.ContainsRune(*s.before(i), '\n') {
			return false
		}
	}
	return true
}

// indentOf is the indentation of the line that entry i begins on.
func indentOf(s sequence, i int, outer string) string {
	for ; i >= 0; i-- {
		if indent, ok := lastIndent(*s.before(i)); ok {
			return indent
		}
	}
	return outer
}

// innerIndent is that of a new entry: as the others, or a unit further in.
func (d *Document) innerIndent(s sequence, outer string) string {
	for i := s.length() - 1; i >= 0; i-- {
		if indent, ok := lastIndent(*s.before(i)); ok {
			return indent
		}
	}
	return outer + d.unit
}
