package lifecycle

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/text"
)

// Rules is the Judge without a model: it merges only what says the same in
// nearly the same words, and never decides for good what it cannot tell.
type Rules struct{}

var _ Judge = Rules{}

// Consolidate implements Judge.
func (Rules) Consolidate(_ context.Context, ms []codememory.Memory) (Verdict, error) {
	var v Verdict
	left := slices.Clone(ms)
	slices.SortFunc(left, better)
	for len(left) > 1 {
		best := left[0]
		g := Group{Keep: best.ID, Reason: "it says the same"}
		var rest []codememory.Memory
		for _, m := range left[1:] {
			if Same(best.Text, m.Text) {
				g.Replace = append(g.Replace, m.ID)
			} else {
				rest = append(rest, m)
			}
		}
		if len(g.Replace) > 0 {
			v.Merge = append(v.Merge, g)
		}
		left = rest
	}
	return v, nil
}

// better orders memories by which of two equal ones should stay: a pinned one,
// the user's own words, the one more people said, then the newest.
func better(a, b codememory.Memory) int {
	own := func(m codememory.Memory) bool { return m.Source.Author == codememory.AuthorUser }
	return cmp.Or(
		-boolCompare(a.Pinned, b.Pinned), -boolCompare(own(a), own(b)),
		cmp.Compare(len(b.Seen), len(a.Seen)), b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(b.ID, a.ID),
	)
}

// BestFirst returns the ids of memories, the one that should stay first.
func BestFirst(ms []codememory.Memory) []string {
	ms = slices.Clone(ms)
	slices.SortFunc(ms, better)
	ids := make([]string, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	return ids
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// fuzzySame is the share of equal characters from which two wordings differ by
// slips of the pen only.
const fuzzySame = 0.95

// Same reports whether two texts say the same in nearly the same words: no
// number, version, negation or content word differs.
func Same(a, b string) bool {
	subjectA, valuesA := Content(a)
	subjectB, valuesB := Content(b)
	if !slices.Equal(valuesA, valuesB) || len(subjectA) == 0 {
		return false
	}
	return slices.Equal(subjectA, subjectB) || text.SimilarAtLeast(text.Normalize(a), text.Normalize(b), fuzzySame) && sameNames(a, b)
}

// sameNames keeps apart what differs by a letter in a name: user_id and user_ip
// are no slip of the pen.
func sameNames(a, b string) bool {
	names := func(s string) []string {
		var out []string
		for _, e := range text.Entities(s) {
			out = append(out, e.Name)
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(names(a), names(b))
}
