package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"codememory"
)

// The lines around our part of a TOML file.
const (
	tomlBegin = "# codememory:begin v1"
	tomlEnd   = "# codememory:end"
)

// table is our part of a TOML file: a table at its end, between two comments.
type table struct {
	path []string // where the values are once the file is read
	text string   // the lines of the table
}

func (t table) with(text []byte) ([]byte, error) {
	if err := readTOML(text); err != nil {
		return nil, err
	}
	rest := t.cut(text)
	if own, found, err := t.values(rest); err != nil {
		return nil, err
	} else if found {
		if startsUs(own) {
			return text, nil // the user has entered it
		}
		return nil, codememory.Errorf(codememory.Conflict, "[%s] is not CodeMemory: give it another name and try again", strings.Join(t.path, "."))
	}
	block := strings.Join([]string{tomlBegin + `, written by "codememory install"`, strings.TrimSpace(t.text), tomlEnd, ""}, "\n")
	if bytes.Contains(text, []byte("\r\n")) {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	if bytes.Contains(text, []byte(block)) {
		return text, nil
	}
	out := append(bytes.Clone(rest), gap(rest)+block...)
	if err := readTOML(out); err != nil {
		return nil, codememory.Errorf(codememory.Conflict, "[%s] cannot be added to what is there (%w); enter by hand:\n%s", strings.Join(t.path, "."), err, strings.TrimSpace(t.text))
	}
	return out, nil
}

func (t table) without(text, before []byte) ([]byte, error) {
	if err := readTOML(text); err != nil {
		return nil, err
	}
	rest := t.cut(text)
	if before == nil && len(rest) < len(text) && len(bytes.TrimSpace(rest)) == 0 {
		return nil, nil
	}
	return rest, nil
}

// cut takes our part out, with the empty line that was put before it.
func (t table) cut(text []byte) []byte { return cutLines(text, tomlBegin, tomlEnd) }

func (t table) values(text []byte) (map[string]any, bool, error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		return nil, false, err
	}
	for _, name := range t.path {
		next, ok := all[name].(map[string]any)
		if !ok {
			return nil, false, nil
		}
		all = next
	}
	return all, true, nil
}

// readTOML checks that text is TOML and says where it is not.
func readTOML(text []byte) error {
	var all map[string]any
	err := toml.Unmarshal(text, &all)
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := wrong.Position()
		err = fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return malformed(err)
}
