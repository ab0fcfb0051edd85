package salvage

import (
	"encoding/json"
	"testing"
)

func TestAListIsFoundHoweverItIsSaid(t *testing.T) {
	const want = `[{"a":1},{"a":2}]`
	for name, text := range map[string]string{
		"bare":                 want,
		"fenced":               "```json\n" + want + "\n```",
		"fenced without name":  "```\n" + want + "```",
		"after prose":          "Here is what I found:\n\n" + want,
		"between prose":        "Sure! " + want + "\nLet me know [if] you need more.",
		"wrapped":              `{"memories":` + want + `}`,
		"wrapped with more":    `{"note":"two", "count":2, "memories":` + want + `}`,
		"wrapped twice":        `{"result":{"items":` + want + `}}`,
		"as a string":          `"[{\"a\":1},{\"a\":2}]"`,
		"string in a wrapper":  `{"x":{"y":` + want + `}}`,
		"after thoughts":       "<think>maybe [1,2]?</think>\n" + want,
		"broken off":           `[{"a":1},{"a":2},{"a":`,
		"broken off in fences": "```json\n[{\"a\":1},{\"a\":2},{\"b",
		"broken off, wrapped":  `{"memories":[{"a":1},{"a":2},{"a":3`,
		"with a byte order":    "\ufeff" + want,
		"prose, then fenced":   "I thought of [several] things.\n```json\n" + want + "\n```\nDone [ok].",
	} {
		t.Run(name, func(t *testing.T) {
			items, err := List(text)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(items)
			if string(got) != want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestAnEmptyListIsAnAnswer(t *testing.T) {
	for _, text := range []string{"[]", "```json\n[]\n```", `{"memories":[]}`, "Nothing worth keeping.\n[]"} {
		if items, err := List(text); err != nil || len(items) != 0 {
			t.Errorf("%q: got %v, %v", text, items, err)
		}
	}
}

func TestNoListIsNoList(t *testing.T) {
	for _, text := range []string{"", "   ", "I cannot help with that.", "null", "42", `{"a":1}`, `{"a":[1],"b":[2]}`, "[", "]", "[not json]", "<think>[1]</think>"} {
		if items, err := List(text); err == nil {
			t.Errorf("%q: got %s", text, items)
		}
	}
}

func TestAnObjectIsFound(t *testing.T) {
	for _, text := range []string{
		`{"d":"x"}`, "```json\n{\"d\":\"x\"}\n```", `The decision is {"d":"x"} as you see.`, `[{"d":"x"}]`, `"{\"d\":\"x\"}"`, "<think>{}</think>{\"d\":\"x\"}",
	} {
		var v struct{ D string }
		if err := Object(text, &v); err != nil || v.D != "x" {
			t.Errorf("%q: got %+v, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "no", "[]", "[1,2]", "{", `{"d":3}`} {
		var v struct{ D string }
		if err := Object(text, &v); err == nil {
			t.Errorf("%q: got %+v", text, v)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"  refines \n": "refines", `"refines"`: "refines", "```\nrefines\n```": "refines", "<think>hm</think>refines": "refines",
		"a ```b``` c": "a ```b``` c",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func FuzzList(f *testing.F) {
	for _, s := range []string{"[1]", `{"a":[1]}`, "```json\n[", `"[1]"`, "<think>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		items, _ := List(s)
		for _, item := range items {
			if !json.Valid(item) {
				t.Errorf("%q: an item is no JSON: %s", s, item)
			}
		}
		_ = Object(s, new(map[string]any))
		_ = Plain(s)
	})
}
