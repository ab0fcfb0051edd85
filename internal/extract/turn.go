package extract

import (
	"slices"

	"codememory"
)

// Look is how many turns before the current one can begin a chain that ends in
// it.
const Look = 8

// Turn finds all that a closed turn is worth: what the user stated, which
// commands proved to work, which errors were overcome, and what others tried
// to slip in. earlier are the turns before it in the same session, oldest
// first; the same turns give the same candidates.
func Turn(earlier []codememory.Turn, t codememory.Turn) []Candidate {
	var found []Candidate
	if t.Kind == codememory.PromptTurn {
		found = Said(t.Prompt)
	}
	found = slices.Concat(found, Commands(t), Fixes(earlier[max(0, len(earlier)-Look):], t), Outside(t))
	for i := range found {
		if len(found[i].Turns) == 0 {
			found[i].Turns = []string{t.ID}
		}
	}
	return found
}
