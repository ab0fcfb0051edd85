package config

import (
	"errors"
	"sort"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML takes the values from the decoder, which knows all rules of the
// language, and the lines from the syntax tree.
func parseTOML(data []byte) ([]entry, error) {
	var root map[string]any
	if err := toml.Unmarshal(data, &root); err != nil {
		line := 0
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = d.Position()
		}
		return nil, &syntaxError{line: line, msg: err.Error()}
	}
	lines := make(map[string]int)
	for _, kv := range scanTOML(data).values {
		if _, seen := lines[kv.key]; !seen {
			lines[kv.key] = lineAt(data, kv.start)
		}
	}
	var entries []entry
	flatten(root, "", func(key string, raw any) {
		entries = append(entries, entry{key: key, raw: raw, line: lines[key]})
	})
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := entries[i], entries[j]
		if a.line != b.line {
			return a.line < b.line
		}
		return a.key < b.key
	})
	return entries, nil
}

// flatten calls found for every value below table that is not itself a group
// of keys. An empty table says nothing.
func flatten(table map[string]any, prefix string, found func(string, any)) {
	for name, raw := range table {
		if sub, ok := raw.(map[string]any); ok {
			if _, known := lookup(prefix + name); !known {
				flatten(sub, prefix+name+".", found)
				continue
			}
		}
		found(prefix+name, raw)
	}
}

// tomlDoc is where things stand in a TOML text, as byte offsets.
type tomlDoc struct {
	values []tomlValue
	tables []tomlTable
}

// tomlValue is one `key = value`, also inside an inline table.
type tomlValue struct {
	key        string // dotted, with the table's name
	name       string // the key as it stands in the text
	start, end int    // from the key to the end of the value
	value      int    // where the value begins
	table      int    // index into tables, -1 above the first header
	inline     bool   // inside an inline table
	isInline   bool   // the value is an inline table
}

// tomlTable is one [header].
type tomlTable struct {
	name  string
	start int // of the name within the brackets
}

// scanTOML finds keys and headers in a text that has been decoded before.
func scanTOML(data []byte) tomlDoc {
	var doc tomlDoc
	p := unstable.Parser{}
	p.Reset(data)
	prefix := ""
	for p.NextExpression() {
		n := p.Expression()
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			name, first, _ := dotted(n.Key())
			doc.tables = append(doc.tables, tomlTable{name: name, start: first})
			prefix = name + "."
		case unstable.KeyValue:
			doc.scanValue(data, n, prefix, false)
		default: // comments
		}
	}
	return doc
}

func (doc *tomlDoc) scanValue(data []byte, n *unstable.Node, prefix string, inline bool) {
	name, start, after := dotted(n.Key())
	v := tomlValue{
		key: prefix + name, name: name, start: start, end: int(n.Raw.Offset + n.Raw.Length),
		table: len(doc.tables) - 1, inline: inline, isInline: n.Value().Kind == unstable.InlineTable,
	}
	for v.value = after; v.value < v.end && (data[v.value] == ' ' || data[v.value] == '\t' || data[v.value] == '='); {
		v.value++
	}
	for v.end > v.value && (data[v.end-1] == ' ' || data[v.end-1] == '\t') {
		v.end--
	}
	doc.values = append(doc.values, v)
	if v.isInline {
		for it := n.Value().Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				doc.scanValue(data, it.Node(), v.key+".", true)
			}
		}
	}
}

// dotted joins a key and says where it begins and ends.
func dotted(it unstable.Iterator) (name string, start, end int) {
	for i := 0; it.Next(); i++ {
		n := it.Node()
		if i == 0 {
			start = int(n.Raw.Offset)
		} else {
			name += "."
		}
		name += string(n.Data)
		end = int(n.Raw.Offset + n.Raw.Length)
	}
	return name, start, end
}
