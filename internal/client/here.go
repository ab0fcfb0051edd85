package client

import (
	"os"
	"path/filepath"
	"strings"
)

// here makes a reference to a folder mean the same to the daemon, whose working
// directory is another. Names, ids and tags are passed on as they are.
func here(ref string) string {
	if ref == "" || filepath.IsAbs(ref) {
		return ref
	}
	slashed := filepath.ToSlash(ref)
	relative := slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../")
	if !relative && strings.Contains(slashed, "/") { // a folder below, or a remote
		info, err := os.Stat(ref)
		relative = err == nil && info.IsDir()
	}
	if !relative {
		return ref
	}
	return absolute(ref)
}

// absolute resolves a path against the working directory of this process.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
