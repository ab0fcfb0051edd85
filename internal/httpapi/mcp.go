package httpapi

import (
	"net/http"
	"reflect"

	"codememory"
)

// mcpRoute is the Model Context Protocol over HTTP. What is said there is
// described by that protocol.
func mcpRoute(method string) route {
	return route{
		method: method, path: "/mcp", summary: "The Model Context Protocol", door: native, stream: true,
		status: http.StatusOK, answer: reflect.TypeFor[map[string]any](),
		serve: func(s *Server, w http.ResponseWriter, r *http.Request) error {
			if s.MCP == nil {
				return codememory.Errorf(codememory.NotFound, "not found")
			}
			s.MCP.ServeHTTP(w, r)
			return nil
		},
	}
}
