package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// collectEntries reads a map from names to groups of keys. Its tag each is the
// word that stands for the name in the documentation, its tag names, if there
// is one, lists the names there can be.
func collectEntries(f reflect.StructField, name string, index []int) []spec {
	var names []string
	if list := f.Tag.Get("names"); list != "" {
		names = strings.Split(list, ",")
	}
	var found []spec
	for _, s := range collect(f.Type.Elem(), name+"."+f.Tag.Get("each")+".", nil) {
		s.index, s.within, s.names = index, s.index, names
		found = append(found, s)
	}
	return found
}

var entryName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,40}$`) })

// named returns the key of one entry if name is one of s: llm.providers.local.url
// for llm.providers.NAME.url.
func (s spec) named(name string) (spec, bool) {
	have, want := strings.Split(name, "."), strings.Split(s.name, ".")
	if len(have) != len(want) {
		return spec{}, false
	}
	for i, word := range want {
		switch {
		case word == have[i]:
		case word != strings.ToUpper(word) || !entryName().MatchString(have[i]):
			return spec{}, false
		default:
			s.entry = have[i]
		}
	}
	if s.entry == "" || s.names != nil && !slices.Contains(s.names, s.entry) {
		return spec{}, false
	}
	s.name = name
	return s, true
}

// groupName replaces the name of an entry by the word that stands for it, so
// that llm.providers.local is known as a group.
func groupName(name string) string {
	words := strings.Split(name, ".")
	for _, s := range specs() {
		pattern := strings.Split(s.name, ".")
		if s.within == nil || len(words) >= len(pattern) {
			continue
		}
		if i := len(words) - 1; strings.Join(words[:i], ".") == strings.Join(pattern[:i], ".") && pattern[i] == strings.ToUpper(pattern[i]) && entryName().MatchString(words[i]) {
			return strings.Join(pattern[:i+1], ".")
		}
	}
	return name
}

// specs returns every key that can have a value here: the fixed ones, and
// those of the entries that any layer names.
func (l *Loaded) specs() []spec {
	var all []spec
	for _, s := range specs() {
		if s.within == nil {
			all = append(all, s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.said)) {
		if s, ok := lookup(name); ok && s.within != nil {
			all = append(all, s)
		}
	}
	return all
}

// Keys lists every setting that has a value here.
func (l *Loaded) Keys() []Key {
	defaults := Default()
	var keys []Key
	for _, s := range l.specs() {
		keys = append(keys, s.key(&defaults))
	}
	return keys
}

// entriesOf returns the names of entries that variables can be about: all there
// can be, or those that the files name.
func (l *Loaded) entriesOf(pattern spec) []string {
	if pattern.names != nil {
		return pattern.names
	}
	var names []string
	for name := range l.said {
		if s, ok := lookup(name); ok && s.within != nil && slices.Equal(s.index, pattern.index) && !slices.Contains(names, s.entry) {
			names = append(names, s.entry)
		}
	}
	slices.Sort(names)
	return names
}

// spelled returns the keys that a variable can spell.
func (l *Loaded) spelled() []spec {
	var all []spec
	for _, s := range specs() {
		if s.within == nil {
			all = append(all, s)
			continue
		}
		for _, entry := range l.entriesOf(s) {
			words := strings.Split(s.name, ".")
			for i, word := range words {
				if word == strings.ToUpper(word) {
					words[i] = entry
				}
			}
			if one, ok := s.named(strings.Join(words, ".")); ok {
				all = append(all, one)
			}
		}
	}
	return all
}
