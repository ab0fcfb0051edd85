// Package memfile is the text form of memories: one small markdown file per
// memory, a YAML head and the text, in folders that stay small. The files are
// the truth; nothing volatile is in them, so that two branches that touch
// different memories merge without conflict and a review shows what changed.
package memfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"codememory"
)

// MaxFileBytes is the largest file that is read as a memory: the text, its
// revisions and the head.
const MaxFileBytes = 1 << 20

// head is the YAML head of a file, in the order in which it is written. What
// equals its default is left out so that most heads are a few lines.
type head struct {
	ID         string                    `yaml:"id"`
	Type       codememory.Type           `yaml:"type"`
	Category   codememory.Category       `yaml:"category,omitempty"`
	Importance *float64                  `yaml:"importance,omitempty"`
	Created    time.Time                 `yaml:"created"`
	Updated    *time.Time                `yaml:"updated,omitempty"`
	Pinned     bool                      `yaml:"pinned,omitempty"`
	Archived   bool                      `yaml:"archived,omitempty"`
	Forgotten  *time.Time                `yaml:"forgotten,omitempty"`
	Quarantine string                    `yaml:"quarantine,omitempty"`
	Source     codememory.Source         `yaml:"source,omitempty"`
	Supersedes []codememory.Supersession `yaml:"supersedes,omitempty"`
	Links      []codememory.Link         `yaml:"links,omitempty"`
	Seen       []codememory.Source       `yaml:"seen,omitempty"`
	Files      []codememory.CitedFile    `yaml:"files,omitempty"`
	Entities   []codememory.Entity       `yaml:"entities,omitempty"`
	Metadata   map[string]any            `yaml:"metadata,omitempty"`
	Revisions  []codememory.Revision     `yaml:"revisions,omitempty"`
}

const fence = "---\n"

// Encode renders m. The scope and the project are not written: the store that
// holds the file says them.
func Encode(m codememory.Memory) ([]byte, error) {
	h := head{
		ID: m.ID, Type: m.Type, Category: m.Category, Created: m.CreatedAt.UTC(), Pinned: m.Pinned, Archived: m.Archived,
		Forgotten: m.Forgotten, Quarantine: m.Quarantine, Source: m.Source, Supersedes: m.Supersedes, Links: m.Links, Entities: m.Entities,
		Metadata: m.Metadata, Revisions: m.Revisions, Seen: m.Seen, Files: m.Files,
	}
	if m.Importance != codememory.DefaultImportance(m.Type, m.Category) {
		h.Importance = &m.Importance
	}
	if m.UpdatedAt.After(m.CreatedAt) {
		u := m.UpdatedAt.UTC()
		h.Updated = &u
	}
	var b bytes.Buffer
	b.WriteString(fence)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(h); err != nil {
		return nil, fmt.Errorf("encode memory %s: %w", m.ID, err)
	}
	b.WriteString(fence)
	b.WriteByte('\n')
	b.WriteString(CleanText(m.Text))
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// CleanText is the form in which a text survives a round trip through a file:
// line feeds only, no white space around it.
func CleanText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return strings.TrimSpace(s)
}

// LineError is what is wrong with a file, and where.
type LineError struct {
	Line int // 1-based; 0 = the file as a whole
	Msg  string
}

