package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"time"
	"unicode/utf8"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// route is one line of the table from which the mux, the description and the
// metrics are made.
type route struct {
	method, path string
	summary      string
	door         door
	public       bool // asked without the token
	quiet        bool // does not count as activity
	long         bool // works on whole stores
	stream       bool // lasts as long as its reader
	query        reflect.Type
	body         reflect.Type
	bodyType     string // content type of the body; default JSON
	answer       reflect.Type
	answerType   string // content type of the answer; default JSON
	status       int
	serve        func(*Server, http.ResponseWriter, *http.Request) error
}

// none stands for a query or a body that a route does not have.
type none struct{}

// call is a decoded request.
type call[Q, B any] struct {
	*Server
	ID    string // of the path, if it has one
	Query Q
	Body  B
}

func (c call[Q, B]) ref(q wire.MemoryQuery) codememory.Ref {
	return codememory.Ref{Project: q.Project, ID: c.ID}
}

// on makes a route that takes and gives JSON.
func on[Q, B, A any](method, path, summary string, do func(context.Context, call[Q, B]) (A, error)) route {
	return answering(http.StatusOK, method, path, summary, do)
}

// answering makes such a route with another status than 200.
func answering[Q, B, A any](status int, method, path, summary string, do func(context.Context, call[Q, B]) (A, error)) route {
	return route{
		method: method, path: path, summary: summary, status: status,
		query: typeOf[Q](), body: typeOf[B](), answer: typeOf[A](),
		serve: func(s *Server, w http.ResponseWriter, r *http.Request) error {
			c := call[Q, B]{Server: s, ID: r.PathValue("id")}
			if typeOf[Q]() != nil {
				if err := wire.DecodeQuery(r.URL.Query(), &c.Query); err != nil {
					return err
				}
			}
			if typeOf[B]() != nil {
				if err := s.readJSON(w, r, &c.Body); err != nil {
					return err
				}
			}
			answer, err := do(r.Context(), c)
			if err != nil {
				return err
			}
			writeJSON(w, status, answer)
			return nil
		},
	}
}

func typeOf[T any]() reflect.Type {
	if t := reflect.TypeFor[T](); t != reflect.TypeFor[none]() {
		return t
	}
	return nil
}

func (r route) asCompat() route { r.door = compat; return r }
func (r route) asLong() route   { r.long = true; return r }

// readJSON decodes the body, all of it, within the limits.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	data, err := s.readBody(w, r, s.Limits.Body, s.Limits.BodyTime)
	if err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return errNotJSON
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}") // every field may be missing; the service says which must not
	}
	if err := json.Unmarshal(data, v); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return codememory.Errorf(codememory.Invalid, "%s: a JSON %s is no %s", wrong.Field, wrong.Value, kindName(wrong.Type))
		}
		if code, ok := errors.AsType[*codememory.Error](err); ok {
			return code
		}
		return errNotJSON
	}
	return nil
}

// errNotJSON has the words that clients of older systems know.
var errNotJSON = &codememory.Error{Code: codememory.Invalid, Message: "invalid json"}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.String, reflect.Bool:
		return t.Kind().String()
	default:
		return "number"
	}
}

func (s *Server) readBody(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	// An error would mean that this connection knows no deadlines.
	_ = control.SetReadDeadline(time.Now().Add(within))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil { // the deadline stays, or the server would wait for the rest before it answers
		w.Header().Set("Connection", "close")
		return nil, err
	}
	// A deadline that passes while the handler works would cancel it.
	_ = control.SetReadDeadline(time.Time{})
	return data, nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil { // no type of ours fails to encode but by NaN
		status = http.StatusInternalServerError
		body.Reset()
		body.WriteString(`{"error":{"code":"internal","message":"the answer holds a number that JSON cannot express"}}` + "\n")
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the caller may have left
}
