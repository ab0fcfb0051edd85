package jsonc

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

type entry struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// tester is what tests and properties have in common.
type tester interface {
	Helper()
	Fatalf(string, ...any)
}

func parse(t tester, text string) *Document {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

func TestSetKeepsTheStyleOfTheFile(t *testing.T) {
	tests := map[string]struct{ before, after string }{
		"an empty file":   {"", "{\n  \"a\": {\n    \"b\": {\n      \"command\": \"x y\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		"an empty object": {"{}", "{\n  \"a\": {\n    \"b\": {\n      \"command\": \"x y\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		"one line":        {`{"z":1,"a":{"c":[]}}`, `{"z":1,"a":{"c":[],"b":{"command":"x y","args":["mcp"]}}}`},
		"tabs and line ends of Windows": {
			"{\r\n\t\"a\": {\r\n\t\t\"c\": 1\r\n\t}\r\n}\r\n",
			"{\r\n\t\"a\": {\r\n\t\t\"c\": 1,\r\n\t\t\"b\": {\r\n\t\t\t\"command\": \"x y\",\r\n\t\t\t\"args\": [\"mcp\"]\r\n\t\t}\r\n\t}\r\n}\r\n",
		},
		"comments and trailing commas": {
			"// mine\n{\n    \"a\": { // all of it\n        \"c\": 1, // one\n        // the end\n    },\n}\n",
			"// mine\n{\n    \"a\": { // all of it\n        \"c\": 1, // one\n        // the end\n        \"b\": {\n            \"command\": \"x y\",\n            \"args\": [\"mcp\"]\n        },\n    },\n}\n",
		},
		"a comment beside the last": {
			"{\n  \"z\": 1 // one\n}",
			"{\n  \"z\": 1, // one\n  \"a\": {\n    \"b\": {\n      \"command\": \"x y\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
		},
		"members in one line of several": {
			"{\n  \"a\": {\"c\": 1}\n}",
			"{\n  \"a\": {\"c\": 1, \"b\": {\"command\":\"x y\",\"args\":[\"mcp\"]}}\n}",
		},
		"a byte order mark": {"\xef\xbb\xbf{\"a\":{\"c\":1}}", "\xef\xbb\xbf{\"a\":{\"c\":1,\"b\":{\"command\":\"x y\",\"args\":[\"mcp\"]}}}"},
		"the last of two with one name": {
			"{\"a\":{},\"a\":{\"c\":1}}", "{\"a\":{},\"a\":{\"c\":1,\"b\":{\"command\":\"x y\",\"args\":[\"mcp\"]}}}",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := parse(t, tt.before)
			if err := d.Set(entry{"x y", []string{"mcp"}}, "a", "b"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(d.Bytes())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	tests := map[string]struct{ before, after string }{
		"no list yet":      {"{\n  \"z\": 1\n}", "{\n  \"z\": 1,\n  \"a\": [\n    \"new\"\n  ]\n}"},
		"a list in a line": {"{\n  \"a\": [\"x\", \"y\"]\n}", "{\n  \"a\": [\"x\", \"y\", \"new\"]\n}"},
		"a list of lines":  {"{\n  \"a\": [\n    \"x\", // one\n    \"y\" // two\n  ]\n}", "{\n  \"a\": [\n    \"x\", // one\n    \"y\", // two\n    \"new\"\n  ]\n}"},
		"trailing commas":  {"{\n  \"a\": [\n    \"x\",\n  ],\n}", "{\n  \"a\": [\n    \"x\",\n    \"new\",\n  ],\n}"},
		"an empty list":    {"{\n  \"a\": [],\n  \"b\": 1\n}", "{\n  \"a\": [\n    \"new\"\n  ],\n  \"b\": 1\n}"},
		"a minified file":  {`{"a":["x"]}`, `{"a":["x","new"]}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := parse(t, tt.before)
			if err := d.Append("new", "a"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(d.Bytes())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRemoveLeavesCommentsOfOthers(t *testing.T) {
	const text = "{\n  // about a\n  \"a\": 1, // beside a\n  // about us\n  \"us\": 2 // beside us\n  // at the end\n}"
	d := parse(t, text)
	d.Remove("us")
	got := string(d.Bytes())
	for _, comment := range []string{"// about a\n", "// beside a\n", "// about us\n", "// beside us\n", "// at the end\n"} {
		if !strings.Contains(got, comment) {
			t.Errorf("%q is gone from\n%s", comment, got)
		}
	}
	var all map[string]any
	if _, err := parse(t, got).Get(&all); err != nil || len(all) != 1 {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestWhatIsNotTheRightKindIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\n  oops\n}": "line 3",
		"[1]":                       "not an object",
		"{\"a\": 1} {}":             "line 1",
		"{\"a\": \"\x01\"}":         "line 1",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", text, err, want)
		}
	}
	d := parse(t, `{"a": 1, "b": "x"}`)
	if err := d.Set(1, "a", "c"); err == nil {
		t.Error("set a member of a number")
	}
	if err := d.Append(1, "b"); err == nil {
		t.Error("appended to a string")
	}
	d.Remove("a", "c")
	d.RemoveElement(0, "b")
	d.RemoveElement(7, "none")
	if got := string(d.Bytes()); got != `{"a": 1, "b": "x"}` {
		t.Errorf("changed to %s", got)
	}
}

// space draws what may stand between two tokens.
var space = rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\n\t", " // c\n", " /* b */ ", "\n  // c\n  ", "\n\n"})

// text draws a value in some style. Every container has an entry.
func text(t *rapid.T, depth int) string {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 2).Draw(t, "kind")
	}
	if kind == 0 {
		return rapid.SampledFrom([]string{"1", "true", "null", `"x"`, `"a // b"`, `"/* \" */"`}).Draw(t, "literal")
	}
	open, closed := "{", "}"
	if kind == 2 {
		open, closed = "[", "]"
	}
	var b strings.Builder
	b.WriteString(open)
	n := rapid.IntRange(1, 3).Draw(t, "n")
	for i := range n {
		b.WriteString(space.Draw(t, "before"))
		if kind == 1 {
			b.WriteString(`"` + string(rune('a'+i)) + `"` + space.Draw(t, "colon") + ":" + space.Draw(t, "value"))
		}
		b.WriteString(text(t, depth-1) + space.Draw(t, "after"))
		if i < n-1 || rapid.Bool().Draw(t, "comma") {
			b.WriteString(",")
		}
	}
	b.WriteString(space.Draw(t, "closing") + closed)
	return b.String()
}

func comments(s string) int {
	v, err := hujson.Parse([]byte(s))
	if err != nil {
		return -1
	}
	n := 0
	count := func(e hujson.Extra) { n += strings.Count(string(e), "// c") + strings.Count(string(e), "/* b */") }
	for v := range v.All() {
		count(v.BeforeExtra)
		count(v.AfterExtra)
		switch v := v.Value.(type) {
		case *hujson.Object:
			count(v.AfterExtra)
		case *hujson.Array:
			count(v.AfterExtra)
		}
	}
	return n
}

func plain(t *rapid.T, s string) map[string]any {
	var all map[string]any
	if _, err := parse(t, s).Get(&all); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return all
}

// What was put in can be taken out again, and the file is the same, byte for
// byte, however it was written.
func TestRemoveUndoesSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := `{"a":` + text(t, 2) + space.Draw(t, "after") + `,"b":{` + space.Draw(t, "open") + `"x":1` + space.Draw(t, "close") + `},"c":[` + space.Draw(t, "open") + `1` + space.Draw(t, "close") + "]" + space.Draw(t, "end") + "}"
		if rapid.Bool().Draw(t, "whole") {
			before = "{" + space.Draw(t, "first") + before[1:]
		}
		d := parse(t, before)
		where := rapid.SampledFrom([]string{"root", "member", "element", "new object", "new list"}).Draw(t, "where")
		var err error
		switch where {
		case "root":
			err = d.Set(entry{"x", []string{"y"}}, "new")
		case "member":
			err = d.Set(entry{"x", []string{"y"}}, "b", "new")
		case "element":
			err = d.Append(entry{"x", []string{"y"}}, "c")
		case "new object":
			err = d.Set(1, "new", "one", "two")
		case "new list":
			err = d.Append(1, "new")
		}
		if err != nil {
			t.Fatal(err)
		}
		with := string(d.Bytes())
		if comments(with) != comments(before) {
			t.Fatalf("%s: a comment was lost\n%s\n---\n%s", where, before, with)
		}
		want := plain(t, before)
		got := plain(t, with)
		switch where {
		case "member":
			delete(got["b"].(map[string]any), "new")
		case "element":
			got["c"] = got["c"].([]any)[:1]
		default:
			delete(got, "new")
		}
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("%s: other values changed\n%s\n---\n%s", where, before, with)
		}
		d = parse(t, with)
		switch where {
		case "member":
			d.Remove("b", "new")
		case "element":
			d.RemoveElement(1, "c")
		default:
			d.Remove("new")
		}
		if got := string(d.Bytes()); got != before {
			t.Fatalf("%s: not as before\n%q\n%q\n%q", where, before, with, got)
		}
	})
}

// Taking out any entry leaves a file that can be read, with the other entries
// and all comments.
func TestRemoveLeavesTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := "{" + space.Draw(t, "1") + `"a"` + space.Draw(t, "2") + ":" + text(t, 1) + space.Draw(t, "3") + "," + space.Draw(t, "4") +
			`"b": 2` + space.Draw(t, "5") + "," + space.Draw(t, "6") + `"c": 3` + space.Draw(t, "7") + rapid.SampledFrom([]string{"", ","}).Draw(t, "8") + space.Draw(t, "9") + "}"
		name := rapid.SampledFrom([]string{"b", "c"}).Draw(t, "name")
		d := parse(t, before)
		d.Remove(name)
		want := plain(t, before)
		delete(want, name)
		if got := plain(t, string(d.Bytes())); !reflect.DeepEqual(want, got) {
			t.Fatalf("%q\n%q", before, d.Bytes())
		}
		if comments(before) != comments(string(d.Bytes())) {
			t.Fatalf("a comment was lost\n%q\n%q", before, d.Bytes())
		}
	})
}

func TestGet(t *testing.T) {
	d := parse(t, "{\"a\": {\"b\": [1, 2,], /* x */ },}")
	var list []int
	if found, err := d.Get(&list, "a", "b"); !found || err != nil || !reflect.DeepEqual(list, []int{1, 2}) {
		t.Errorf("got %v, %v, %v", list, found, err)
	}
	if found, err := d.Get(&list, "a", "c"); found || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
	var s string
	if found, err := d.Get(&s, "a", "b"); !found || err == nil {
		t.Error("read a list as a string")
	}
	if string(d.Bytes()) != "{\"a\": {\"b\": [1, 2,], /* x */ },}" {
		t.Error("reading changed the file")
	}
	if !json.Valid([]byte(`{}`)) || !parse(t, " { } ").Empty() || parse(t, "{} // c\n").Empty() {
		t.Error("what is empty")
	}
}

func TestLiberties(t *testing.T) {
	for text, want := range map[string][2]bool{
		`{"a": [1, {"b": 2}]}`:         {false, false},
		`{"a": [1, {"b": 2,}]}`:        {false, true},
		`{"a": [1,], "c": {}}`:         {false, true},
		"// c\n{\"a\": 1}":             {true, false},
		`{"a": 1} /* c */`:             {true, false},
		`{"a": [ /* c */ ]}`:           {true, false},
		"{\"a\": 1, // c\n}":           {true, true},
		`{"a": "// no, /* none */ ,"}`: {false, false},
	} {
		if comments, commas := parse(t, text).Liberties(); comments != want[0] || commas != want[1] {
			t.Errorf("%s: got %v, %v", text, comments, commas)
		}
	}
}
