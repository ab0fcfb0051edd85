//go:build !darwin && !windows

package project

// pathKey is the form in which paths are compared.
func pathKey(path string) string { return path }
