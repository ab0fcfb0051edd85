package render

import (
	"strings"

	"codememory"
)

// Shown returns the ids of those memories that a stable block shows in full.
func Shown(block string, ms []codememory.Memory) []string {
	if block == "" {
		return nil
	}
	lines := map[string]bool{}
	for line := range strings.SplitSeq(block, "\n") {
		for _, lead := range []string{"- ", "> **pattern:** "} {
			if text, ok := strings.CutPrefix(line, lead); ok {
				lines[text] = true
			}
		}
	}
	var ids []string
	for _, m := range ms {
		if lines[inline(m.Text)] {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
