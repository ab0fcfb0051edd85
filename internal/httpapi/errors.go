package httpapi

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// door says which clients a route is for, and so how its errors look.
type door int

const (
	native door = iota
	compat      // clients of older systems, which read error or detail
)

// CompatError is the body of a failed request of an older client.
type CompatError struct {
	Error  string `json:"error"`
	Detail string `json:"detail"`
}

// statusOf maps a code to an HTTP status. A store that cannot be written is a
// conflict with its state, not a matter of permission: the same caller may
// succeed once the store can be written.
func statusOf(code codememory.Code) int {
	switch code {
	case codememory.Invalid:
		return http.StatusBadRequest
	case codememory.NotFound:
		return http.StatusNotFound
	case codememory.Conflict, codememory.ReadOnly:
		return http.StatusConflict
	case codememory.Unauthorized:
		return http.StatusUnauthorized
	case codememory.Forbidden:
		return http.StatusForbidden
	case codememory.Unavailable:
		return http.StatusServiceUnavailable
	case codememory.StorageFull:
		return http.StatusInsufficientStorage
	case codememory.TooLarge:
		return http.StatusRequestEntityTooLarge
	default:
		return http.StatusInternalServerError
	}
}

// coded gives the failures of HTTP itself a code.
func coded(err error) error {
	if _, ok := errors.AsType[*codememory.Error](err); ok {
		return err
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return codememory.Errorf(codememory.TooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return codememory.Errorf(codememory.Invalid, "the body did not arrive in time")
	case errors.Is(err, context.DeadlineExceeded):
		return codememory.Errorf(codememory.Unavailable, "the answer took too long: %w", err)
	case errors.Is(err, context.Canceled):
		return codememory.Errorf(codememory.Unavailable, "the caller left: %w", err)
	}
	return err
}

// fail answers with err. A failure of our own is logged too: the caller can do nothing about it.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, d door, err error) {
	err = coded(err)
	code := codememory.CodeOf(err)
	status := statusOf(code)
	switch code {
	case codememory.Internal:
		s.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "route", r.Pattern, "err", err)
	case codememory.Unauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="codememory"`)
	default:
	}
	s.failWith(w, d, status, code, err.Error())
}

func (s *Server) failWith(w http.ResponseWriter, d door, status int, code codememory.Code, message string) {
	var body any = wire.ErrorBody{Error: wire.ErrorDetail{Code: code, Message: message}}
	if d == compat {
		body = CompatError{Error: message, Detail: message}
	}
	writeJSON(w, status, body)
}

// doorOf guesses for whom an address without a route was meant.
func doorOf(path string) door {
	if strings.HasPrefix(path, "/v1/") {
		return native
	}
	return compat
}
