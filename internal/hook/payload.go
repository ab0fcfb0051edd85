package hook

import (
	"bytes"
	"encoding/json"

	"codememory"
)

// MaxInput is how many bytes of a payload are read.
const MaxInput = 1 << 20

// payload is the JSON object that an agent hands over, by the names of its
// fields. No type is taken for granted.
type payload map[string]json.RawMessage

// parsePayload reads the object. One that was cut at MaxInput still has its
// first fields, which are the ones that say what happened where.
func parsePayload(data []byte) (payload, error) {
	wasCut := len(data) >= MaxInput
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		return nil, nil
	}
	var p payload
	err := json.Unmarshal(data, &p)
	if err == nil {
		return p, nil
	}
	if wasCut {
		if p = wholeFields(data); len(p) > 0 {
			return p, nil
		}
	}
	return nil, codememory.Errorf(codememory.Invalid, "read the event of a hook: %w", err)
}

func wholeFields(data []byte) payload {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	p := payload{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			break
		}
		if name, ok := name.(string); ok {
			p[name] = value
		}
	}
	return p
}

// has reports whether one of the fields is there, even if null.
func (p payload) has(names ...string) bool {
	for _, name := range names {
		if _, ok := p[name]; ok {
			return true
		}
	}
	return false
}

// text returns the first of the fields that is a string with something in it.
func (p payload) text(names ...string) string {
	for _, name := range names {
		raw := p[name]
		if len(raw) < 3 || raw[0] != '"' {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// number returns the first of the fields that is a whole number.
func (p payload) number(names ...string) *int {
	for _, name := range names {
		var n int
		if raw := p[name]; len(raw) > 0 && raw[0] != 'n' && json.Unmarshal(raw, &n) == nil {
			return &n
		}
	}
	return nil
}

// raw returns the first of the fields that is there and not null.
func (p payload) raw(names ...string) json.RawMessage {
	for _, name := range names {
		if raw := p[name]; len(raw) > 0 && raw[0] != 'n' {
			return raw
		}
	}
	return nil
}

// object returns a field as an object; one that is something else is empty.
func object(raw json.RawMessage) payload {
	var p payload
	if len(raw) > 0 && raw[0] == '{' {
		_ = json.Unmarshal(raw, &p) // part of a valid document
	}
	return p
}

// first returns the first string of a field that is a list.
func (p payload) first(name string) string {
	var list []string
	if json.Unmarshal(p[name], &list) != nil || len(list) == 0 {
		return ""
	}
	return list[0]
}
