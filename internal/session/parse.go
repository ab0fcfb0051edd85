package session

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxFileBytes is the largest file that is read or written as a record.
const MaxFileBytes = 1 << 20

// ParseError says what is wrong with a file and where.
type ParseError struct {
	Line int // 1-based; 0: the file as a whole
	What string
	Todo string // what to do about it; may be empty
}

func (e *ParseError) Error() string {
	if e.Line == 0 {
		return e.What
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.What)
}

// Parse reads a file that Render, a person or a merge made. It takes what it
// finds: sections may be missing, in another order or changed by hand, and what
// it does not know is kept. It fails with a *ParseError when the file has no
// head with a session_id, or holds conflict markers.
func Parse(markdown string) (Record, error) { return ParseIn(markdown, time.UTC) }

// ParseIn is Parse for files that give their times in another zone than UTC
// without saying so, as those of openCodeMemory do.
func ParseIn(markdown string, loc *time.Location) (Record, error) {
	var none Record
	if len(markdown) > MaxFileBytes {
		return none, &ParseError{What: fmt.Sprintf("is %d bytes, a session file has at most %d", len(markdown), MaxFileBytes)}
	}
	if !utf8.ValidString(markdown) {
		return none, &ParseError{Line: badLine(markdown), What: "is not valid UTF-8", Todo: "save it as UTF-8"}
	}
	lines := strings.Split(unixLines(strings.TrimPrefix(markdown, "\ufeff")), "\n")
	if line := conflictLine(lines); line > 0 {
		return none, &ParseError{Line: line, What: "holds merge conflict markers", Todo: "resolve the conflict"}
	}
	head, body, err := cutHead(lines)
	if err != nil {
		return none, err
	}
	r, err := parseHead(strings.Join(head, "\n"), loc)
	if err != nil {
		return none, err
	}
	for _, s := range merge(split(body)) {
		r.take(s)
	}
	return clean(r), nil
}

func cutHead(lines []string) (head, body []string, err error) {
	if strings.TrimSpace(lines[0]) != "---" {
		return nil, nil, &ParseError{Line: 1, What: `does not begin with a "---" head`}
	}
	for i := 1; i < len(lines); i++ {
		if strings.TrimRight(lines[i], " \t") == "---" {
			return lines[1:i], lines[i+1:], nil
		}
	}
	return nil, nil, &ParseError{Line: 1, What: `the head is not closed by a "---" line`}
}

// part is a piece of the file with its heading.
type part struct {
	title string
	lines []string
}

// split cuts the body at its "## " headings, those in code blocks apart.
func split(lines []string) []part {
	parts := []part{{}}
	fences := fenceFinder{lines: lines}
	for i := 0; i < len(lines); i++ {
		last := &parts[len(parts)-1]
		if end := fences.end(i); end > i {
			last.lines = append(last.lines, lines[i:end+1]...)
			i = end
			continue
		}
		if title, ok := heading(lines[i], "##"); ok {
			parts = append(parts, part{title: title})
			continue
		}
		last.lines = append(last.lines, lines[i])
	}
	for i := range parts {
		parts[i].lines = strings.Split(cleanMargins(strings.Join(parts[i].lines, "\n")), "\n")
	}
	return parts
}

// merge joins the parts that have the same one of our titles.
func merge(parts []part) []part {
	var out []part
	at := map[string]int{}
	for _, p := range parts {
		title := strings.ToLower(p.title)
		first, again := at[title]
		if again {
			out[first].lines = append(append(out[first].lines, ""), p.lines...)
			continue
		}
		if slices.Contains(ownSections, title) {
			at[title] = len(out)
		}
		out = append(out, p)
	}
	return out
}

// heading returns the title of a line that is a heading of this level.
func heading(line, level string) (string, bool) {
	rest, ok := strings.CutPrefix(line, level)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return oneLine(rest), true
}

// fenceMark returns the marks that open a code block, or "".
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		mark := line[:len(line)-len(strings.TrimLeft(line, c))]
		if len(mark) >= 3 && !strings.Contains(line[len(mark):], c) {
			return mark
		}
	}
	return ""
}

// fenceFinder finds where code blocks end.
type fenceFinder struct {
	lines []string
	never map[byte]int // length of the shortest mark that nothing further down closes
}

// end returns the line that closes the code block opened in line i, or -1 when
// there is no block, or it is never closed. It is asked from top to bottom.
func (f *fenceFinder) end(i int) int {
	mark := fenceMark(f.lines[i])
	if mark == "" {
		return -1
	}
	if least, ok := f.never[mark[0]]; ok && len(mark) >= least {
		return -1 // so that a file full of open blocks is read in one pass
	}
	for j := i + 1; j < len(f.lines); j++ {
		if line := strings.TrimRight(f.lines[j], " \t"); len(line) >= len(mark) && strings.Trim(line, mark[:1]) == "" {
			return j
		}
	}
	if f.never == nil {
		f.never = map[byte]int{}
	}
	f.never[mark[0]] = len(mark)
	return -1
}

// conflictLine returns the line of the first conflict marker, or 0. It counts
// only together with a closing one: a goal may quote a marker.
func conflictLine(lines []string) int {
	first := 0
	for i, line := range lines {
		switch {
		case first == 0 && strings.HasPrefix(line, "<<<<<<< "):
			first = i + 1
		case first > 0 && strings.HasPrefix(line, ">>>>>>> "):
			return first
		}
	}
	return 0
}

func badLine(s string) int {
	line := 1
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return line
			}
		}
		if r == '\n' {
			line++
		}
	}
	return 0
}
