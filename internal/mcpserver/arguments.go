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
