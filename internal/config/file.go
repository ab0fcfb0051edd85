package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFileBytes is far beyond any real settings file.
const maxFileBytes = 256 << 10

// entry is one value in a file, under its dotted key.
type entry struct {
	key  string
	raw  any
	line int // 0: not known
}

// syntaxError is a file that cannot be read as a whole.
type syntaxError struct {
	line int
	msg  string
}

func (e *syntaxError) Error() string { return e.msg }

// readFile returns the content of a settings file, or nil when there is none.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // reading a pipe or device could wait for ever
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxFileBytes:
		return nil, fmt.Errorf("it has %d bytes, settings have at most %d", info.Size(), maxFileBytes)
	}
	return os.ReadFile(path)
}

// parseFile reads the entries in their order. The name decides the format.
func parseFile(path string, data []byte) ([]entry, error) {
	data = bytes.TrimPrefix(data, utf8BOM)
	if isTOML(path) {
		return parseTOML(data)
	}
	return parseJSONC(data)
}

// utf8BOM is what some Windows editors put before a text.
var utf8BOM = []byte("\xef\xbb\xbf")

func isTOML(path string) bool { return strings.EqualFold(filepath.Ext(path), ".toml") }

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}
