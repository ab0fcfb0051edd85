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
