// Package salvage finds the JSON in what a model said. Models put fences and
// prose around it, wrap lists into objects, write a list as a string, and stop
// in the middle; what can be read without guessing is read, and nothing else.
package salvage

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
)

// ErrNone says that there is no JSON of the wanted kind in a text.
var ErrNone = errors.New("there is no such JSON in the answer")

// maxText bounds what is searched.
const maxText = 1 << 20

// List returns the items of the list in a text. A list of a wrapping object
// counts, whatever its name, if it is the only one; so does a list that stands
// in a string. Of a list that breaks off, the whole items count.
func List(text string) ([]json.RawMessage, error) {
	for _, part := range candidates(text) {
		if items, ok := listIn([]byte(part), 0); ok {
			return items, nil
		}
		if i, j := strings.IndexByte(part, '['), strings.LastIndexByte(part, ']'); i >= 0 && j > i {
			if items, ok := listIn([]byte(part[i:j+1]), 0); ok {
				return items, nil
			}
		}
	}
	for _, part := range candidates(text) {
		if json.Valid([]byte(part)) {
			continue // it is whole, and has no list or too many
		}
		if items := wholeItems(part); len(items) > 0 {
			return items, nil
		}
	}
	return nil, ErrNone
}

// Object decodes the object in a text into v. A list of one object counts as it.
func Object(text string, v any) error {
	for _, part := range candidates(text) {
		tries := []string{part}
		if i, j := strings.IndexByte(part, '{'), strings.LastIndexByte(part, '}'); i >= 0 && j > i {
			tries = append(tries, part[i:j+1])
		}
		for _, try := range tries {
			raw := bytes.TrimSpace([]byte(try))
			var inner string
			if json.Unmarshal(raw, &inner) == nil {
				raw = bytes.TrimSpace([]byte(inner))
			}
			var one []json.RawMessage
			if json.Unmarshal(raw, &one) == nil && len(one) == 1 {
				raw = one[0]
			}
			if len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, v) == nil {
				return nil
			}
		}
	}
	return ErrNone
}

// Plain returns what a model said without its thoughts, without a fence around
// the whole and without quotation marks.
func Plain(text string) string {
	text = strings.TrimSpace(withoutThoughts(text))
	if m := fence().FindStringSubmatch(text); m != nil && strings.HasPrefix(text, "```") && strings.HasSuffix(text, "```") && strings.Count(text, "```") == 2 {
		text = strings.TrimSpace(m[1])
	}
	var quoted string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &quoted) == nil {
		text = strings.TrimSpace(quoted)
	}
	return text
}

var (
	fence    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```[a-zA-Z0-9_-]*[ \t]*\r?\n?(.*?)```") })
	thoughts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<think(?:ing)?>.*?(?:</think(?:ing)?>|$)`) })
)

func withoutThoughts(text string) string { return thoughts().ReplaceAllString(text, "") }

// candidates are the parts of a text in which the answer may stand, the most
// likely one first.
func candidates(text string) []string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = strings.TrimSpace(strings.TrimPrefix(withoutThoughts(text), "\ufeff"))
	parts := []string{text}
	for _, m := range fence().FindAllStringSubmatch(text, 20) {
		parts = append(parts, strings.TrimSpace(m[1]))
	}
	return parts
}

// listIn reads raw as a list, as a string that holds one, or as an object with
// exactly one list.
func listIn(raw []byte, depth int) ([]json.RawMessage, bool) {
	const deepest = 3
	if depth > deepest {
		return nil, false
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil && items != nil {
		return items, true
	}
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		return listIn([]byte(strings.TrimSpace(inner)), depth+1)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil, false
	}
	var found []json.RawMessage
	lists := 0
	for _, value := range object {
		if trimmed := bytes.TrimSpace(value); len(trimmed) > 0 && (trimmed[0] == '[' || trimmed[0] == '{') {
			if list, ok := listIn(value, depth+1); ok {
				found, lists = list, lists+1
			}
		}
	}
	return found, lists == 1
}

// wholeItems reads the items of a list that breaks off.
func wholeItems(part string) []json.RawMessage {
	i := strings.IndexByte(part, '[')
	if i < 0 {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(part[i:]))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var items []json.RawMessage
	for d.More() {
		var item json.RawMessage
		if d.Decode(&item) != nil {
			break
		}
		items = append(items, item)
	}
	return items
}
