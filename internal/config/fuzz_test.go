package config

import (
	"reflect"
	"testing"
)

var fuzzSeeds = []string{
	"", "[http]\nport = 1 # x\n", "http = { port = 1, compat_port = 2 }", "http.port = 1\n[log]\nlevel = 'x'",
	"[[http]]\nport = 1", "a = [\n1, # c\n]\n\"http\".\"port\" = 0x10", "\"http.port\" = '''\nx'''", "[http.port]\n", "http = {\n port = 1,\n}",
	`{"http": {"port": 1, /* c */}, // x` + "\n}", `{"http.port": [1, {"a": null}], "http": {"port": 2}}`, "{", "[1]", `{"a":1}//`, "{\"disable\":true,// x\n\"timezone\":\"\"}",
}

// FuzzEdit parses foreign bytes and edits them. An edit may be refused, which
// the comparison of meanings does in Set, but it must not panic, and on an
// ordinary text it must do what it says.
func FuzzEdit(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"c.toml", "c.json"} {
			before, err := meaning(name, text)
			if err != nil {
				continue
			}
			for _, key := range []string{"http.port", "disable", "projects.ignore"} {
				after := edited(name, text, key)
				says, err := meaning(name, after)
				if err != nil || len(before) > 0 && says[key] == nil {
					continue // refused by save
				}
				removed, err := meaning(name, removedFrom(t, name, after, key))
				if err != nil {
					continue
				}
				if _, still := removed[key]; still {
					t.Errorf("%s: %s is still in %q", name, key, after)
				}
				delete(says, key)
				if !reflect.DeepEqual(says, removed) && len(says) == len(removed) {
					t.Errorf("%s: removing %s from %q changed other keys: %v, %v", name, key, after, says, removed)
				}
			}
		}
	})
}

func edited(name string, text []byte, key string) []byte {
	literal := map[string]string{"http.port": "7", "disable": "true", "projects.ignore": `["a"]`}[key]
	if isTOML(name) {
		return setTOML(text, key, literal)
	}
	out, err := setJSONC(text, key, literal)
	if err != nil {
		return nil
	}
	return out
}

func removedFrom(t *testing.T, name string, text []byte, key string) []byte {
	if isTOML(name) {
		return unsetTOML(text, key)
	}
	out, err := unsetJSONC(text, key)
	if err != nil {
		t.Fatalf("a text that was read cannot be edited: %v", err)
	}
	return out
}
