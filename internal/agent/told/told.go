// Package told keeps what hooks tell of agents whose own records cannot be
// read, one file for each session, and reads it back like the records of any
// other agent. It is the only reader whose files are ours.
package told

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// agents are those that are only known from their hooks.
var agents = []struct{ id, name string }{{"cursor", "Cursor"}, {"vscode", "VS Code"}}

// Knows reports whether what the hooks of an agent tell is kept here.
func Knows(agent string) bool {
	for _, a := range agents {
		if a.id == agent {
			return true
		}
	}
	return false
}

// Transcripts returns the readers of what was kept in a folder.
func Transcripts(dir string, o jsonl.Options) []codememory.Transcripts {
	o = o.WithDefaults()
	var list []codememory.Transcripts
	for _, a := range agents {
		list = append(list, jsonl.NewReader(jsonl.Format{
			Agent: a.id, Name: a.name, Roots: []string{filepath.Join(dir, a.id)}, Identify: identify, Settle: o.Quiet,
			Enter: func(string) bool { return false },
			Begin: func(_ jsonl.Place, keep int) jsonl.Parser { return &parser{strip: o.Strip, keep: keep} },
		}, o))
	}
	return list
}

// row is one line of a file: what a hook told, and where and when.
type row struct {
	At      string               `json:"at"`
	Session string               `json:"session,omitempty"` // in the first row
	Dir     string               `json:"dir,omitempty"`     // where it is another than before
	Event   string               `json:"event"`
	Said    codememory.TurnEvent `json:"said,omitzero"`
}

func identify(root, rel string) (jsonl.Place, bool) {
	if strings.Contains(rel, "/") {
		return jsonl.Place{}, false
	}
	var r row
	first, err := jsonl.FirstLine(filepath.Join(root, rel))
	if err != nil || json.Unmarshal(first, &r) != nil || r.Session == "" {
		return jsonl.Place{}, false
	}
	return jsonl.Place{ID: r.Session}, true
}
