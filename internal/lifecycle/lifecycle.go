// Package lifecycle decides what becomes of memories that are alike, old or
// obsolete: which belong together, which of them say the same, what is left of
// old summaries, and how the documents made from memories are kept without
// touching what a person wrote. It decides only; it stores nothing.
package lifecycle

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"codememory"
)

// MaxCluster is the largest group of memories that is looked at as one. Larger
// ones are chains of loosely related facts, of which a merger would lose some.
const MaxCluster = 8

// Judge decides what rules cannot. Implementations may ask a model; Rules does
// without.
type Judge interface {
	// Consolidate decides about memories of one type that are alike, at most
	// MaxCluster. It fails with Unavailable when it cannot tell now.
	Consolidate(ctx context.Context, ms []codememory.Memory) (Verdict, error)
	// Condense says in at most limit bytes what is worth keeping of texts that
	// are given oldest first.
	Condense(ctx context.Context, texts []string, limit int) (string, error)
}

// Verdict is what a Judge decided about a cluster.
type Verdict struct {
	// Merge lists groups of memories that are one fact. Memories in none of
	// them stay as they are.
	Merge []Group
	// Refuse says that what was not merged is to be kept apart for good; the
	// same memories are not asked about again.
	Refuse bool
}

// Group is a set of memories of which one is to be left.
type Group struct {
	Keep    string   // id of the memory that stays
	Replace []string // ids of those that it makes obsolete
	Text    string   // a wording that says all; empty: that of Keep
	Reason  string
}

// Edge says that two memories are alike.
type Edge struct {
	A, B   string
	Cosine float64
}

// Clusters joins memories along edges, the closest first, into groups of two to
// MaxCluster. The result does not depend on the order of edges.
func Clusters(edges []Edge) [][]string {
	edges = slices.Clone(edges)
	for i, e := range edges {
		edges[i].A, edges[i].B = min(e.A, e.B), max(e.A, e.B)
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), strings.Compare(a.A, b.A), strings.Compare(a.B, b.B))
	})
	groups := map[string]*[]string{}
	group := func(id string) *[]string {
		if groups[id] == nil {
			groups[id] = &[]string{id}
		}
		return groups[id]
	}
	for _, e := range edges {
		a, b := group(e.A), group(e.B)
		if a == b || len(*a)+len(*b) > MaxCluster {
			continue
		}
		*a = append(*a, *b...)
		for _, id := range *b {
			groups[id] = a
		}
	}
	var out [][]string
	seen := map[*[]string]bool{}
	for _, g := range groups {
		if !seen[g] && len(*g) > 1 {
			slices.Sort(*g)
			out = append(out, *g)
		}
		seen[g] = true
	}
	slices.SortFunc(out, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// Hash identifies a group of memories with their present wordings.
func Hash(ms []codememory.Memory) string {
	parts := make([]string, len(ms))
	for i, m := range ms {
		parts[i] = m.ID + codememory.TextHash(m.Text)
	}
	slices.Sort(parts)
	return codememory.TextHash(strings.Join(parts, "\n"))
}
