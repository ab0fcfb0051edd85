package opencodeplugin

import (
	"strings"
	"testing"
)

func TestFileSaysForWhomItIs(t *testing.T) {
	tests := map[string]struct{ version, binary, wants string }{
		"a plain path":          {"v1.2.3", "/usr/local/bin/codememory", `const BINARY = "/usr/local/bin/codememory"`},
		"a path of Windows":     {"v1.2.3", `C:\Program Files\cm.exe`, `const BINARY = "C:\\Program Files\\cm.exe"`},
		"quotes and newlines":   {"v1.2.3", "/a\"b\nc", `const BINARY = "/a\"b\nc"`},
		"a path that ends code": {"v1.2.3", `"; process.exit() //`, `const BINARY = "\"; process.exit() //"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := File(tt.version, tt.binary)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			if !strings.Contains(text, "\n"+tt.wants+"\n") || !strings.Contains(text, "\nconst VERSION = \"v1.2.3\"\n") {
				t.Errorf("not filled in; want %s", tt.wants)
			}
			if !strings.HasPrefix(text, Mark+"v1.2.3;") {
				t.Errorf("begins with %q", text[:60])
			}
		})
	}
}

func TestVersionCannotLeaveItsComment(t *testing.T) {
	data, err := File("v1\nprocess.exit()", "")
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(data), "\n"); !strings.Contains(first, "process.exit()") {
		t.Errorf("the version broke out of the first line: %q", first)
	}
}

func TestPluginNeedsNothingButTheRuntime(t *testing.T) {
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import type ") {
			continue
		}
		if !strings.Contains(line, ` from "node:`) {
			t.Errorf("a value is imported from elsewhere than node: %s", line)
		}
	}
}
