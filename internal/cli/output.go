package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"codememory/internal/cli/term"
)

// printJSON writes one document. Memory text is not escaped for HTML: it goes
// to programs, not into pages.
func (p *program) printJSON(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printf writes to stdout.
func (p *program) printf(format string, args ...any) {
	fmt.Fprintf(p.out, format, args...)
}

// say writes a remark for people to stderr, so that stdout stays data.
func (p *program) say(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintf(p.err, format+"\n", args...)
	}
}

// warn writes what a person should know even when they asked for quiet.
func (p *program) warn(format string, args ...any) {
	fmt.Fprintf(p.err, "codememory: warning: "+format+"\n", args...)
}

// done reports what a changing command did: as JSON when asked to, else as a
// sentence unless quiet.
func (p *program) done(v any, format string, args ...any) error {
	if p.JSON {
		return p.printJSON(v)
	}
	if !p.Quiet {
		p.printf(format+"\n", args...)
	}
	return nil
}

// paragraph prints text wrapped and indented.
func (p *program) paragraph(indent int, text string) {
	lead := strings.Repeat(" ", indent)
	for _, line := range term.Wrap(term.Clean(text), p.columns()-indent) {
		p.printf("%s\n", strings.TrimRight(lead+line, " "))
	}
}

// printDocument prints markdown made of what agents and models said, which must
// not drive the terminal. On one, headings stand out and anchors stand back.
func (p *program) printDocument(text string) {
	s := p.style()
	for line := range strings.Lines(strings.TrimRight(term.Clean(text), "\n") + "\n") {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "=== "):
			line = s.Bold(line)
		case strings.HasPrefix(line, "<!--"):
			line = s.Dim(line)
		}
		p.printf("%s\n", line)
	}
}

// leastBeside is how much room text needs beside its lead; with less it stands below.
const leastBeside = 16

// hanging prints text beside a lead of the given width, and goes on below
// itself where it does not fit. Without a terminal a line stays one line, so that
// it can be searched for.
func (p *program) hanging(lead string, width int, text string) {
	p.painted(lead, width, text, func(s string) string { return s })
}

// painted is hanging in a colour.
func (p *program) painted(lead string, width int, text string, paint func(string) string) {
	text = term.OneLine(text)
	lines := []string{text}
	if columns, known := term.Columns(p.out, p.getenv); known {
		if columns-width < leastBeside {
			p.printf("%s\n", strings.TrimRight(lead, " "))
			lead, width = "  ", 2
		}
		lines = term.Wrap(text, columns-width)
	}
	for i, line := range lines {
		if i > 0 {
			lead = strings.Repeat(" ", width)
		}
		p.printf("%s%s\n", lead, paint(line))
	}
}

// list makes a nil slice an empty one: a JSON list is never null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// plural is "1 memory", "2 memories".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
