package term

import (
	"os"
	"strconv"

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

// Columns returns the width to write for: what COLUMNS asks for, else that of
// the terminal behind w. It reports whether either is known.
func Columns(w any, getenv func(string) string) (columns int, known bool) {
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, minColumns), true
	}
	if file, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return max(n, minColumns), true
		}
	}
	return DefaultColumns, false
}

// WantsColour reports whether what is written to w should be coloured: only on
// a terminal that can, and not when NO_COLOR is set to anything.
func WantsColour(w any, getenv func(string) string) bool {
	return IsTerminal(w) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}
