package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Class says what can be done about a failure.
type Class string

// The classes.
const (
	Infrastructure Class = "infrastructure" // network, overload, a hang: asking again later may help
	Auth           Class = "auth"           // the key or the account: a person has to act
	Refused        Class = "refused"        // the model or the server will not answer this; asking again does not help
	BadOutput      Class = "bad_output"     // there is an answer, but not the one that was asked for
	OverBudget     Class = "over_budget"    // the day's budget is used up; nothing was asked
)

// Error is a failed call of a model.
type Error struct {
	Class    Class
	Provider string
	Status   int // of HTTP, or 0
	// RetryAfter is how long the provider wants to be left alone.
	RetryAfter time.Duration
	// Unreachable says that the request never arrived.
	Unreachable bool
	Message     string
	Err         error
}

func (e *Error) Error() string {
	if e.Provider == "" {
		return e.Message
	}
	return e.Provider + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of this class.
func Errorf(class Class, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Class: class, Message: err.Error(), Err: errors.Unwrap(err)}
}

// ClassOf returns the class of err. What is not an Error is Infrastructure.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Infrastructure
}

// FromContext turns the end of a context into an Error; other errors stay as
// they are.
func FromContext(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Class: Infrastructure, Message: "no answer in time", Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Class: Infrastructure, Message: "broken off", Err: err}
	}
	return err
}
