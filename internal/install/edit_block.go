package install

import (
	"bytes"

	"codememory"
)

// The lines around our part of a file that models read.
const (
	blockBegin = "<!-- codememory:begin"
	blockHead  = blockBegin + " v1 -->"
	blockEnd   = "<!-- codememory:end -->"
)

// block is our part of a markdown file.
type block struct{ text string }

func (b block) lines() string { return blockHead + "\n" + b.text + "\n" + blockEnd + "\n" }

func (b block) with(text []byte) ([]byte, error) {
	lines := []byte(b.lines())
	if bytes.Contains(text, []byte("\r\n")) {
		lines = bytes.ReplaceAll(lines, []byte("\n"), []byte("\r\n"))
	}
	start, stop := spanOf(text, blockBegin, blockEnd)
	if start < 0 {
		if at := lineWith(text, 0, blockBegin); at >= 0 {
			return nil, codememory.Errorf(codememory.Invalid, "line %d: %q has no %q after it: remove the line and try again; nothing was changed",
				1+bytes.Count(text[:at], []byte("\n")), blockBegin, blockEnd)
		}
		return append(append(bytes.Clone(text), gap(text)...), lines...), nil
	}
	rest := cutLines(text[stop:], blockBegin, blockEnd) // an older program may have left more than one
	if stop == len(text) && !bytes.HasSuffix(text, []byte("\n")) {
		lines = bytes.TrimRight(lines, "\r\n")
	}
	return bytes.Join([][]byte{text[:start], lines, rest}, nil), nil
}

func (b block) without(text, before []byte) ([]byte, error) {
	rest := cutLines(text, blockBegin, blockEnd)
	if before == nil && len(rest) < len(text) && len(bytes.TrimSpace(rest)) == 0 {
		return nil, nil
	}
	return rest, nil
}
