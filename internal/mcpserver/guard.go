package mcpserver

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guard bounds the time of every call and keeps a defect in one from ending
// the process, which may serve other agents as well.
func (s *server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		if method == "subscriptions/listen" { // it lasts as long as the client wants
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, callTime, errTooSlow)
		defer cancel()
		defer func() {
			if r := recover(); r != nil {
				s.opts.Log.Error("panic in a call", "method", method, "panic", r, "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "a defect in CodeMemory ended this call; its log has the details"}
			}
		}()
		return next(ctx, method, req)
	}
}

var errTooSlow = errors.New("CodeMemory did not answer within " + callTime.String())

// reason replaces the news that a context ended by why it did.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return cause
	}
	return err
}
