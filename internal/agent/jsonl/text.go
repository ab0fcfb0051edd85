package jsonl

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"

	"codememory"
)

// Decode reads a JSON object. What has another form than expected in it is left
// out; false means that it is no object at all.
func Decode(line []byte, into any) bool {
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	var other *json.UnmarshalTypeError
	err := json.Unmarshal(line, into)
	return err == nil || errors.As(err, &other)
}

// Valid returns s with what is not UTF-8 replaced.
func Valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// RemoveTag removes the blocks <tag>…</tag> that an agent put into a text. A
// tag that is not closed is part of the text.
func RemoveTag(text, tag string) string {
	opens, closes := "<"+tag+">", "</"+tag+">"
	for {
		start := strings.Index(text, opens)
		if start < 0 {
			return text
		}
		end := strings.Index(text[start:], closes)
		if end < 0 {
			return text
		}
		text = text[:start] + text[start+end+len(closes):]
	}
}

// Tagged returns what is inside of the first block <tag>…</tag>.
func Tagged(text, tag string) (string, bool) {
	_, rest, ok := strings.Cut(text, "<"+tag+">")
	if !ok {
		return "", false
	}
	inside, _, ok := strings.Cut(rest, "</"+tag+">")
	return inside, ok
}

// Title makes a short line of a prompt.
func Title(prompt string) string {
	const most = 80
	for line := range strings.Lines(prompt) {
		if line = strings.TrimSpace(line); line != "" {
			if r := []rune(line); len(r) > most {
				return string(r[:most-1]) + "…"
			}
			return line
		}
	}
	return ""
}

// Time reads a time as agents write it, the zero time when it is none.
func Time(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Change appends what happened to a file, relative to the session's folder.
func Change(list []codememory.FileChange, dir, file string, kind codememory.ChangeKind) []codememory.FileChange {
	if file == "" {
		return list
	}
	return append(list, codememory.FileChange{Path: Absolute(dir, file), Change: kind})
}

// Absolute joins a file to the session's folder. Sessions may come from another
// system, so it knows the paths of all.
func Absolute(dir, file string) string {
	file = Valid(file)
	if dir == "" || strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\`) || len(file) > 1 && file[1] == ':' {
		return file
	}
	if strings.Contains(dir, `\`) {
		return strings.TrimRight(dir, `\`) + `\` + file
	}
	return path.Join(dir, file)
}

// Fields are the inputs by which the tools of agents say what they are about.
type Fields map[string]json.RawMessage

// FieldsOf reads the input of a tool.
func FieldsOf(input []byte) Fields {
	var f Fields
	_ = json.Unmarshal(input, &f) // an input that is no object has no fields
	return f
}

// String returns a field that is text, or else nothing.
func (f Fields) String(name string) string {
	var s string
	if raw, ok := f[name]; !ok || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return Valid(s)
}

// First returns the first of these fields that has text.
func (f Fields) First(names ...string) string {
	for _, name := range names {
		if s := f.String(name); s != "" {
			return s
		}
	}
	return ""
}

// Target returns the field that says best what a tool is about.
func (f Fields) Target() string {
	return f.First("command", "cmd", "file_path", "filePath", "notebook_path", "path", "absolute_path", "pattern", "query", "url", "prompt", "description", "skill", "name", "dir_path")
}
