// Package extracteval measures extraction by rules on labelled conversations:
// how much of what should be remembered is, how much else is, and whether a
// later statement replaces the earlier one. It stores nothing.
package extracteval

import (
	"strings"

	"codememory/internal/extract"
)

// book keeps candidates as a store would: the same words once, and a candidate
// that replaces others hides them.
type book struct{ entries []entry }

type entry struct {
	extract.Candidate
	replaced bool
}

// add returns where the candidate stands, and whether it is new.
func (b *book) add(c extract.Candidate) (at int, fresh bool) {
	for i, e := range b.entries {
		if strings.EqualFold(e.Text, c.Text) && !e.replaced {
			return i, false
		}
	}
	for i := range b.entries {
		if !b.entries[i].replaced && c.Replaces(b.entries[i].Candidate) {
			b.entries[i].replaced = true
		}
	}
	b.entries = append(b.entries, entry{Candidate: c})
	return len(b.entries) - 1, true
}
