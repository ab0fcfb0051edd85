package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Program is how configurations call this binary.
type Program struct {
	Path string // absolute, or a name that is found on the PATH
	GOOS string
}

// StableProgram finds the name under which a binary stays after an upgrade.
// Package managers put versions into folders of their own, and a link to the
// current one on the PATH.
func StableProgram(binary, goos string, lookPath func(string) (string, error)) Program {
	if found, err := lookPath("codememory"); err == nil && filepath.IsAbs(found) && sameFile(found, binary) {
		return Program{found, goos}
	}
	return Program{binary, goos}
}

func sameFile(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// plainWord needs no quotes in any shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shell is a command line for sh, or on Windows for both cmd and the sh that
// Git brings, which agree on double quotes.
func (p Program) shell(args ...string) string {
	word := p.Path
	switch {
	case plainWord.MatchString(word):
	case p.GOOS == "windows":
		word = `"` + word + `"`
	default:
		word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(append([]string{word}, args...), " ")
}

// powershell is a command line for PowerShell, where a quoted word is only run
// after an ampersand.
func (p Program) powershell(args ...string) string {
	word := p.Path
	if !plainWord.MatchString(word) {
		word = "& '" + strings.ReplaceAll(word, "'", "''") + "'"
	}
	return strings.Join(append([]string{word}, args...), " ")
}

// hook is the call that an agent makes at an event.
func (p Program) hook(agent, event string) string { return p.shell("hook", agent, event) }
