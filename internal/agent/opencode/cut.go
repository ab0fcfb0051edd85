package opencode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of what is taken into memory at once.
const (
	bigRow   = 256 << 10 // rows above it are taken apart by SQLite
	bigText  = 1 << 20   // of a message
	bigInput = 16 << 10  // of one value in the input of a tool in a big row
)

// cut shortens s, which had size bytes in all, to at most limit bytes with a
// mark; limit 0 means no limit.
func cut(s string, size, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if limit <= 0 || max(size, len(s)) <= limit {
		return s
	}
	mark := fmt.Sprintf("\n[… cut, %d bytes in all]", max(size, len(s)))
	if len(mark) >= limit {
		mark = ""
	}
	end := min(limit-len(mark), len(s))
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.Clone(s[:end]) + mark // so that the rest can be freed
}

// shorten cuts the long strings in the input of a tool. What is no JSON becomes
// nothing.
func shorten(input []byte) json.RawMessage {
	if len(input) <= bigInput && json.Valid(input) {
		return bytes.ToValidUTF8(input, []byte("\uFFFD"))
	}
	var v any
	if json.Unmarshal(input, &v) != nil {
		return nil
	}
	out, err := json.Marshal(shortenValue(v))
	if err != nil {
		return nil
	}
	return out
}

func shortenValue(v any) any {
	switch v := v.(type) {
	case string:
		return cut(v, len(v), bigInput)
	case []any:
		for i := range v {
			v[i] = shortenValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = shortenValue(v[k])
		}
	}
	return v
}
