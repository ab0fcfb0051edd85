package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// description is the parsed OpenAPI text that the daemon serves.
type description struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]map[string]struct {
		Summary   string `json:"summary"`
		Responses map[string]struct {
			Content map[string]struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

var parsed = sync.OnceValues(func() (description, error) {
	var d description
	text, err := describe(routes(), "1.2.3")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
})

func TestEveryRouteIsDescribed(t *testing.T) {
	d, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	described := 0
	for _, operations := range d.Paths {
		described += len(operations)
	}
	if described != len(routes()) {
		t.Errorf("%d operations are described, there are %d routes", described, len(routes()))
	}
	for _, rt := range routes() {
		operation, ok := d.Paths[rt.path][strings.ToLower(rt.method)]
		if !ok || operation.Summary == "" {
			t.Errorf("%s %s is not described", rt.method, rt.path)
		}
	}
	text, _ := describe(routes(), "1.2.3")
	for _, part := range strings.Split(string(text), `"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if _, ok := d.Components.Schemas[name]; !ok {
			t.Errorf("the schema %s is named but not described", name)
		}
	}
}

// described finds the route that a test has asked.
func described(method, path string, native bool) (route, bool) {
	table := compatRoutes()
	if native {
		table = routes()
	}
	path, _, _ = strings.Cut(path, "?")
	mux := http.NewServeMux()
	known := map[string]route{}
	for _, rt := range table {
		pattern := rt.method + " " + rt.path
		known[pattern] = rt
		mux.Handle(pattern, http.NotFoundHandler())
	}
	r, err := http.NewRequest(method, path, nil)
	if err != nil {
		return route{}, false
	}
	_, pattern := mux.Handler(r)
	rt, ok := known[pattern]
	return rt, ok
}

// checkDescribed fails the test if a response is not as described.
func checkDescribed(t *testing.T, rt route, response *http.Response, body []byte) {
	t.Helper()
	d, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	operation := d.Paths[rt.path][strings.ToLower(rt.method)]
	said, ok := operation.Responses[fmt.Sprint(response.StatusCode)]
	if !ok {
		said = operation.Responses["default"]
	}
	content, ok := said.Content["application/json"]
	if !ok { // no body, or none of JSON
		return
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Errorf("%s %s answered %d with what is no JSON: %q", rt.method, rt.path, response.StatusCode, body)
		return
	}
	resolved, err := d.resolve(content.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s %s answered %d not as described: %v\n%s", rt.method, rt.path, response.StatusCode, err, body)
	}
}

// resolvedSchemas keeps what resolve made, by the text of the schema.
var resolvedSchemas sync.Map

// resolve makes a schema with its components usable outside of the document.
func (d description) resolve(schema json.RawMessage) (*jsonschema.Resolved, error) {
	if known, ok := resolvedSchemas.Load(string(schema)); ok {
		return known.(*jsonschema.Resolved), nil
	}
	whole, err := json.Marshal(map[string]any{"allOf": []any{schema}, "$defs": d.Components.Schemas})
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(whole), "#/components/schemas/", "#/$defs/")), &s); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	if err == nil {
		resolvedSchemas.Store(string(schema), resolved)
	}
	return resolved, err
}

func TestTheDescriptionIsServed(t *testing.T) {
	s := start(t, openService(t))
	var d description
	s.ask("GET", "/openapi.json", nil).decode(t, &d)
	if d.OpenAPI != "3.1.0" || len(d.Paths) == 0 {
		t.Errorf("got %+v", d)
	}
}
