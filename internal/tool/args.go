package tool

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"
)

// args are the arguments of a call. Models write sessionId, session_id and
// sessionID for the same thing, and numbers and booleans in quotes; all of
// that is understood. Keys are in lower case without separators.
type args map[string]any

func fold(in map[string]any) args {
	out := make(args, len(in))
	for k, v := range in {
		if v != nil {
			out[foldKey(k)] = v
		}
	}
	return out
}

func foldKey(k string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(strings.TrimSpace(k)))
}

func (a args) has(name string) bool { return a.text(name) != "" }

// nested returns an argument that holds arguments, as an object or as the JSON of one.
func (a args) nested(name string) args {
	switch v := a[name].(type) {
	case map[string]any:
		return fold(v)
	case string:
		var in map[string]any
		if json.Unmarshal([]byte(v), &in) == nil {
			return fold(in)
		}
	}
	return args{}
}

// with returns a with more on top.
func (a args) with(more args) args {
	out := maps.Clone(a)
	maps.Copy(out, more)
	return out
}

// text returns the first of the named arguments that is given, as it is.
func (a args) text(names ...string) string {
	for _, name := range names {
		switch v := a[foldKey(name)].(type) {
		case string:
			if strings.TrimSpace(v) != "" {
				return strings.ToValidUTF8(v, "\uFFFD")
			}
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		case int:
			return strconv.Itoa(v)
		case json.Number:
			return v.String()
		}
	}
	return ""
}

// word is text without space around it.
func (a args) word(names ...string) string { return strings.TrimSpace(a.text(names...)) }

// number returns an argument between 1 and most; otherwise what stands for
// none, or for one that is no number.
func (a args) number(otherwise, most int, names ...string) int {
	n, ok := a.integer(names...)
	if !ok || n < 1 {
		return otherwise
	}
	return min(n, most)
}

func (a args) integer(names ...string) (int, bool) {
	f, err := strconv.ParseFloat(a.word(names...), 64)
	if err != nil || f != f || f < -1e9 || f > 1e9 {
		return 0, false
	}
	return int(f), true
}

// yes reports whether a switch is on.
func (a args) yes(names ...string) bool {
	for _, name := range names {
		switch v := a[foldKey(name)].(type) {
		case bool:
			return v
		case string:
			on, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v)))
			return on || err != nil && strings.EqualFold(strings.TrimSpace(v), "yes")
		case float64:
			return v != 0
		}
	}
	return false
}

func chars(s string) int { return utf8.RuneCountInString(s) }
