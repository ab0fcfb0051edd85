package install

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"codememory/internal/jsonc"
)

// setHooks leaves the calls alone when they are all there and no other of ours
// is, and else enters them anew.
func (s settings) setHooks(d *jsonc.Document) error {
	if len(s.hooks) == 0 {
		return nil
	}
	current := true
	ours := 0
	for _, list := range s.lists(d) {
		entries, err := read(d, list)
		if err != nil {
			return err
		}
		for _, e := range entries {
			ours += calls(e)
		}
	}
	for _, h := range s.hooks {
		entries, err := read(d, h.path)
		if err != nil {
			return err
		}
		var want any
		if err := remake(h.to, &want); err != nil {
			return err
		}
		current = current && slices.ContainsFunc(entries, func(e any) bool { return reflect.DeepEqual(e, want) })
	}
	if current && ours == len(s.hooks) {
		return nil
	}
	s.dropHooks(d, nil)
	for _, h := range s.hooks {
		if err := d.Append(h.to, h.path...); err != nil {
			return err
		}
	}
	return nil
}

// lists are the paths of all lists beside those that our hooks are in, since an
// older version may have used other events.
func (s settings) lists(d *jsonc.Document) [][]string {
	var paths [][]string
	seen := map[string]bool{}
	for _, h := range s.hooks {
		parent := h.path[:len(h.path)-1]
		if key := strings.Join(parent, "\x00"); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		var events map[string]any
		if found, err := d.Get(&events, parent...); !found || err != nil {
			continue
		}
		for _, name := range sortedKeys(events) {
			if _, ok := events[name].([]any); ok {
				paths = append(paths, append(slices.Clone(parent), name))
			}
		}
	}
	return paths
}

func read(d *jsonc.Document, path []string) ([]any, error) {
	var entries []any
	if _, err := d.Get(&entries, path...); err != nil {
		return nil, notAList(path)
	}
	return entries, nil
}

// dropHooks takes out every call of ours, and what it leaves empty unless it
// was there before.
func (s settings) dropHooks(d, before *jsonc.Document) {
	for _, list := range s.lists(d) {
		entries, err := read(d, list)
		if err != nil {
			continue
		}
		dropped := false
		for i, e := range slices.Backward(entries) {
			if calls(e) == 0 {
				continue
			}
			dropped = true
			inner, nested := handlers(e)
			if !nested || calls(e) == len(inner) {
				d.RemoveElement(i, list...)
				continue
			}
			for j, h := range slices.Backward(inner) {
				if isCall(h) {
					d.RemoveNested(i, j, "hooks", list...)
				}
			}
		}
		if dropped {
			prune(d, before, list)
		}
	}
}

// ourCall is how a command line calls our hooks, wherever the program lies and
// however its name is quoted.
var ourCall = regexp.MustCompile(`(^|[/\\"'\s])codememory[\w.-]*["']?\s+hook\s`)

// isCall reports whether a handler runs a hook of ours.
func isCall(handler any) bool {
	h, _ := handler.(map[string]any)
	for _, key := range []string{"command", "bash", "powershell", "windows", "linux", "osx"} {
		if line, _ := h[key].(string); ourCall.MatchString(line + " ") {
			return true
		}
	}
	return false
}

// handlers are the commands of an entry in the form in which a matcher has
// several.
func handlers(entry any) ([]any, bool) {
	e, _ := entry.(map[string]any)
	inner, ok := e["hooks"].([]any)
	return inner, ok
}

// calls counts our commands in an entry.
func calls(entry any) int {
	inner, nested := handlers(entry)
	if !nested {
		if isCall(entry) {
			return 1
		}
		return 0
	}
	n := 0
	for _, h := range inner {
		if isCall(h) {
			n++
		}
	}
	return n
}
