package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Key describes one setting, for documentation and completion.
type Key struct {
	Name    string   `json:"name"`             // dotted, as in http.port
	Type    string   `json:"type"`             // what it may be, in words
	Values  []string `json:"values,omitempty"` // every choice, where there are few
	Default string   `json:"default"`
	Doc     string   `json:"doc"`
	Env     string   `json:"env"`               // its environment variable
	Project string   `json:"project,omitempty"` // what a project file may do: "any", "add", "true", "false", or nothing
}

// Keys lists every setting in the order of Config. Where a user chooses names,
// as for llm.providers, a word in upper case stands for them.
func Keys() []Key {
	defaults := Default()
	var keys []Key
	for _, s := range specs() {
		keys = append(keys, s.key(&defaults))
	}
	return keys
}

// spec is one key as its field defines it.
type spec struct {
	name    string
	index   []int    // path of the field in Config
	entry   string   // name of the entry, when index leads to a map of them
	within  []int    // path of the field in the entry; nil: there is no map
	names   []string // the entries there can be; nil: any
	typ     reflect.Type
	oneof   []string
	rng     string // "low..high", either may be missing
	check   string // name of a further test, see checks
	project string
	doc     string
}

func (s spec) env() string {
	return envPrefix + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(s.name))
}

// get returns the value of the key in c.
func (s spec) get(c *Config) any {
	field := reflect.ValueOf(c).Elem().FieldByIndex(s.index)
	if s.within == nil {
		return field.Interface()
	}
	entry := field.MapIndex(reflect.ValueOf(s.entry))
	if !entry.IsValid() {
		entry = reflect.Zero(field.Type().Elem())
	}
	return entry.FieldByIndex(s.within).Interface()
}

// set gives the key a value in c.
func (s spec) set(c *Config, value any) {
	field := reflect.ValueOf(c).Elem().FieldByIndex(s.index)
	if s.within == nil {
		field.Set(reflect.ValueOf(value))
		return
	}
	if field.IsNil() {
		field.Set(reflect.MakeMap(field.Type()))
	}
	changed := reflect.New(field.Type().Elem()).Elem()
	if old := field.MapIndex(reflect.ValueOf(s.entry)); old.IsValid() {
		changed.Set(old)
	}
	changed.FieldByIndex(s.within).Set(reflect.ValueOf(value))
	field.SetMapIndex(reflect.ValueOf(s.entry), changed)
}

func (s spec) isSecret() bool { return s.typ == reflect.TypeFor[Secret]() }

func (s spec) key(defaults *Config) Key {
	values := s.oneof
	if s.typ.Kind() == reflect.Bool {
		values = []string{"true", "false"}
	}
	return Key{
		Name: s.name, Type: s.expects(), Values: slices.Clone(values), Default: show(s.get(defaults)),
		Doc: s.doc, Env: s.env(), Project: s.project,
	}
}

// specs reads the tags of Config, once and only when settings are needed.
var specs = sync.OnceValue(func() []spec {
	return collect(reflect.TypeFor[Config](), "", nil)
})

func collect(t reflect.Type, prefix string, index []int) []spec {
	var found []spec
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + f.Tag.Get("toml")
		path := append(slices.Clone(index), i)
		doc, isKey := f.Tag.Lookup("doc")
		if f.Type.Kind() == reflect.Map {
			found = append(found, collectEntries(f, name, path)...)
			continue
		}
		if !isKey {
			found = append(found, collect(f.Type, name+".", path)...)
			continue
		}
		s := spec{
			name: name, index: path, typ: f.Type, doc: doc,
			rng: f.Tag.Get("range"), check: f.Tag.Get("check"), project: f.Tag.Get("project"),
		}
		if choices := f.Tag.Get("oneof"); choices != "" {
			s.oneof = strings.Split(choices, ",")
		}
		found = append(found, s)
	}
	return found
}

func lookup(name string) (spec, bool) {
	for _, s := range specs() {
		if s.within != nil {
			if one, ok := s.named(name); ok {
				return one, true
			}
			continue
		}
		if s.name == name {
			return s, true
		}
	}
	return spec{}, false
}

// isTable reports whether name is a group of keys, such as http.
func isTable(name string) bool {
	return slices.ContainsFunc(specs(), func(s spec) bool {
		return strings.HasPrefix(s.name, name+".") || s.within != nil && strings.HasPrefix(s.name, groupName(name)+".")
	})
}

func keyNames() []string {
	var names []string
	for _, s := range specs() {
		names = append(names, s.name)
	}
	return names
}

// show renders a value for people; a secret stays hidden.
func show(v any) string {
	switch v := v.(type) {
	case []string:
		if v == nil {
			v = []string{}
		}
		return jsonText(v)
	default:
		return fmt.Sprint(v)
	}
}
