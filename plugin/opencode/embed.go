// Package opencodeplugin holds the plugin through which OpenCode reaches
// CodeMemory. It is TypeScript, one file without dependencies, because OpenCode
// silently drops a plugin whose imports it cannot resolve.
package opencodeplugin

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed codememory.ts
var source string

// Mark begins the first line of every installed plugin and tells it from a
// file of the user's own.
const Mark = "// Written by codememory "

// The lines of the source that say for whom it was installed.
const (
	versionLine = `const VERSION = "dev" // filled in by the installer`
	binaryLine  = `const BINARY = "" // filled in by the installer; without it, codememory of the PATH`
)

// File returns the plugin as it is installed: with the version it came with and
// the program that it starts when no daemon runs.
func File(version, binary string) ([]byte, error) {
	text := source
	for _, fill := range []struct{ line, name, value string }{
		{versionLine, "VERSION", version},
		{binaryLine, "BINARY", binary},
	} {
		if strings.Count(text, fill.line) != 1 {
			return nil, fmt.Errorf("the plugin has no single line %q to fill in", fill.line)
		}
		literal, err := json.Marshal(fill.value) // also a string of JavaScript
		if err != nil {
			return nil, err
		}
		text = strings.Replace(text, fill.line, "const "+fill.name+" = "+string(literal), 1)
	}
	head := Mark + strings.Join(strings.Fields(version), " ") + "; `codememory uninstall opencode` removes it.\n"
	return []byte(head + text), nil
}
