package client

import "codememory"

// Reason says why there is no daemon.
type Reason string

// The reasons.
const (
	NotRunning  Reason = "not running"  // and none was to be started
	Disabled    Reason = "disabled"     // CODEMEMORY_DISABLE is set
	CannotStart Reason = "cannot start" // it could not be run, or ended at once
	PortBusy    Reason = "port busy"    // another program has its port
	TooSlow     Reason = "too slow"     // it is still coming up
	Silent      Reason = "silent"       // it runs but does not answer
)

// StartError is a failure of Ensure or Find. Its code is that of its cause,
// Unavailable in most cases.
type StartError struct {
	Reason Reason
	Err    error
}

func failed(reason Reason, format string, args ...any) error {
	return &StartError{Reason: reason, Err: codememory.Errorf(codememory.Unavailable, format, args...)}
}

func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// InProcess reports whether the caller may open the stores itself instead: no
// daemon has them open or is about to.
func (e *StartError) InProcess() bool { return e.Reason != TooSlow && e.Reason != Silent }
