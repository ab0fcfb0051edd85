package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxItems and maxItem bound lists, which a project may lengthen.
const (
	maxItems = 200
	maxItem  = 1000 // bytes
)

// expects says in words what the key may be.
func (s spec) expects() string {
	low, high, _ := strings.Cut(s.rng, "..")
	within := ""
	switch {
	case low != "" && high != "":
		within = " " + s.rng
	case low != "" && low != "0":
		within = " of at least " + low
	}
	switch {
	case len(s.oneof) > 0:
		return "one of " + strings.Join(s.oneof, ", ")
	case s.typ == reflect.TypeFor[Duration]():
		return `duration such as "30m"` + within
	case s.typ == reflect.TypeFor[Floor]():
		return `number 0..1 or "default"`
	case s.isSecret():
		return "text, env:NAME or file:PATH"
	}
	switch s.typ.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "whole number" + within
	case reflect.Float64:
		return "number" + within
	case reflect.Slice:
		return "list of texts"
	default:
		return "text"
	}
}

// parse makes the key's value from what a file said: bool, int64, float64,
// string, []any, or something that no key can be.
func (s spec) parse(raw any, getenv func(string) string) (any, error) {
	v, ok := s.convert(raw, getenv)
	if !ok {
		return nil, s.mismatch(raw)
	}
	if !s.inRange(v) || len(s.oneof) > 0 && !slices.Contains(s.oneof, v.(string)) {
		return nil, s.mismatch(raw)
	}
	if s.check != "" {
		if err := checks[s.check](v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (s spec) mismatch(raw any) error {
	if s.isSecret() { // whatever it is, it may be secret
		return fmt.Errorf("expected %s", s.expects())
	}
	return fmt.Errorf("expected %s, got %s", s.expects(), describe(raw))
}

func (s spec) convert(raw any, getenv func(string) string) (any, bool) {
	text, isText := raw.(string)
	switch s.typ {
	case reflect.TypeFor[Duration]():
		if n, ok := raw.(int64); ok && n == 0 {
			return Duration{}, true
		}
		d, err := time.ParseDuration(text)
		return Duration{d}, isText && err == nil
	case reflect.TypeFor[Floor]():
		if text == floorDefault {
			return Floor{}, true
		}
		f, ok := number(raw)
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			f, ok = n, true
		}
		return Floor{Value: f, IsSet: true}, ok && f >= 0 && f <= 1
	case reflect.TypeFor[Secret]():
		return newSecret(text, getenv), isText
	}
	switch s.typ.Kind() {
	case reflect.Bool:
		b, ok := raw.(bool)
		return b, ok
	case reflect.Int:
		n, ok := raw.(int64)
		return int(n), ok && int64(int(n)) == n
	case reflect.Float64:
		return number(raw)
	case reflect.Slice:
		return texts(raw)
	default:
		return text, isText
	}
}

func number(raw any) (float64, bool) {
	switch n := raw.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	default:
		return 0, false
	}
}

func texts(raw any) ([]string, bool) {
	items, ok := raw.([]any)
	if !ok || len(items) > maxItems {
		return nil, false
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], ok = item.(string); !ok || len(list[i]) > maxItem {
			return nil, false
		}
	}
	return list, true
}

// inRange compares a number or duration with the bounds of its tag.
func (s spec) inRange(v any) bool {
	low, high, ok := strings.Cut(s.rng, "..")
	if !ok {
		return true
	}
	var x float64
	switch v := v.(type) {
	case int:
		x = float64(v)
	case float64:
		x = v
	case Duration:
		x = float64(v.Duration)
	}
	// A comparison that NaN fails, too.
	return (low == "" || x >= bound(low)) && (high == "" || x <= bound(high)) && x == x
}

func bound(s string) float64 {
	if d, err := time.ParseDuration(s); err == nil {
		return float64(d)
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// fromText makes the raw value that a file would have held from what an
// environment variable, a flag or a command line says. What does not fit stays
// text, and parse refuses it.
func (s spec) fromText(text string) any {
	switch {
	case s.typ.Kind() == reflect.Bool:
		return truth(text)
	case s.typ.Kind() == reflect.Int || s.typ.Kind() == reflect.Float64 || s.typ == reflect.TypeFor[Floor]():
		text = strings.TrimSpace(text)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	case s.typ.Kind() == reflect.Slice:
		return items(text)
	}
	return text
}

func truth(text string) any {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "true", "yes", "on":
		return true
	case "0", "false", "no", "off":
		return false
	default:
		return text
	}
}

// items reads a JSON array or one item per line: a comma is too common in a
// regular expression to part items.
func items(text string) any {
	list := []any{}
	if strings.HasPrefix(strings.TrimSpace(text), "[") && json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	list = list[:0]
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// describe names a raw value in an error, cut to a length one can read.
func describe(raw any) string {
	switch v := raw.(type) {
	case nil:
		return "null"
	case string:
		if len(v) > 60 {
			v = v[:60] + "…"
		}
		return fmt.Sprintf("the text %q", v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		return fmt.Sprintf("a list of %d (at most %d texts of %d bytes)", len(v), maxItems, maxItem)
	case map[string]any:
		return "a table"
	default:
		return fmt.Sprintf("a %T", v)
	}
}

func jsonText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it, not browsers
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
