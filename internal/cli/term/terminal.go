package term

import (
	"os"

	"golang.org/x/term"
)

// DefaultColumns is the width of what is not a terminal.
const DefaultColumns = 80

// minColumns keeps tables readable when a terminal claims to be tiny.
const minColumns = 40

// IsTerminal reports whether f, a reader or a writer, is a terminal.
func IsTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Columns returns the width of the terminal behind w.
func Columns(w any) int {
	file, ok := w.(*os.File)
	if !ok {
		return DefaultColumns
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns <= 0 {
		return DefaultColumns
	}
	return max(columns, minColumns)
}

// WantsColour reports whether what is written to w should be coloured: only on
// a terminal that can, and not when NO_COLOR is set to anything.
func WantsColour(w any, getenv func(string) string) bool {
	return IsTerminal(w) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}
