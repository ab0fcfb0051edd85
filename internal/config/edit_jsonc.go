package config

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// setJSONC replaces the value of key, or adds it at the end of its group with
// the indentation of its siblings.
func setJSONC(text []byte, key, literal string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{\n}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	object := root.Value.(*hujson.Object) // parseJSONC has seen to it
	value := hujson.Value{BeforeExtra: hujson.Extra(" "), Value: hujson.Literal(literal)}
	if literal[0] == '[' {
		list, err := hujson.Parse([]byte(literal))
		if err != nil {
			return nil, err
		}
		value.Value = list.Value
	}
	if m := findJSONC(object, key); m != nil {
		m.Value.Value = value.Value
		return root.Pack(), nil
	}
	group, name := groupOf(key)
	parent, depth := object, 1
	if group != "" {
		parent, depth = groupObject(object, group), 2
	}
	if parent == nil {
		parent = &hujson.Object{AfterExtra: hujson.Extra("\n" + indentOf(object, 1))}
		addMember(object, group, hujson.Value{BeforeExtra: hujson.Extra(" "), Value: parent}, 1)
	}
	addMember(parent, name, value, depth)
	return root.Pack(), nil
}

// unsetJSONC removes the member of key with the comment above it and beside it.
func unsetJSONC(text []byte, key string) ([]byte, error) {
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	object := root.Value.(*hujson.Object)
	for removeJSONC(object, "", key) { // a key may stand there twice
	}
	return root.Pack(), nil
}

// findJSONC returns the member of key that counts, which is the last.
func findJSONC(object *hujson.Object, key string) *hujson.ObjectMember {
	var found *hujson.ObjectMember
	_ = walkJSONC(object, "", func(name string, m *hujson.ObjectMember) error {
		if name == key {
			found = m
		}
		return nil
	})
	return found
}

func groupObject(object *hujson.Object, group string) *hujson.Object {
	for i := range object.Members {
		m := &object.Members[i]
		if sub, ok := m.Value.Value.(*hujson.Object); ok && m.Name.Value.(hujson.Literal).String() == group {
			return sub
		}
	}
	return nil
}

// addMember appends a member. What follows the last one on its line, such as a
// comment, stays with it.
func addMember(object *hujson.Object, name string, value hujson.Value, depth int) {
	indent := indentOf(object, depth)
	before, closing := hujson.Extra(nil), object.AfterExtra
	if i := bytes.LastIndexByte(object.AfterExtra, '\n'); i >= 0 && !object.AfterExtra.IsStandard() {
		before, closing = bytes.Clone(object.AfterExtra[:i]), object.AfterExtra[i:]
	}
	if n := len(object.Members); n > 0 {
		if last := &object.Members[n-1].Value; last.AfterExtra != nil {
			value.AfterExtra = hujson.Extra{} // keep the habit of a trailing comma
		}
		if !bytes.Contains(object.Members[n-1].Name.BeforeExtra, []byte("\n")) && before == nil {
			before, indent = hujson.Extra(" "), ""
		}
	}
	if indent != "" {
		before = append(before, "\n"+indent...)
	}
	object.AfterExtra = closing
	object.Members = append(object.Members, hujson.ObjectMember{
		Name: hujson.Value{BeforeExtra: before, Value: hujson.String(name)}, Value: value,
	})
}

// indentOf returns the white space before the members of an object.
func indentOf(object *hujson.Object, depth int) string {
	if n := len(object.Members); n > 0 {
		before := object.Members[n-1].Name.BeforeExtra
		if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
			line := before[i+1:]
			return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
		}
	}
	return string(bytes.Repeat([]byte("  "), depth))
}

func removeJSONC(object *hujson.Object, prefix, key string) bool {
	for i := range object.Members {
		name := prefix + object.Members[i].Name.Value.(hujson.Literal).String()
		if name == key {
			removeMember(object, i)
			return true
		}
		if sub, ok := object.Members[i].Value.Value.(*hujson.Object); ok && removeJSONC(sub, name+".", key) {
			return true
		}
	}
	return false
}

// removeMember takes out one member. The rest of the line before it belongs to
// the member above and stays; the rest of its own line goes with it.
func removeMember(object *hujson.Object, i int) {
	gone := object.Members[i]
	last := i == len(object.Members)-1
	after := &object.AfterExtra
	if !last {
		after = &object.Members[i+1].Name.BeforeExtra
	}
	above, _ := firstLine(gone.Name.BeforeExtra)
	if last && above.IsStandard() {
		above = nil
	}
	_, below := firstLine(*after)
	if len(below) == 0 && !above.IsStandard() {
		below = hujson.Extra("\n") // a comment must not swallow the brace
	}
	*after = append(bytes.Clone(above), below...)
	if last && i > 0 {
		above := &object.Members[i-1].Value
		switch {
		case gone.Value.AfterExtra != nil && above.AfterExtra == nil:
			above.AfterExtra = hujson.Extra{}
		case gone.Value.AfterExtra == nil && above.AfterExtra.IsStandard():
			above.AfterExtra = nil
		}
	}
	object.Members = append(object.Members[:i], object.Members[i+1:]...)
}

// firstLine parts white space and comments before the first line break outside
// of a block comment.
func firstLine(e hujson.Extra) (line, rest hujson.Extra) {
	for i := 0; i < len(e); i++ {
		if e[i] == '\n' {
			return e[:i], e[i:]
		}
		if bytes.HasPrefix(e[i:], []byte("/*")) {
			i += 2 + bytes.Index(e[i+2:], []byte("*/")) + 1
		}
	}
	return e, nil
}
