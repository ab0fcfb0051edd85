package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"codememory"
)

// maxLine is the longest row that is parsed: a text at its limit, as many
// revisions as are kept, and room for escapes.
const maxLine = 4 << 20

func (c *Contents) readLines(data []byte) {
	line := 0
	for row := range bytes.Lines(data) {
		line++
		row = bytes.TrimSpace(row)
		switch {
		case len(row) == 0:
		case len(row) > maxLine:
			c.bad(line, "the row has %d bytes, at most %d are read", len(row), maxLine)
		default:
			c.addJSON(line, row)
		}
	}
}

// readJSON reads an array of memories, a page of a listing, or one memory.
func (c *Contents) readJSON(data []byte) error {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) > 0 && trimmed[0] == '{' {
		if !hasMemories(trimmed) {
			c.addJSON(1, trimmed)
			return nil
		}
		var page struct {
			Memories json.RawMessage `json:"memories"`
		}
		if err := json.Unmarshal(trimmed, &page); err != nil {
			return invalidJSON(data, err)
		}
		return c.readArray(data, bytes.Index(data, page.Memories))
	}
	return c.readArray(data, 0)
}

// readArray reads the elements of the array that begins at offset; the lines
// it names are those of the whole file.
func (c *Contents) readArray(data []byte, offset int) error {
	dec := json.NewDecoder(bytes.NewReader(data[offset:]))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return codememory.Errorf(codememory.Invalid, "expected a JSON array of memories")
	}
	for dec.More() {
		start := offset + int(dec.InputOffset())
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return invalidJSON(data, err)
		}
		c.addJSON(lineAt(data, skipSeparators(data, start)), element)
	}
	if _, err := dec.Token(); err != nil {
		return invalidJSON(data, err)
	}
	return nil
}

func skipSeparators(data []byte, i int) int {
	for i < len(data) && bytes.IndexByte([]byte(" \t\r\n,"), data[i]) >= 0 {
		i++
	}
	return i
}

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// invalidJSON names the line of a syntax error.
func invalidJSON(data []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return codememory.Errorf(codememory.Invalid, "line %d: %w", lineAt(data, int(syntax.Offset)), err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return codememory.Errorf(codememory.Invalid, "line %d: the file ends in the middle of a record", lineAt(data, len(data)))
	}
	return codememory.Errorf(codememory.Invalid, "%w", err)
}

// row is a memory with the names other tools give the same things.
type row struct {
	codememory.Memory
	Importance *float64 `json:"importance"`
	Words      string   `json:"memory"`
}

func (c *Contents) addJSON(line int, data []byte) {
	var r row
	if err := json.Unmarshal(data, &r); err != nil {
		c.bad(line, "%s", explain(err))
		return
	}
	m := r.Memory
	if m.Text == "" {
		m.Text = r.Words
	}
	if r.Importance != nil {
		m.Importance = *r.Importance
	} else {
		t := m.Type
		if t == "" {
			t = codememory.TypeOf(m.Category)
		}
		m.Importance = codememory.DefaultImportance(t, m.Category)
	}
	c.add(line, m)
}

// explain says in a user's words what encoding/json says in Go's.
func explain(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return "is a JSON " + wrong.Value + ", expected an object with a text"
		}
		return "field " + strings.TrimPrefix(wrong.Field, "Memory.") + " cannot be a " + wrong.Value
	}
	return "is not valid JSON: " + err.Error()
}
