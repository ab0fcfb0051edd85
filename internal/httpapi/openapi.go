package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"

	"github.com/google/jsonschema-go/jsonschema"
)

// describe writes the OpenAPI description of a table. Everything in it comes
// from the table and the Go types that the handlers take and give.
func describe(table []route, version string) ([]byte, error) {
	d := describer{schemas: map[string]*jsonschema.Schema{}, types: plainTypes()}
	paths := map[string]map[string]any{}
	for _, rt := range table {
		operation, err := d.operation(rt)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", rt.method, rt.path, err)
		}
		if paths[rt.path] == nil {
			paths[rt.path] = map[string]any{}
		}
		paths[rt.path][strings.ToLower(rt.method)] = operation
	}
	return json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "CodeMemory", "version": version,
			"description": "The local API of the CodeMemory daemon. It answers on the loopback address only. Every route but /livez asks for the token of the data directory. Answers only ever grow: ignore fields you do not know.",
		},
		"paths": paths,
		"components": map[string]any{
			"schemas":         d.schemas,
			"securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}},
		},
		"security": []any{map[string]any{"token": []string{}}},
	}, "", " ")
}

type describer struct {
	schemas map[string]*jsonschema.Schema
	types   map[reflect.Type]*jsonschema.Schema
}

func (d *describer) operation(rt route) (map[string]any, error) {
	operation := map[string]any{"summary": rt.summary, "operationId": operationID(rt)}
	if params := parameters(rt); len(params) > 0 {
		operation["parameters"] = params
	}
	if rt.public {
		operation["security"] = []any{}
	}
	if rt.body != nil {
		content, err := d.content(rt.body, rt.bodyType)
		if err != nil {
			return nil, err
		}
		operation["requestBody"] = map[string]any{"required": true, "content": content}
	}
	failure := reflect.TypeFor[wire.ErrorBody]()
	if rt.door == compat {
		failure = reflect.TypeFor[CompatError]()
	}
	failed, err := d.content(failure, "")
	if err != nil {
		return nil, err
	}
	succeeded := map[string]any{"description": http.StatusText(rt.status)}
	if rt.answer != nil {
		if succeeded["content"], err = d.content(rt.answer, rt.answerType); err != nil {
			return nil, err
		}
	}
	operation["responses"] = map[string]any{
		strconv.Itoa(rt.status): succeeded,
		"default":               map[string]any{"description": "What went wrong and what to do about it", "content": failed},
	}
	return operation, nil
}

// operationID is a name for generated clients: get_v1_memories_id_history.
func operationID(rt route) string {
	words := strings.FieldsFunc(rt.path, func(r rune) bool { return strings.ContainsRune("/{}.", r) })
	return strings.Join(append([]string{strings.ToLower(rt.method)}, words...), "_")
}

func parameters(rt route) []any {
	var params []any
	if strings.Contains(rt.path, "{id}") {
		params = append(params, map[string]any{
			"name": "id", "in": "path", "required": true, "schema": map[string]any{"type": "string"},
			"description": "Any unique prefix of the id, with or without mem_",
		})
	}
	if rt.query == nil {
		return params
	}
	for field := range rt.query.Fields() {
		schema := map[string]any{"type": queryKind(field.Type)}
		if field.Type.Kind() == reflect.Slice {
			schema = map[string]any{"type": "array", "items": map[string]any{"type": queryKind(field.Type.Elem())}}
		}
		params = append(params, map[string]any{
			"name": field.Tag.Get("query"), "in": "query", "schema": schema, "description": field.Tag.Get("doc"),
		})
	}
	return params
}

func queryKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "integer"
	case reflect.Bool:
		return "boolean"
	default:
		return "string"
	}
}

func (d *describer) content(t reflect.Type, mediaType string) (map[string]any, error) {
	schema, err := d.schema(t)
	if err != nil {
		return nil, err
	}
	if mediaType == "" {
		mediaType = "application/json"
	}
	return map[string]any{mediaType: map[string]any{"schema": schema}}, nil
}

// schema returns the schema of t: a reference for a struct of ours, which is
// described once among the components.
func (d *describer) schema(t reflect.Type) (*jsonschema.Schema, error) {
	if t.Kind() == reflect.Struct && d.types[t] == nil {
		if err := d.component(t); err != nil {
			return nil, err
		}
	}
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: d.types})
	if err != nil {
		return nil, err
	}
	return tidy(schema), nil
}

// component describes a struct after those it is made of.
func (d *describer) component(t reflect.Type) error {
	for _, part := range structsIn(t) {
		if d.types[part] == nil {
			if err := d.component(part); err != nil {
				return err
			}
		}
	}
	known := d.types
	if embedded := embeddedIn(t); len(embedded) > 0 { // their fields are t's own
		known = map[reflect.Type]*jsonschema.Schema{}
		for k, v := range d.types {
			if !slices.Contains(embedded, k) {
				known[k] = v
			}
		}
	}
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return err
	}
	name := t.Name()
	if _, taken := d.schemas[name]; taken { // both packages have one
		name = "Wire" + name
	}
	d.schemas[name] = tidy(schema)
	d.types[t] = &jsonschema.Schema{Ref: "#/components/schemas/" + name}
	return nil
}

// tidy makes a schema say what is promised: answers may grow, so further
// fields are allowed, and a reference stands alone.
func tidy(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		s.Types = nil
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	tidy(s.Items)
	tidy(s.AdditionalProperties)
	for _, p := range s.Properties {
		tidy(p)
	}
	return s
}

// structsIn lists the structs that the fields of t hold, those of embedded ones included.
func structsIn(t reflect.Type) []reflect.Type {
	var parts []reflect.Type
	for _, field := range reflect.VisibleFields(t) {
		part := field.Type
		for part.Kind() == reflect.Pointer || part.Kind() == reflect.Slice || part.Kind() == reflect.Map {
			part = part.Elem()
		}
		if !field.Anonymous && field.IsExported() && part.Kind() == reflect.Struct {
			parts = append(parts, part)
		}
	}
	return parts
}

func embeddedIn(t reflect.Type) []reflect.Type {
	var embedded []reflect.Type
	for field := range t.Fields() {
		if field.Anonymous {
			embedded = append(embedded, field.Type)
		}
	}
	return embedded
}

// plainTypes are types whose JSON form their Go form does not show.
func plainTypes() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():           {Type: "string", Format: "date-time"},
		reflect.TypeFor[codememory.Type]():     enum(codememory.Types...),
		reflect.TypeFor[codememory.Category](): enum(append([]codememory.Category{""}, codememory.Categories...)...),
		reflect.TypeFor[codememory.Scope]():    enum(codememory.ScopeProject, codememory.ScopeUser),
		reflect.TypeFor[codememory.State]():    enum(codememory.AnyState...),
		reflect.TypeFor[codememory.Reach]():    enum(codememory.ReachBoth, codememory.ReachProject, codememory.ReachUser, codememory.ReachAll),
		reflect.TypeFor[codememory.LinkType](): enum(codememory.LinkTypes...),
		reflect.TypeFor[codememory.AddEvent](): enum(codememory.Added, codememory.Updated, codememory.Unchanged),
		reflect.TypeFor[codememory.Part]():     enum(codememory.StablePart, codememory.HUDPart),
		reflect.TypeFor[CompatContent](): {AnyOf: []*jsonschema.Schema{
			{Type: "string"},
			{Type: "array", Items: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
				"type": {Type: "string"}, "text": {Type: "string"},
			}}},
		}},
	}
}

func enum[T ~string](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}
