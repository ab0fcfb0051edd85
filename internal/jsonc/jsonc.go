// Package jsonc changes single values in JSON files that people and other
// programs write too. Comments, trailing commas, the order of keys, indentation
// and line ends stay as they are, and taking out what was put in gives the same
// bytes again.
package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

var bom = []byte("\xef\xbb\xbf")

// Document is a parsed file.
type Document struct {
	root    hujson.Value
	marked  bool   // begins with a byte order mark
	newline string // as the file has it
	unit    string // of indentation; "" in a file that is one line
}

// Parse reads a file, of which an empty one counts as an empty object. The
// error says line and column.
func Parse(text []byte) (*Document, error) {
	d := &Document{newline: "\n"}
	body, marked := bytes.CutPrefix(text, bom)
	d.marked = marked
	if bytes.Contains(body, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}" + d.newline)
	}
	root, err := hujson.Parse(body)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, errors.New("line 1, column 1: not an object in braces")
	}
	d.root = root
	d.unit = d.findUnit(body)
	return d, nil
}

// findUnit is how far the members of the file's object are indented.
func (d *Document) findUnit(body []byte) string {
	object := d.root.Value.(*hujson.Object)
	for i := range object.Members {
		if indent, ok := lastIndent(object.Members[i].Name.BeforeExtra); ok && indent != "" {
			return indent
		}
	}
	if len(object.Members) > 0 && !bytes.ContainsRune(bytes.TrimSpace(body), '\n') {
		return ""
	}
	return "  "
}

// Bytes is the file as it now is.
func (d *Document) Bytes() []byte {
	text := d.root.Pack()
	if d.marked {
		return append(bytes.Clone(bom), text...)
	}
	return text
}

// Empty reports whether nothing is in the file, not even a comment.
func (d *Document) Empty() bool {
	object := d.root.Value.(*hujson.Object)
	return len(object.Members) == 0 && len(bytes.TrimSpace(object.AfterExtra)) == 0 &&
		len(bytes.TrimSpace(d.root.BeforeExtra)) == 0 && len(bytes.TrimSpace(d.root.AfterExtra)) == 0
}

// Liberties reports whether the file has comments, and whether it has commas
// before closing brackets. Not every program that reads it takes them.
func (d *Document) Liberties() (comments, commas bool) {
	note := func(extra hujson.Extra) { comments = comments || !blank(extra) }
	for v := range d.root.All() {
		note(v.BeforeExtra)
		note(v.AfterExtra)
		switch v := v.Value.(type) {
		case *hujson.Object:
			note(v.AfterExtra)
			commas = commas || len(v.Members) > 0 && v.Members[len(v.Members)-1].Value.AfterExtra != nil
		case *hujson.Array:
			note(v.AfterExtra)
			commas = commas || len(v.Elements) > 0 && v.Elements[len(v.Elements)-1].AfterExtra != nil
		}
	}
	return comments, commas
}

// Get decodes the value at path into v, and reports whether there is one.
func (d *Document) Get(v any, path ...string) (bool, error) {
	found := d.find(path)
	if found == nil {
		return false, nil
	}
	plain := found.Clone()
	plain.Standardize()
	if err := json.Unmarshal(plain.Pack(), v); err != nil {
		return true, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return true, nil
}

// Has reports whether there is a value at path.
func (d *Document) Has(path ...string) bool { return d.find(path) != nil }

// find returns the value at path. Of members with the same name the last
// counts, as it does for those who read the file.
func (d *Document) find(path []string) *hujson.Value {
	value := &d.root
	for _, name := range path {
		object, ok := value.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := indexOf(object, name)
		if i < 0 {
			return nil
		}
		value = &object.Members[i].Value
	}
	return value
}

func indexOf(object *hujson.Object, name string) int {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if object.Members[i].Name.Value.(hujson.Literal).String() == name {
			return i
		}
	}
	return -1
}
