//go:build darwin || windows

package project

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// pathKey is the form in which paths are compared. These systems take Foo and
// foo, composed and decomposed, for the same file.
func pathKey(path string) string { return norm.NFC.String(strings.ToLower(path)) }
