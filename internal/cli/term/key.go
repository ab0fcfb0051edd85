package term

import (
	"io"
	"os"

	"golang.org/x/term"
)

// interrupt is what Ctrl-C sends while keys are read one by one.
const interrupt = 3

// ReadKey waits for one key on a terminal, without Enter and without showing
// it. Ctrl-C and Ctrl-D are io.EOF.
func ReadKey(f *os.File) (byte, error) {
	fd := int(f.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return 0, err
	}
	var key [1]byte
	_, err = f.Read(key[:])
	if restored := term.Restore(fd, before); err == nil {
		err = restored
	}
	if err == nil && (key[0] == interrupt || key[0] == 4) {
		return 0, io.EOF
	}
	return key[0], err
}
