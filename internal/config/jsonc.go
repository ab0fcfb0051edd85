package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"

	"github.com/tailscale/hujson"
)

// parseJSONC reads JSON with comments and trailing commas. Groups may be
// nested objects or dotted names.
func parseJSONC(data []byte) ([]entry, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	root, err := hujson.Parse(data)
	if err != nil {
		return nil, jsonSyntaxError(err)
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, &syntaxError{line: lineAt(data, root.StartOffset), msg: "expected an object in braces"}
	}
	var entries []entry
	err = walkJSONC(object, "", func(key string, m *hujson.ObjectMember) error {
		raw, err := decodeJSON(m.Value)
		entries = append(entries, entry{key: key, raw: raw, line: lineAt(data, m.Name.StartOffset)})
		return err
	})
	return entries, err
}

// walkJSONC calls found for every member that is not a group of keys.
func walkJSONC(object *hujson.Object, prefix string, found func(string, *hujson.ObjectMember) error) error {
	for i := range object.Members {
		m := &object.Members[i]
		name := prefix + m.Name.Value.(hujson.Literal).String()
		if sub, ok := m.Value.Value.(*hujson.Object); ok {
			if _, known := lookup(name); !known {
				if err := walkJSONC(sub, name+".", found); err != nil {
					return err
				}
				continue
			}
		}
		if err := found(name, m); err != nil {
			return err
		}
	}
	return nil
}

// decodeJSON makes the same Go values as the TOML decoder does.
func decodeJSON(v hujson.Value) (any, error) {
	v = v.Clone()
	v.Minimize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	var raw any
	if err := d.Decode(&raw); err != nil {
		return nil, &syntaxError{msg: err.Error()}
	}
	return plainNumbers(raw), nil
}

func plainNumbers(raw any) any {
	switch v := raw.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	}
	return raw
}

// jsonLine is how the parser names the place of an error.
const jsonLine = `line (\d+), column \d+: `

func jsonSyntaxError(err error) error {
	msg := err.Error()
	if cause := errors.Unwrap(err); cause != nil {
		msg = cause.Error()
	}
	if m := regexp.MustCompile(jsonLine).FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return &syntaxError{line: line, msg: msg}
	}
	return &syntaxError{msg: msg}
}
