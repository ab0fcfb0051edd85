package session

import (
	"slices"
	"strings"

	"codememory"
)

// Retract takes turns out of the record that the user took back: their notes,
// the goal if one of them gave it, and the files that none of the turns left
// touched. What the model stated stays. It reports whether the record changed.
func (r *Record) Retract(turns []string, left []codememory.Turn, root string) bool {
	ids := make([]string, len(turns))
	for i, id := range turns {
		ids[i] = cleanTurnID(id)
	}
	before := len(r.Turns)
	goal := false
	r.Turns = slices.DeleteFunc(slices.Clone(r.Turns), func(n TurnNote) bool {
		gone := n.ID != "" && slices.Contains(ids, n.ID)
		goal = goal || gone && r.Goal != "" && strings.HasPrefix(n.Asked, strings.TrimSuffix(r.Goal, "…"))
		return gone
	})
	changed := len(r.Turns) < before
	if goal {
		r.Goal = ""
		for _, n := range r.Turns {
			if n.Asked != noText {
				r.Goal = gist(n.Asked, goalChars)
				break
			}
		}
	}
	if r.FilesFromGit || len(r.Files) == 0 {
		return changed
	}
	rest := Record{}
	for _, t := range left {
		if t.State != codememory.TurnOpen {
			rest.observeFiles(t, root)
		}
	}
	files := sortedFiles(rest.Files)
	changed = changed || !slices.Equal(files, sortedFiles(r.Files))
	r.Files = files
	return changed
}

// SaysNothing reports whether the record tells no more than that there was a
// session.
func (r Record) SaysNothing() bool {
	return r.Goal == "" && r.Slug == "" && len(r.Completed)+len(r.Pending)+len(r.Summary)+len(r.Decisions)+len(r.Plans)+len(r.References) == 0 &&
		len(r.Turns) == 0 && (len(r.Files) == 0 || r.FilesFromGit) && len(r.Extra)+len(r.ExtraHead) == 0
}
