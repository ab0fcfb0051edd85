package config

import (
	"fmt"
	"slices"

	"codememory"
)

// Layer is one of the places a setting can come from.
type Layer string

// The layers, weakest first.
const (
	LayerDefault Layer = "default"
	LayerUser    Layer = "user file"
	LayerProject Layer = "project file"
	LayerEnv     Layer = "environment"
	LayerFlag    Layer = "flag"
)

func (l Layer) rank() int {
	return slices.Index([]Layer{LayerDefault, LayerUser, LayerProject, LayerEnv, LayerFlag}, l)
}

// Statement is what one layer says about one key.
type Statement struct {
	Layer   Layer  `json:"layer"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Name    string `json:"name,omitempty"`    // the variable or flag
	Value   string `json:"value"`             // as shown to people; a secret is hidden
	Ignored string `json:"ignored,omitempty"` // why it does not count
}

func (s Statement) place() string {
	if s.File == "" && s.Name != "" {
		return fmt.Sprintf("%s %s: ", s.Layer, s.Name)
	}
	return place(s.File, s.Line)
}

func place(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	default:
		return fmt.Sprintf("%s:%d: ", file, line)
	}
}

// Explanation says what a setting is and why.
type Explanation struct {
	Key   Key       `json:"key"`
	Value string    `json:"value"` // what counts in the end
	From  Statement `json:"from"`  // the layer that decided
	// Layers is what every layer said, weakest first, the default included.
	// A project's addition to a list counts beside From.
	Layers []Statement `json:"layers"`
}

// Explain says where the value of key comes from. It fails with NotFound for
// a key that does not exist.
func (l *Loaded) Explain(key string) (Explanation, error) {
	s, ok := lookup(key)
	if !ok {
		return Explanation{}, UnknownKey(key)
	}
	defaults := Default()
	e := Explanation{
		Key: s.key(&defaults), Value: show(s.get(&l.Config)), From: l.winner(s),
		Layers: []Statement{defaultStatement(s)},
	}
	for _, said := range l.said[key] {
		e.Layers = append(e.Layers, said.Statement)
	}
	return e, nil
}

// winner returns the strongest statement that counts.
func (l *Loaded) winner(s spec) Statement {
	won := defaultStatement(s)
	for _, said := range l.said[s.name] {
		onlyAdds := said.Layer == LayerProject && s.project == "add" && won.Layer != LayerDefault
		if said.value != nil && !onlyAdds {
			won = said.Statement
		}
	}
	return won
}

func defaultStatement(s spec) Statement {
	defaults := Default()
	return Statement{Layer: LayerDefault, Value: show(s.get(&defaults))}
}

// UnknownKey is the NotFound error for a key that does not exist, with the
// nearest one that does.
func UnknownKey(key string) error {
	return codememory.Errorf(codememory.NotFound, "%q is no setting%s: see codememory config list", key, suggest(key, keyNames()))
}
