package service

import (
	"slices"
	"strings"

	"codememory"
)

// withoutOwn leaves out summaries of the session that asks: its conversation
// goes on from them.
func withoutOwn(ms []codememory.Memory, session string) []codememory.Memory {
	if session == "" {
		return ms
	}
	return slices.DeleteFunc(ms, func(m codememory.Memory) bool {
		return m.Type == codememory.SessionSummary && m.Source.Session == session
	})
}

// withoutKnown leaves out of the bullets of a session what is said by a memory
// that stands in the same block.
func withoutKnown(bullets []string, ms []codememory.Memory) []string {
	const least = 20 // shorter texts are found in anything
	var out []string
	for _, b := range bullets {
		who, said, ok := strings.Cut(b, ": ")
		if !ok {
			who, said = "", b
		}
		for _, m := range ms {
			if text := strings.TrimSpace(m.Text); len(text) >= least && m.State() == codememory.Active {
				said = strings.TrimSpace(strings.ReplaceAll(said, text, ""))
			}
		}
		switch {
		case strings.Trim(said, " .,;:!?…") == "":
		case who == "":
			out = append(out, said)
		default:
			out = append(out, who+": "+said)
		}
	}
	return out
}
