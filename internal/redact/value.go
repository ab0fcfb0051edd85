package redact

import (
	"maps"
	"slices"
)

// Value returns v with every string in it redacted: strings, and slices and
// maps of them as JSON knows them. A string under a key whose name says secret
// is judged together with that name. v itself is not changed.
func (r *Redactor) Value(v any) any {
	switch v := v.(type) {
	case string:
		return r.String(v)
	case []string:
		out := slices.Clone(v)
		for i, e := range out {
			out[i] = r.String(e)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, e := range out {
			out[i] = r.Value(e)
		}
		return out
	case map[string]any:
		out := maps.Clone(v)
		for key, e := range out {
			if s, ok := e.(string); ok {
				out[key] = r.member(key, s)
			} else {
				out[key] = r.Value(e)
			}
		}
		return out
	case map[string]string:
		out := maps.Clone(v)
		for key, e := range out {
			out[key] = r.member(key, e)
		}
		return out
	default:
		return v
	}
}

// member redacts the value of a key as if the two stood in a JSON text.
func (r *Redactor) member(key, value string) string {
	prefix := `"` + key + `": "`
	_, found := r.Text(prefix + value + `"`)
	for _, f := range found {
		if f.Start == len(prefix) && f.End == len(prefix)+len(value) {
			return marker(f.Rule)
		}
	}
	return r.String(value)
}
