package git

import (
	"strings"
	"testing"
)

func TestRemoteInConfig(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"none":                      {"[core]\n\tbare = false\n", ""},
		"origin before others":      {"[remote \"a\"]\nurl=x\n[remote \"origin\"]\n\turl = y\n", "y"},
		"first without origin":      {"[remote \"b\"]\nurl=x\n[remote \"a\"]\nurl = y\n", "x"},
		"first of two urls":         {"[remote \"origin\"]\nurl=x\nurl=y\n", "x"},
		"on the line of its header": {`[remote "origin"] url = x`, "x"},
		"any case of the keywords":  {"[REMOTE \"origin\"]\nURL = x\n", "x"},
		"comments and quotes":       {"[remote \"origin\"]\n url = \"a # b\" ; gone\n", "a # b"},
		"continued line":            {"[remote \"origin\"]\n url = a\\\nb\n", "ab"},
		"windows line ends":         {"[remote \"origin\"]\r\n\turl = x\r\n", "x"},
		"escapes":                   {`[remote "origin"]` + "\n" + ` url = C:\\git\\repo`, `C:\git\repo`},
		"a name with a bracket":     {`[remote "o]r"]` + "\nurl = x\n", "x"},
		"pushurl is not it":         {"[remote \"origin\"]\npushurl = x\n", ""},
		"other sections":            {"[branch \"main\"]\nurl = x\n[url \"y\"]\ninsteadOf = z\n", ""},
		"broken header":             {"[remote \"origin\nurl = x\n", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := remoteInConfig(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzRemoteInConfig(f *testing.F) {
	for _, seed := range []string{"", "[", "[remote \"origin\"]\nurl = \"\\", "\\", "[remote \"a\\", "[a]\n\\\n\\\n", "[remote \"o\"]url=\"x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		remote := ParseRemote(remoteInConfig(text))
		if remote.Key != "" && remote.Path != "" {
			t.Errorf("%q is both hosted and local: %+v", text, remote)
		}
	})
}

func FuzzParseRemote(f *testing.F) {
	for _, seed := range []string{"", ":", "@:", "[::1]:x", "a@b:c", "ssh://", "https://u:p@h:1/x?y#z", "://", "::", "C:", "ssh://[::1", "https://%zz/%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		first := ParseRemote(raw)
		if first.Key == "" {
			return
		}
		if strings.HasPrefix(first.Key, "/") || strings.HasSuffix(first.Key, "/") {
			t.Errorf("%q gives the ragged key %q", raw, first.Key)
		}
	})
}
