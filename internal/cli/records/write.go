package records

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"codememory"
)

// Writer writes memories in one format. Close must be called: it writes what
// ends the file.
type Writer interface {
	Write(m codememory.Memory) error
	Close() error
}

// NewWriter returns a writer of this format on w. It does not close w.
func NewWriter(w io.Writer, f Format) Writer {
	b := bufio.NewWriter(w)
	switch f {
	case JSON:
		return &jsonWriter{w: b}
	case CSV:
		return &csvWriter{w: csv.NewWriter(b), flush: b.Flush}
	case Markdown:
		return &markdownWriter{w: b}
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		return &jsonlWriter{enc: enc, flush: b.Flush}
	}
}

// portable takes away what a store derives: it is not part of the record and
// would be wrong in another store.
func portable(m codememory.Memory) codememory.Memory {
	m.SupersededBy = ""
	m.Usage = codememory.Usage{}
	var links []codememory.Link
	for _, l := range m.Links {
		if !l.Inbound {
			links = append(links, l)
		}
	}
	m.Links = links
	return m
}

type jsonlWriter struct {
	enc   *json.Encoder
	flush func() error
}

func (w *jsonlWriter) Write(m codememory.Memory) error { return w.enc.Encode(portable(m)) }
func (w *jsonlWriter) Close() error                    { return w.flush() }

// jsonWriter writes one array, an element at a time, so that a large export
// does not have to fit into memory.
type jsonWriter struct {
	w     *bufio.Writer
	begun bool
}

func (w *jsonWriter) Write(m codememory.Memory) error {
	b, err := json.MarshalIndent(portable(m), "  ", "  ")
	if err != nil {
		return err
	}
	separator := ",\n  "
	if !w.begun {
		separator = "[\n  "
	}
	w.begun = true
	if _, err := w.w.WriteString(separator); err != nil {
		return err
	}
	_, err = w.w.Write(b)
	return err
}

func (w *jsonWriter) Close() error {
	end := "\n]\n"
	if !w.begun {
		end = "[]\n"
	}
	if _, err := w.w.WriteString(end); err != nil {
		return err
	}
	return w.w.Flush()
}

// csvHeader names the columns of a CSV export; columns are only ever added at the end.
var csvHeader = []string{
	"id", "type", "category", "scope", "project", "state", "importance", "pinned",
	"created_at", "updated_at", "agent", "session", "author", "text",
}

type csvWriter struct {
	w     *csv.Writer
	flush func() error
	begun bool
}

func (w *csvWriter) header() error {
	if w.begun {
		return nil
	}
	w.begun = true
	return w.w.Write(csvHeader)
}

func (w *csvWriter) Write(m codememory.Memory) error {
	if err := w.header(); err != nil {
		return err
	}
	return w.w.Write([]string{
		m.ID, string(m.Type), string(m.Category), string(m.Scope), m.Project, string(m.State()),
		strconv.FormatFloat(m.Importance, 'g', -1, 64), strconv.FormatBool(m.Pinned),
		m.CreatedAt.UTC().Format(time.RFC3339), m.UpdatedAt.UTC().Format(time.RFC3339),
		m.Source.Agent, m.Source.Session, string(m.Source.Author), m.Text,
	})
}

func (w *csvWriter) Close() error {
	if err := w.header(); err != nil {
		return err
	}
	w.w.Flush()
	if err := w.w.Error(); err != nil {
		return err
	}
	return w.flush()
}
