package install

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/jsonc"
)

// settings is our part of a JSON file of an agent, with or without comments.
type settings struct {
	scaffold []value   // set where they lack; taken out when nothing else is left
	servers  []value   // MCP servers, by their place
	hooks    []value   // elements of lists, each a call of ours
	strings  []element // elements of lists of strings
}

type value struct {
	path []string
	to   any
}

type element struct {
	path []string
	text string
}

func (s settings) with(text []byte) ([]byte, error) {
	d, err := jsonc.Parse(text)
	if err != nil {
		return nil, malformed(err)
	}
	for _, v := range s.scaffold {
		if !d.Has(v.path...) {
			if err := d.Set(v.to, v.path...); err != nil {
				return nil, err
			}
		}
	}
	for _, v := range s.servers {
		if err := setServer(d, v); err != nil {
			return nil, err
		}
	}
	if err := s.setHooks(d); err != nil {
		return nil, err
	}
	for _, e := range s.strings {
		var list []any
		if _, err := d.Get(&list, e.path...); err != nil {
			return nil, notAList(e.path)
		}
		if !slices.Contains(list, any(e.text)) {
			if err := d.Append(e.text, e.path...); err != nil {
				return nil, err
			}
		}
	}
	return d.Bytes(), nil
}

// setServer enters an MCP server. One that already starts CodeMemory keeps
// what its owner gave it besides the program.
func setServer(d *jsonc.Document, v value) error {
	var there map[string]any
	found, err := d.Get(&there, v.path...)
	if !found {
		return d.Set(v.to, v.path...)
	}
	if err != nil || !startsUs(there) {
		return codememory.Errorf(codememory.Conflict, "%s is not CodeMemory: give it another name and try again", strings.Join(v.path, "."))
	}
	var want map[string]any
	if err := remake(v.to, &want); err != nil {
		return err
	}
	if !reflect.DeepEqual(there["command"], want["command"]) {
		return d.Set(want["command"], append(slices.Clone(v.path), "command")...)
	}
	return nil
}

// startsUs reports whether an entry for an MCP server starts this program.
func startsUs(server map[string]any) bool {
	command, _ := server["command"].(string)
	args, _ := server["args"].([]any)
	return isProgram(command) && slices.Contains(args, any("mcp"))
}

// isProgram knows this program by its name, to which a version may be added.
func isProgram(command string) bool {
	return strings.HasPrefix(path.Base(strings.ReplaceAll(command, `\`, "/")), "codememory")
}

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

// prune removes what is empty, from the innermost outwards, unless it was there
// before us.
func prune(d, before *jsonc.Document, path []string) {
	for n := len(path); n > 0; n-- {
		var v any
		if found, err := d.Get(&v, path[:n]...); !found || err != nil {
			return
		}
		switch v := v.(type) {
		case []any:
			if len(v) > 0 {
				return
			}
		case map[string]any:
			if len(v) > 0 {
				return
			}
		default:
			return
		}
		if before != nil && before.Has(path[:n]...) {
			return
		}
		d.Remove(path[:n]...)
	}
}

func (s settings) without(text, before []byte) ([]byte, error) {
	d, err := jsonc.Parse(text)
	if err != nil {
		return nil, err
	}
	var was *jsonc.Document
	if before != nil {
		if was, err = jsonc.Parse(before); err != nil {
			was = nil
		}
	}
	for _, v := range s.servers {
		var there map[string]any
		if found, err := d.Get(&there, v.path...); !found || err != nil || !startsUs(there) {
			continue
		}
		if was != nil && was.Has(v.path...) {
			var old any
			if _, err := was.Get(&old, append(slices.Clone(v.path), "command")...); err == nil && old != nil && !reflect.DeepEqual(old, there["command"]) {
				if err := d.Set(old, append(slices.Clone(v.path), "command")...); err != nil {
					return nil, err
				}
			}
			continue
		}
		d.Remove(v.path...)
		prune(d, was, v.path[:len(v.path)-1])
	}
	s.dropHooks(d, was)
	for _, e := range s.strings {
		if was != nil {
			var list []any
			if _, err := was.Get(&list, e.path...); err == nil && slices.Contains(list, any(e.text)) {
				continue
			}
		}
		var list []any
		if _, err := d.Get(&list, e.path...); err != nil {
			continue
		}
		if i := slices.Index(list, any(e.text)); i >= 0 {
			d.RemoveElement(i, e.path...)
			prune(d, was, e.path)
		}
	}
	rest := d.Bytes()
	if !bytes.Equal(rest, text) && len(bytes.TrimSpace(before)) == 0 && s.onlyScaffold(d) {
		return before, nil // there was no file, or nothing in it
	}
	return rest, nil
}

// onlyScaffold reports whether nothing is left that anybody else wrote.
func (s settings) onlyScaffold(d *jsonc.Document) bool {
	rest, err := jsonc.Parse(d.Bytes())
	if err != nil {
		return false
	}
	for _, v := range s.scaffold {
		var there, ours any
		if _, err := rest.Get(&there, v.path...); err == nil && remake(v.to, &ours) == nil && reflect.DeepEqual(there, ours) {
			rest.Remove(v.path...)
		}
	}
	return rest.Empty()
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

// remake turns a value of ours into what reading it from a file gives.
func remake(from, to any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}

// readJSON reads a file with or without comments.
func readJSON(data []byte, v any) error {
	d, err := jsonc.Parse(data)
	if err != nil {
		return err
	}
	_, err = d.Get(v)
	return err
}

func malformed(err error) error {
	return codememory.Errorf(codememory.Invalid, "%w; mend the file and try again; nothing was changed", err)
}

func notAList(path []string) error {
	return codememory.Errorf(codememory.Invalid, "%s is not a list: mend the file and try again; nothing was changed", strings.Join(path, "."))
}