func (e *LineError) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// Decode reads a file made by Encode, by hand or by a merge. It fails with a
// *LineError that names the line to look at.
func Decode(data []byte) (codememory.Memory, error) {
	var none codememory.Memory
	if len(data) > MaxFileBytes {
		return none, &LineError{Msg: fmt.Sprintf("is %d bytes, a memory file has at most %d", len(data), MaxFileBytes)}
	}
	if !utf8.Valid(data) {
		return none, &LineError{Line: invalidUTF8Line(data), Msg: "is not valid UTF-8"}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	if line := conflictLine(data); line > 0 {
		return none, &LineError{Line: line, Msg: "holds merge conflict markers"}
	}
	rest, ok := bytes.CutPrefix(data, []byte(fence))
	if !ok {
		return none, &LineError{Line: 1, Msg: `does not begin with a "---" head`}
	}
	yml, body, ok := cutFence(rest)
	if !ok {
		return none, &LineError{Line: 1, Msg: `the head is not closed by a "---" line`}
	}
	var h head
	if err := yaml.Unmarshal(yml, &h); err != nil {
		return none, headError(err)
	}
	m, err := h.memory()
	if err != nil {
		return none, err
	}
	m.Text = CleanText(string(body))
	if err := m.Validate(); err != nil {
		return none, &LineError{Msg: err.Error()}
	}
	return m, nil
}

// memory checks the head and fills in what was left out.
func (h *head) memory() (codememory.Memory, error) {
	var none codememory.Memory
	if id, ok := codememory.NormalizeIDPrefix(h.ID); !ok || len(id) != codememory.IDLength || id != h.ID {
		return none, &LineError{Line: 2, Msg: fmt.Sprintf("id %q is not %d hexadecimal digits", h.ID, codememory.IDLength)}
	}
	if y := h.Created.UTC().Year(); y < 1970 || y > 9998 { // also when there is none
		return none, &LineError{Line: 2, Msg: "the head says no created time, or one that cannot be"}
	}
	m := codememory.Memory{
		ID: h.ID, Type: h.Type, Category: h.Category, Scope: codememory.ScopeProject, CreatedAt: Millis(h.Created), UpdatedAt: Millis(h.Created),
		Pinned: h.Pinned, Archived: h.Archived, Forgotten: utc(h.Forgotten), Quarantine: h.Quarantine, Source: h.Source, Supersedes: h.Supersedes,
		Links: h.Links, Entities: h.Entities, Revisions: h.Revisions, Seen: h.Seen, Files: h.Files,
	}
	if m.Type == "" {
		m.Type = codememory.TypeOf(m.Category)
	}
	m.Importance = codememory.DefaultImportance(m.Type, m.Category)
	if h.Importance != nil {
		m.Importance = *h.Importance
	}
	if h.Updated != nil && h.Updated.After(h.Created) {
		m.UpdatedAt = Millis(*h.Updated)
	}
	for i := range m.Revisions {
		m.Revisions[i].Until = Millis(m.Revisions[i].Until)
	}
	if len(h.Metadata) > 0 {
		// Through JSON, so that a number has the same Go type whether the
		// record comes from the API, the database or a file.
		b, err := json.Marshal(h.Metadata)
		if err != nil {
			return none, &LineError{Msg: "metadata: " + err.Error()}
		}
		if err := json.Unmarshal(b, &m.Metadata); err != nil {
			return none, &LineError{Msg: "metadata: " + err.Error()}
		}
	}
	return m, nil
}

// Millis is the precision in which times survive a round trip.
func Millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func utc(t *time.Time) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	u := Millis(*t)
	return &u
}

// cutFence splits at the first line that is exactly "---".
func cutFence(b []byte) (head, body []byte, ok bool) {
	for at := 0; at <= len(b); {
		end := bytes.IndexByte(b[at:], '\n')
		line := b[at:]
		next := len(b)
		if end >= 0 {
			line, next = b[at:at+end], at+end+1
		}
		if string(bytes.TrimRight(line, " \t")) == "---" {
			return b[:at], b[next:], true
		}
		if end < 0 {
			break
		}
		at = next
	}
	return nil, nil, false
}

// conflictLine returns the line of the first git conflict marker, or 0. A
// marker counts only together with its closing one, so that a memory about
// git may quote a single marker line.
func conflictLine(data []byte) int {
	if !bytes.Contains(data, []byte("<<<<<<< ")) || !bytes.Contains(data, []byte(">>>>>>> ")) {
		return 0
	}
	first, closed := 0, false
	for i, line := range bytes.Split(data, []byte("\n")) {
		switch {
		case first == 0 && bytes.HasPrefix(line, []byte("<<<<<<< ")):
			first = i + 1
		case first > 0 && bytes.HasPrefix(line, []byte(">>>>>>> ")):
			closed = true
		}
	}
	if closed {
		return first
	}
	return 0
}

func invalidUTF8Line(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		data = data[n:]
	}
	return 0
}

// headError turns a YAML error into one with a line of the file: the library
// counts from the line after the opening fence.
func headError(err error) error {
	msg := err.Error()
	if te, ok := errors.AsType[*yaml.TypeError](err); ok && len(te.Errors) > 0 {
		msg = te.Errors[0]
	}
	msg = strings.TrimPrefix(msg, "yaml: ")
	var line int
	if _, e := fmt.Sscanf(msg, "line %d:", &line); e == nil {
		_, rest, _ := strings.Cut(msg, ": ")
		return &LineError{Line: line + 1, Msg: "the head is not valid: " + rest}
	}
	return &LineError{Line: 1, Msg: "the head is not valid: " + msg}
}
