package codememory

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an error is, so that every door (HTTP status,
// tool result, exit code) maps it once.
type Code string

// The codes. An error without one is Internal.
const (
	Invalid      Code = "invalid"      // the caller sent something that cannot be right
	NotFound     Code = "not_found"    // nothing has this id, name or path
	Conflict     Code = "conflict"     // it exists already, is ambiguous, or was changed meanwhile
	Unauthorized Code = "unauthorized" // no token, or the wrong one
	Forbidden    Code = "forbidden"    // known caller, but not allowed to do this here
	Unavailable  Code = "unavailable"  // a part is missing or not running; trying later may help
	StorageFull  Code = "storage_full" // the disk has no room; nothing was half written
	ReadOnly     Code = "read_only"    // the store cannot be written
	TooLarge     Code = "too_large"    // the input exceeds a stated limit
	Internal     Code = "internal"     // a defect or an unexpected failure of the machine
)

// Error is a failure with a code and a message for people: what failed, on
// what, and what to do next.
type Error struct {
	Code    Code
	Message string
	Err     error // the cause, or nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error with this code; a %w operand becomes its cause.
func Errorf(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// CodeOf returns the code of err, or Internal when it carries none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
