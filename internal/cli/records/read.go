package records

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
	"unicode"
	"unicode/utf8"

	"codememory"
)

// MaxFileBytes is the largest file that is read.
const MaxFileBytes = 512 << 20

// Record is one memory of a file and the line it begins on.
type Record struct {
	Line   int
	Memory codememory.Memory // without an id: a new memory, not a record of another store
}

// BadRow is a row that cannot be a memory.
type BadRow struct {
	Line int    `json:"line"`
	What string `json:"what"`
}

// Contents is what a file holds.
type Contents struct {
	Format  Format
	Records []Record
	Bad     []BadRow
}

// Read reads a whole file. An empty format means: find out. What is wrong with
// single rows is in Contents.Bad; an error means that nothing could be read.
func Read(r io.Reader, f Format) (Contents, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return Contents{}, err
	}
	if len(data) > MaxFileBytes {
		return Contents{}, codememory.Errorf(codememory.TooLarge, "the file is larger than %d MB: split it", MaxFileBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if f == "" {
		if f, err = sniff(data); err != nil {
			return Contents{}, err
		}
	}
	c := Contents{Format: f}
	switch f {
	case JSONL:
		c.readLines(data)
	case JSON:
		err = c.readJSON(data)
	case Markdown:
		err = c.readMarkdown(string(data))
	default:
		err = codememory.Errorf(codememory.Invalid, "%s can be exported but not imported: it does not hold whole memories; use jsonl, json or md", f)
	}
	return c, err
}

// sniff tells the formats apart by their first character.
func sniff(data []byte) (Format, error) {
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		return "", codememory.Errorf(codememory.Invalid, "the file is empty")
	case bytes.HasPrefix(trimmed, []byte("SQLite format 3")), bytes.IndexByte(trimmed[:min(len(trimmed), 8000)], 0) >= 0:
		return "", codememory.Errorf(codememory.Invalid, "the file is binary: import reads jsonl, json and md")
	case trimmed[0] == '[':
		return JSON, nil
	case trimmed[0] == '{':
		return sniffObject(trimmed), nil
	case !utf8.Valid(data):
		return "", codememory.Errorf(codememory.Invalid, "the file is not UTF-8 text")
	case bytes.IndexFunc(trimmed, unicode.IsLetter) < 0:
		return "", codememory.Errorf(codememory.Invalid, "the file holds no text")
	default:
		return Markdown, nil
	}
}

// sniffObject tells one object that spans the file (a listing, a single
// memory) from lines of objects.
func sniffObject(data []byte) Format {
	line, _, more := bytes.Cut(data, []byte("\n"))
	if json.Valid(line) && (more || !hasMemories(line)) {
		return JSONL
	}
	if json.Valid(data) {
		return JSON
	}
	return JSONL
}

func hasMemories(object []byte) bool {
	var page struct {
		Memories json.RawMessage `json:"memories"`
	}
	return json.Unmarshal(object, &page) == nil && page.Memories != nil
}

func (c *Contents) bad(line int, format string, args ...any) {
	c.Bad = append(c.Bad, BadRow{Line: line, What: codememory.Errorf(codememory.Invalid, format, args...).Error()})
}

// add checks a memory and keeps it.
func (c *Contents) add(line int, m codememory.Memory) {
	m = portable(m)
	complete(&m)
	if m.ID != "" {
		id, ok := codememory.NormalizeIDPrefix(m.ID)
		if !ok || len(id) != codememory.IDLength {
			c.bad(line, "id %q is not a memory id: it needs %d hexadecimal digits, or leave it out", m.ID, codememory.IDLength)
			return
		}
		m.ID = id
		if m.CreatedAt.IsZero() {
			c.bad(line, "created_at is missing: a record with an id needs one")
			return
		}
	}
	if err := m.Validate(); err != nil {
		c.bad(line, "%s", err)
		return
	}
	c.Records = append(c.Records, Record{Line: line, Memory: m})
}

// complete fills in what a short row leaves out.
func complete(m *codememory.Memory) {
	if m.Type == "" {
		m.Type = codememory.TypeOf(m.Category)
	}
	if m.Scope == "" {
		m.Scope = codememory.ScopeProject
	}
	if m.UpdatedAt.IsZero() {
		m.UpdatedAt = m.CreatedAt
	}
	if m.Source.Author == "" {
		m.Source.Author = codememory.AuthorImport
	}
	m.CreatedAt, m.UpdatedAt = inUTC(m.CreatedAt), inUTC(m.UpdatedAt)
}

func inUTC(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}
