package mcpserver

import (
	"encoding/json"
	"strconv"
	"strings"

	"codememory"
)

// arguments are those of a call. Models write sessionId, session_id and
// sessionID for the same thing; all of them are understood.
type arguments map[string]any

func parseArguments(raw json.RawMessage) (arguments, error) {
	in := arguments{}
	if len(raw) == 0 {
		return in, nil
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, codememory.Errorf(codememory.Invalid, "the arguments must be an object, such as {\"query\": \"...\"}")
	}
	if in == nil { // null
		in = arguments{}
	}
	return in, nil
}

func folded(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// value returns an argument under any of its spellings.
func (a arguments) value(name string) any {
	if v, ok := a[name]; ok {
		return v
	}
	for k, v := range a {
		if folded(k) == folded(name) {
			return v
		}
	}
	return nil
}

// text returns the first of the named arguments that is given.
func (a arguments) text(names ...string) string {
	for _, name := range names {
		switch v := a.value(name).(type) {
		case string:
			if s := strings.TrimSpace(v); s != "" {
				return s
			}
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return ""
}

// number returns an argument between 1 and most, or else what stands for none.
func (a arguments) number(name string, otherwise, most int) int {
	n, err := strconv.ParseFloat(a.text(name), 64)
	if err != nil || !(n >= 1) {
		return otherwise
	}
	return int(min(n, float64(most)))
}

// list returns an argument that holds texts: an array, the JSON of one, or a
// text with one item on each line.
func (a arguments) list(name string) []string {
	var items []any
	switch v := a.value(name).(type) {
	case []any:
		items = v
	case string:
		if json.Unmarshal([]byte(v), &items) != nil {
			for line := range strings.Lines(v) {
				items = append(items, strings.TrimLeft(line, "-*• \t"))
			}
		}
	}
	var out []string
	for _, item := range items {
		if s, ok := item.(string); ok && strings.TrimSpace(s) != "" {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// pairs returns an argument that holds objects with two texts, or only the first text of each.
func (a arguments) pairs(name, first, second string) [][2]string {
	items, ok := a.value(name).([]any)
	if s, isText := a.value(name).(string); isText && json.Unmarshal([]byte(s), &items) != nil {
		items, ok = []any{s}, true
	}
	if !ok && items == nil {
		return nil
	}
	var out [][2]string
	for _, item := range items {
		p := [2]string{}
		switch v := item.(type) {
		case string:
			p[0] = strings.TrimSpace(v)
		case map[string]any:
			p = [2]string{arguments(v).text(first), arguments(v).text(second)}
		}
		if p[0] != "" {
			out = append(out, p)
		}
	}
	return out
}
