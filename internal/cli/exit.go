package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"codememory"
	"codememory/internal/cli/term"
)

// The exit codes; `codememory help exit-codes` explains them. 3 is not used.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFound    = 4
	exitUnavailable = 5
	exitRefused     = 6
	exitInterrupted = 130 // as a shell reports SIGINT
)

// findings is the outcome of a command that worked and found something wrong:
// the output has said what, only the exit code is left to set.
type findings struct{}

func (findings) Error() string { return "problems were found" }

// usagef is a mistake in how a command was called.
func usagef(format string, args ...any) error {
	return codememory.Errorf(codememory.Invalid, format, args...)
}

func exitCode(ctx context.Context, err error) int {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitInterrupted
	}
	if code, ok := ownExit(err); ok {
		return code
	}
	switch codememory.CodeOf(err) {
	case codememory.Invalid, codememory.TooLarge:
		return exitUsage
	case codememory.NotFound, codememory.Conflict:
		return exitNotFound
	case codememory.Unavailable:
		return exitUnavailable
	case codememory.Unauthorized, codememory.Forbidden, codememory.ReadOnly:
		return exitRefused
	case codememory.StorageFull, codememory.Internal:
	}
	if errors.Is(err, fs.ErrPermission) {
		return exitRefused
	}
	return exitFailure
}

// fail tells why a command did not work and returns its exit code.
func (p *program) fail(ctx context.Context, err error) int {
	code := exitCode(ctx, err)
	if _, ok := errors.AsType[findings](err); ok {
		return code
	}
	if code == exitInterrupted {
		return code
	}
	if p.JSON {
		var answer struct {
			Error struct {
				Code    codememory.Code `json:"code"`
				Message string          `json:"message"`
			} `json:"error"`
		}
		answer.Error.Code, answer.Error.Message = codememory.CodeOf(err), err.Error()
		b, _ := json.Marshal(answer)
		fmt.Fprintf(p.err, "%s\n", b)
		return code
	}
	for line := range strings.Lines(strings.TrimSpace(err.Error())) {
		fmt.Fprintf(p.err, "codememory: %s\n", term.Clean(strings.TrimRight(line, "\r\n")))
	}
	return code
}

// openError gives a failed open the code that its cause deserves.
func openError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return codememory.Errorf(codememory.NotFound, "%s: check the name", strings.TrimPrefix(strings.TrimPrefix(err.Error(), "open "), "stat "))
	case errors.Is(err, fs.ErrPermission):
		return codememory.Errorf(codememory.Forbidden, "%w", err)
	default:
		return err
	}
}
