// Package records writes memories to one file and reads them back. JSON lines,
// JSON and markdown hold whole records and survive the round trip; CSV is for
// spreadsheets and is only written.
package records

import (
	"path/filepath"
	"strings"

	"codememory"
)

// Format is a file format.
type Format string

// The formats.
const (
	JSONL    Format = "jsonl"
	JSON     Format = "json"
	CSV      Format = "csv"
	Markdown Format = "md"
)

// Formats lists what can be written.
var Formats = []Format{JSONL, JSON, CSV, Markdown}

// ParseFormat finds a format by its name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(strings.ToLower(name)); f {
	case JSONL, JSON, CSV, Markdown:
		return f, nil
	case "ndjson":
		return JSONL, nil
	case "markdown":
		return Markdown, nil
	default:
		return "", codememory.Errorf(codememory.Invalid, "unknown format %q: use jsonl, json, csv or md", name)
	}
}

// FormatOf guesses the format from a file name; it reports false when the name says nothing.
func FormatOf(name string) (Format, bool) {
	f, err := ParseFormat(strings.TrimPrefix(filepath.Ext(name), "."))
	return f, err == nil
}
