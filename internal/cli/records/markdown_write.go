package records

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"codememory"
)

const (
	markdownTitle = "# CodeMemory"
	recordHeading = "## "
	// recordMark begins the comment that holds all of a record but its text.
	// It is invisible where markdown is rendered.
	recordMark = "<!-- codememory "
	recordEnd  = " -->"
)

// markdownWriter writes a document for people: a heading per memory and its
// text below, with the rest of the record in a comment between them.
type markdownWriter struct {
	w     *bufio.Writer
	begun bool
}

func (w *markdownWriter) title() error {
	if w.begun {
		return nil
	}
	w.begun = true
	_, err := fmt.Fprintf(w.w, "%s\n", markdownTitle)
	return err
}

func (w *markdownWriter) Write(m codememory.Memory) error {
	if err := w.title(); err != nil {
		return err
	}
	m = portable(m)
	text := bodyOf(m.Text)
	if text == m.Text {
		m.Text = "" // the body says it all, and can be edited
	}
	// json.Marshal writes > as \u003e, so that no record can end the comment early.
	head, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.w, "\n%s%s · %s\n\n%s%s%s\n\n%s\n",
		recordHeading, codememory.ShownID(m.ID), m.Type, recordMark, head, recordEnd, escape(text))
	return err
}

func (w *markdownWriter) Close() error {
	if err := w.title(); err != nil {
		return err
	}
	return w.w.Flush()
}

// bodyOf is what a text becomes when it is written as the body of a section.
func bodyOf(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// escape keeps lines of a text from being read as the start of a section.
func escape(text string) string { return mapLines(text, func(l string) string { return `\` + l }) }

// unescape takes back what escape did.
func unescape(text string) string {
	return mapLines(text, func(l string) string { return strings.TrimPrefix(l, `\`) })
}

// mapLines applies change to the lines that look like structure, escaped or not.
func mapLines(text string, change func(string) string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if bare := strings.TrimLeft(l, `\`); strings.HasPrefix(bare, recordHeading) || strings.HasPrefix(bare, recordMark) {
			lines[i] = change(l)
		}
	}
	return strings.Join(lines, "\n")
}
