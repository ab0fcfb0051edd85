package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

// Set puts v at path: in the place of the value that is there, or after the
// other members, with objects around it where they lack.
func (d *Document) Set(v any, path ...string) error {
	return d.descend(path[:len(path)-1], func(object *hujson.Object, indent string) error {
		name := path[len(path)-1]
		if i := indexOf(object, name); i >= 0 {
			value, err := d.encode(v, indentOf(members{object}, i, indent), false)
			object.Members[i].Value.Value = value
			return err
		}
		inner := d.innerIndent(members{object}, indent)
		value, err := d.encode(v, inner, inLine(members{object}, len(object.Members)))
		if err != nil {
			return err
		}
		object.Members = append(object.Members, hujson.ObjectMember{
			Name:  hujson.Value{Value: hujson.String(name)},
			Value: hujson.Value{Value: value, BeforeExtra: d.colonSpace()},
		})
		d.settle(members{object}, indent, inner)
		return nil
	})
}

// Append puts v behind the elements of the array at path, which is made if it
// lacks.
func (d *Document) Append(v any, path ...string) error {
	if !d.Has(path...) {
		if err := d.Set([]any{}, path...); err != nil {
			return err
		}
	}
	return d.descend(path[:len(path)-1], func(object *hujson.Object, indent string) error {
		i := indexOf(object, path[len(path)-1])
		array, ok := object.Members[i].Value.Value.(*hujson.Array)
		if !ok {
			return fmt.Errorf("%s is not a list", strings.Join(path, "."))
		}
		indent = indentOf(members{object}, i, indent)
		inner := d.innerIndent(elements{array}, indent)
		value, err := d.encode(v, inner, inLine(elements{array}, len(array.Elements)))
		if err != nil {
			return err
		}
		array.Elements = append(array.Elements, hujson.Value{Value: value})
		d.settle(elements{array}, indent, inner)
		return nil
	})
}

// Remove takes out the member at path. The comments around it stay.
func (d *Document) Remove(path ...string) {
	value := d.find(path[:len(path)-1])
	if value == nil {
		return
	}
	if object, ok := value.Value.(*hujson.Object); ok {
		if i := indexOf(object, path[len(path)-1]); i >= 0 {
			remove(members{object}, i)
		}
	}
}

// RemoveElement takes element i out of the array at path.
func (d *Document) RemoveElement(i int, path ...string) {
	value := d.find(path)
	if value == nil {
		return
	}
	if array, ok := value.Value.(*hujson.Array); ok && i < len(array.Elements) {
		remove(elements{array}, i)
	}
}

// RemoveNested takes element j out of the array that is the member name of
// element i of the array at path.
func (d *Document) RemoveNested(i, j int, name string, path ...string) {
	value := d.find(path)
	if value == nil {
		return
	}
	array, ok := value.Value.(*hujson.Array)
	if !ok || i >= len(array.Elements) {
		return
	}
	object, ok := array.Elements[i].Value.(*hujson.Object)
	if !ok {
		return
	}
	if k := indexOf(object, name); k >= 0 {
		if inner, ok := object.Members[k].Value.Value.(*hujson.Array); ok && j < len(inner.Elements) {
			remove(elements{inner}, j)
		}
	}
}

// descend calls do with the object at path and the indentation of the line it
// begins on. Objects that lack are made.
func (d *Document) descend(path []string, do func(*hujson.Object, string) error) error {
	object, indent := d.root.Value.(*hujson.Object), ""
	for n, name := range path {
		i := indexOf(object, name)
		if i < 0 {
			inner := d.innerIndent(members{object}, indent)
			object.Members = append(object.Members, hujson.ObjectMember{
				Name:  hujson.Value{Value: hujson.String(name)},
				Value: hujson.Value{Value: &hujson.Object{}, BeforeExtra: d.colonSpace()},
			})
			d.settle(members{object}, indent, inner)
			i = len(object.Members) - 1
		}
		indent = indentOf(members{object}, i, indent)
		next, ok := object.Members[i].Value.Value.(*hujson.Object)
		if !ok {
			return fmt.Errorf("%s is not an object in braces", strings.Join(path[:n+1], "."))
		}
		object = next
	}
	return do(object, indent)
}

// colonSpace is what follows a colon, which in a file of one line may be
// nothing.
func (d *Document) colonSpace() hujson.Extra {
	object := d.root.Value.(*hujson.Object)
	if d.unit == "" && len(object.Members) > 0 && len(object.Members[0].Value.BeforeExtra) == 0 {
		return nil
	}
	return hujson.Extra(" ")
}

// single is a list of one string, which people write on one line.
var single = regexp.MustCompile(`\[\s+("(?:[^"\\]|\\.)*")\s+\]`)

// encode writes v as the file writes values: on one line, or with the lines
// after the first behind indent.
func (d *Document) encode(v any, indent string, flat bool) (hujson.ValueTrimmed, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if d.unit != "" && !flat {
		e.SetIndent(indent, d.unit)
	}
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	text := single.ReplaceAll(bytes.TrimRight(b.Bytes(), "\n"), []byte("[$1]"))
	if d.newline != "\n" {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte(d.newline))
	}
	value, err := hujson.Parse(text)
	return value.Value, err
}
