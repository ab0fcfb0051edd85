package agenttest

import (
	"fmt"
	"testing"

	"codememory"
)

// Turns returns the turns of a session with all output of tools.
func Turns(t testing.TB, r codememory.Transcripts, id string) []codememory.Turn {
	t.Helper()
	turns, err := r.Turns(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	return turns
}

// Outline shows turns as "kind state: prompt -> answer".
func Outline(t testing.TB, r codememory.Transcripts, id string) (out []string) {
	t.Helper()
	for _, turn := range Turns(t, r, id) {
		out = append(out, fmt.Sprintf("%s %s: %s -> %s", turn.Kind, turn.State, turn.Prompt, turn.Answer()))
	}
	return out
}

// Steps shows what was said and done, one line each.
func Steps(turn codememory.Turn) (out []string) {
	for _, s := range turn.Steps {
		if s.Tool == nil {
			out = append(out, "said: "+s.Text)
			continue
		}
		line := s.Tool.Name + " " + s.Tool.Target
		if s.Tool.Exit != nil {
			line += fmt.Sprint(" exit ", *s.Tool.Exit)
		}
		if s.Tool.Error != "" {
			line += " error: " + s.Tool.Error
		}
		for _, c := range s.Tool.Changed {
			line += fmt.Sprintf(" [%s %s]", c.Change, c.Path)
		}
		if s.Tool.Child != "" {
			line += " child " + s.Tool.Child
		}
		if s.Tool.Running {
			line += " running"
		}
		out = append(out, line)
	}
	return out
}
