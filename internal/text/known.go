package text

import (
	_ "embed"
	"strings"
	"sync"

	"codememory"
)

// knownList names well-known tools, libraries, frameworks, protocols and
// patterns: one per line, "name type alias alias…". A "?" before a name or
// alias marks an ordinary English word that only counts when written as a
// name (capitalised or in backticks).
//
//go:embed known.txt
var knownList string

type knownEntity struct {
	name      string
	kind      codememory.EntityType
	ambiguous bool
}

// certain reports whether written, as it stands in a text, means the entity.
func (k knownEntity) certain(written string, quoted bool) bool {
	return !k.ambiguous || quoted || hasUpper(written)
}

type knownTable struct {
	byKey   map[string]knownEntity
	phrases map[string]knownEntity
}

var known = sync.OnceValue(func() knownTable {
	t := knownTable{byKey: map[string]knownEntity{}, phrases: map[string]knownEntity{}}
	for line := range strings.SplitSeq(knownList, "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0][0] == '#' {
			continue
		}
		name := strings.ReplaceAll(strings.TrimPrefix(fields[0], "?"), "+_", " ")
		k := knownEntity{name: name, kind: codememory.EntityType(fields[1])}
		for _, alias := range append([]string{fields[0]}, fields[2:]...) {
			k.ambiguous = alias[0] == '?'
			alias = strings.ReplaceAll(strings.TrimPrefix(alias, "?"), "+_", " ")
			if strings.Contains(alias, " ") {
				t.phrases[alias] = k
			}
			t.byKey[alias] = k
			if key := entityKey(alias); !k.ambiguous && len(key) > 3 {
				if _, taken := t.byKey[key]; !taken {
					t.byKey[key] = k
				}
			}
		}
	}
	return t
})

// lookup finds a lower-case name among the known ones, also in the plural and
// with other separators.
func lookup(name string) (knownEntity, bool) {
	t := known()
	if k, ok := t.byKey[name]; ok {
		return k, true
	}
	if strings.ContainsAny(name, ".-_ s") {
		if k, ok := t.byKey[entityKey(name)]; ok && !k.ambiguous {
			return k, true
		}
	}
	return knownEntity{}, false
}
