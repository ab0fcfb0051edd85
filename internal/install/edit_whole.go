package install

import (
	"bytes"

	"codememory"
)

// whole is a file that is ours altogether.
type whole struct {
	text []byte
	mark []byte // what a file of ours contains, whatever its version
}

func (w whole) ours(text []byte) bool { return bytes.Contains(text, w.mark) }

func (w whole) with(text []byte) ([]byte, error) {
	if text != nil && !w.ours(text) {
		return nil, codememory.Errorf(codememory.Conflict, "exists and is not CodeMemory's: move it away and try again")
	}
	return w.text, nil
}

func (w whole) without(text, before []byte) ([]byte, error) {
	if w.ours(text) {
		return before, nil
	}
	return text, nil
}
