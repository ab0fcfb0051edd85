package wire

import (
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"codememory"
)

// EncodeQuery writes the fields of a struct that have a query tag, leaving out
// zero values. Lists repeat their name.
func EncodeQuery(v any) url.Values {
	values := url.Values{}
	rv := reflect.ValueOf(v)
	for name, field := range queryFields(rv) {
		if field.IsZero() {
			continue
		}
		if field.Kind() == reflect.Slice {
			for i := range field.Len() {
				values.Add(name, encodeValue(field.Index(i)))
			}
			continue
		}
		values.Set(name, encodeValue(field))
	}
	return values
}

// DecodeQuery reads values into the struct that v points to. Names it does not
// know are ignored, values it cannot read are Invalid.
func DecodeQuery(values url.Values, v any) error {
	for name, field := range queryFields(reflect.ValueOf(v).Elem()) {
		given, ok := values[name]
		if !ok {
			continue
		}
		if field.Kind() == reflect.Slice {
			list := reflect.MakeSlice(field.Type(), len(given), len(given))
			for i, s := range given {
				if err := decodeValue(list.Index(i), s); err != nil {
					return codememory.Errorf(codememory.Invalid, "%s: %w", name, err)
				}
			}
			field.Set(list)
			continue
		}
		if err := decodeValue(field, given[0]); err != nil {
			return codememory.Errorf(codememory.Invalid, "%s: %w", name, err)
		}
	}
	return nil
}

func queryFields(rv reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := range rv.NumField() {
		if name := rv.Type().Field(i).Tag.Get("query"); name != "" {
			fields[name] = rv.Field(i)
		}
	}
	return fields
}

func encodeValue(v reflect.Value) string {
	if t, ok := v.Interface().(time.Time); ok {
		return t.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v.Interface())
}

func decodeValue(v reflect.Value, s string) error {
	if _, ok := v.Interface().(time.Time); ok {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return fmt.Errorf("%q is no time such as 2026-01-31T09:30:00Z", s)
		}
		v.Set(reflect.ValueOf(t))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Int:
		n, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("%q is no whole number", s)
		}
		v.SetInt(int64(n))
	case reflect.Bool:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", s)
		}
		v.SetBool(b)
	default:
		panic("wire: no way to read a " + v.Type().String() + " from a query")
	}
	return nil
}
