package config

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"codememory"
	"codememory/internal/atomicfile"
)

// privateMode is for files that may hold secrets.
const privateMode fs.FileMode = 0o600

// Set writes key = value into the user's settings file and leaves every other
// byte as it is, comments and order included. The file is made when it does
// not exist; one that gets a literal secret becomes private.
//
// It fails with NotFound for an unknown key and with Invalid for a value the
// key cannot have or a file that cannot be read.
func Set(file, key, value string) error { return setIn(LayerUser, file, key, value) }

// SetProject does what Set does in a project's file. It also fails, with
// Forbidden, for what a project may not decide.
func SetProject(file, key, value string) error { return setIn(LayerProject, file, key, value) }

// Unset removes key from a settings file of either kind and reports whether it
// was there.
func Unset(file, key string) (bool, error) {
	e, err := openEdit(file)
	if err != nil {
		return false, err
	}
	if _, ok := e.before[key]; !ok {
		if _, known := lookup(key); !known {
			return false, UnknownKey(key)
		}
		return false, nil
	}
	var text []byte
	if isTOML(file) {
		text = unsetTOML(e.text, key)
	} else {
		text, err = unsetJSONC(e.text, key)
	}
	if err != nil {
		return false, err
	}
	delete(e.before, key)
	return true, e.save(text, 0)
}

func setIn(layer Layer, file, key, value string) error {
	s, ok := lookup(key)
	if !ok {
		return UnknownKey(key)
	}
	raw := s.fromText(value)
	parsed, err := s.parse(raw, func(string) string { return "" })
	if err != nil {
		return codememory.Errorf(codememory.Invalid, "%s: %w", key, err)
	}
	if layer == LayerProject {
		if err := s.allowProject(parsed); err != nil {
			return codememory.Errorf(codememory.Forbidden, "%s: %w", key, err)
		}
	}
	e, err := openEdit(file)
	if err != nil {
		return err
	}
	var text []byte
	if isTOML(file) {
		text = setTOML(e.text, key, tomlLiteral(raw))
	} else {
		text, err = setJSONC(e.text, key, jsonText(raw))
	}
	if err != nil {
		return err
	}
	e.before[key] = raw
	var mode fs.FileMode
	if len(e.text) == 0 && layer == LayerUser || s.isSecret() && !isReference(value) {
		mode = privateMode
	}
	return e.save(text, mode)
}

// edit is a file that is being changed.
type edit struct {
	file   string // where it really is, behind a link
	bom    bool
	text   []byte
	before map[string]any // what it must say in the end: changed along with the text
}

func openEdit(file string) (*edit, error) {
	// People keep their settings elsewhere and link them here.
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	data, err := readFile(file)
	if err != nil {
		return nil, codememory.Errorf(codememory.Invalid, "%w", fileError(file, err))
	}
	e := &edit{file: file}
	e.text, e.bom = bytes.CutPrefix(data, utf8BOM)
	if e.before, err = meaning(file, e.text); err != nil {
		return nil, codememory.Errorf(codememory.Invalid, "%w", fileError(file, err))
	}
	return e, nil
}

// save writes the new text after making sure that it says what it should.
func (e *edit) save(text []byte, mode fs.FileMode) error {
	after, err := meaning(e.file, text)
	if err != nil || !reflect.DeepEqual(e.before, after) {
		return codememory.Errorf(codememory.Conflict, "%s is written in a way that cannot be changed safely: edit it by hand", e.file)
	}
	if e.bom {
		text = append(bytes.Clone(utf8BOM), text...)
	}
	if err := atomicfile.MkdirAll(filepath.Dir(e.file), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(e.file, text, mode)
}

// meaning is what a file says, without how it says it.
func meaning(file string, text []byte) (map[string]any, error) {
	entries, err := parseFile(file, text)
	if err != nil {
		return nil, err
	}
	says := make(map[string]any, len(entries))
	for _, e := range entries {
		says[e.key] = e.raw
	}
	return says, nil
}

// groupOf parts http.port into http and port; a key without a dot has no group.
func groupOf(key string) (group, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}
