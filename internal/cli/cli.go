// Package cli is the command line. Every command is one file: its flags in an
// options struct, and a run function that knows nothing of the flag library.
// All of them speak to codememory.Service, be it the daemon or the stores
// opened in this process.
package cli

import (
	"context"
	"io"
	"os"
	"time"

	"codememory/internal/cli/term"
)

// Run executes one command line and returns its exit code. args are without
// the program's name.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := newProgram(stdin, stdout, stderr)
	return p.execute(ctx, args)
}

// globals are the flags that every command has.
type globals struct {
	JSON     bool
	Project  string
	NoDaemon bool
	Quiet    bool
	NoColour bool
}

// program is what a command may use: its streams, its surroundings and the
// road to the service. It is made once per command line.
type program struct {
	globals
	in       io.Reader
	out, err io.Writer

	getenv  func(string) string
	now     func() time.Time
	workdir func() (string, error)
	connect connector
	version string
}

func newProgram(stdin io.Reader, stdout, stderr io.Writer) *program {
	p := &program{
		in: stdin, out: stdout, err: stderr,
		getenv: os.Getenv, now: time.Now, workdir: os.Getwd, version: Version(),
	}
	p.connect = p.connectReal
	return p
}

func (p *program) execute(ctx context.Context, args []string) int {
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if !p.JSON {
		p.JSON = asksForJSON(args) // the flags may not have been read so far
	}
	return p.fail(ctx, err)
}

func asksForJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// style colours what goes to stdout.
func (p *program) style() term.Style {
	return term.Style(!p.NoColour && term.WantsColour(p.out, p.getenv))
}

// columns is the width to write for.
func (p *program) columns() int {
	columns, _ := term.Columns(p.out, p.getenv)
	return columns
}
