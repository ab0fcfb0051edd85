package install

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
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
	if err := s.dropServers(d, was); err != nil {
		return nil, err
	}
	s.dropHooks(d, was)
	s.dropStrings(d, was)
	for _, v := range s.scaffold {
		if was != nil && !was.Has(v.path...) {
			d.Remove(v.path...)
		}
	}
	rest := d.Bytes()
	if !bytes.Equal(rest, text) && len(bytes.TrimSpace(before)) == 0 && s.onlyScaffold(d) {
		return before, nil // there was no file, or nothing in it
	}
	return rest, nil
}

// dropServers takes out our servers; one that was there before us starts what it
// started then.
func (s settings) dropServers(d, before *jsonc.Document) error {
	for _, v := range s.servers {
		var there map[string]any
		if found, err := d.Get(&there, v.path...); !found || err != nil || !startsUs(there) {
			continue
		}
		if before == nil || !before.Has(v.path...) {
			d.Remove(v.path...)
			prune(d, before, v.path[:len(v.path)-1])
			continue
		}
		program := append(slices.Clone(v.path), "command")
		var old string
		if found, err := before.Get(&old, program...); found && err == nil && old != there["command"] {
			if err := d.Set(old, program...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s settings) dropStrings(d, before *jsonc.Document) {
	for _, e := range s.strings {
		if before != nil && indexOf(before, e) >= 0 {
			continue
		}
		if i := indexOf(d, e); i >= 0 {
			d.RemoveElement(i, e.path...)
			prune(d, before, e.path)
		}
	}
}

func indexOf(d *jsonc.Document, e element) int {
	var list []any
	if _, err := d.Get(&list, e.path...); err != nil {
		return -1
	}
	return slices.Index(list, any(e.text))
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
