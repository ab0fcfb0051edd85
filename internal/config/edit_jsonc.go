package config

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"codememory/internal/jsonc"
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
	d, err := jsonc.Parse(text)
	if err != nil {
		return nil, err
	}
	err = d.Set(json.RawMessage(literal), strings.Split(key, ".")...)
	return d.Bytes(), err
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
