package render

import (
	"cmp"
	"slices"
	"strings"

	"codememory"
)

// The limits inside sections, in characters.
const (
	activeContextChars = 2000
	secondSessionChars = 600
	thirdSessionChars  = 300
)

// maxEntries is how many memories of a section are looked at: far more than any
// budget shows, and few enough that a store of any size renders at once.
const maxEntries = 200

const pitfallsTitle = "Known Pitfalls"

// pitfallImportance is from where on an error or a hidden constraint is worth
// knowing in every session; the default of an error-solution lies below it.
const pitfallImportance = 0.7

// section is one heading of a block with its memories, best first.
type section struct {
	title   string
	entries []entry
}

// kind says which memories a section takes and how they are sorted.
type kind struct {
	title  string
	takes  func(m *codememory.Memory) (rank int, ok bool)
	newest bool // by time alone: what counts is the latest state
}

// kinds lists the sections in the order in which they are shown. A memory
// stands in the first that takes it.
func kinds() []kind {
	return []kind{
		{title: "Project Brief", takes: ofTypes(codememory.ProjectBrief, codememory.ProjectConfig)},
		{title: "Architecture", takes: ofTypes(codememory.Architecture, codememory.ArchitecturePattern)},
		{title: "Tech Context", takes: ofTypes(codememory.TechContext)},
		{title: "Product Context", takes: ofTypes(codememory.ProductContext)},
		{title: "Progress & Status", takes: ofTypes(codememory.Progress), newest: true},
		{title: "Active Context", takes: ofTypes(codememory.ActiveContext), newest: true},
		{title: "Recent Sessions", takes: ofTypes(codememory.SessionSummary), newest: true},
		{title: "User Preferences", takes: isPreference},
		{title: pitfallsTitle, takes: isPitfall},
		{title: "Project Rules", takes: isTaught},
	}
}

func ofTypes(types ...codememory.Type) func(*codememory.Memory) (int, bool) {
	return func(m *codememory.Memory) (int, bool) {
		rank := slices.Index(types, m.Type)
		return rank, rank >= 0
	}
}

func isPreference(m *codememory.Memory) (int, bool) {
	habit := m.Scope == codememory.ScopeUser && m.Type == codememory.LearnedPattern && m.Category != codememory.HiddenConstraint
	return 0, m.Type == codememory.Preference || habit
}

// isTaught takes what the user himself taught about the project: he should not
// have to say it again.
func isTaught(m *codememory.Memory) (int, bool) {
	return 0, m.Type == codememory.LearnedPattern && m.Source.Class == codememory.ClassUser
}

func isPitfall(m *codememory.Memory) (int, bool) {
	hurts := m.Type == codememory.ErrorSolution || m.Category == codememory.HiddenConstraint
	return 0, hurts && (m.Pinned || m.Importance >= pitfallImportance)
}

// sections sorts the active memories among ms into what a block shows of them.
func sections(ms []codememory.Memory) []section {
	taken := make([]bool, len(ms))
	var all []section
	for _, k := range kinds() {
		var mine []*codememory.Memory
		for i := range ms {
			if _, ok := k.takes(&ms[i]); ok && !taken[i] && ms[i].State() == codememory.Active {
				taken[i] = true
				mine = append(mine, &ms[i])
			}
		}
		slices.SortFunc(mine, k.before)
		mine = slices.CompactFunc(mine, func(a, b *codememory.Memory) bool { return a.ID == b.ID && a.Text == b.Text })
		if entries := k.entries(mine); len(entries) > 0 {
			all = append(all, section{title: k.title, entries: entries})
		}
	}
	return all
}

// before orders memories so that the same state gives the same bytes: nothing
// that changes with use or with the clock counts.
func (k kind) before(a, b *codememory.Memory) int {
	newer := cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.ID, b.ID), strings.Compare(a.Text, b.Text))
	if k.newest {
		return newer
	}
	rankA, _ := k.takes(a)
	rankB, _ := k.takes(b)
	return cmp.Or(rankA-rankB, firstIf(a.Pinned, b.Pinned), cmp.Compare(b.Importance, a.Importance), newer)
}

func firstIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// disputed warns of a memory that another one beside it contradicts: both are
// shown, and their dates tell which to believe.
func disputed(m *codememory.Memory, among []*codememory.Memory) string {
	for _, other := range among {
		if conflict(m, other) {
			return "(" + day(m) + ", conflicts with another entry) "
		}
	}
	return ""
}

// entries renders the memories of one section, within its limits.
func (k kind) entries(ms []*codememory.Memory) []entry {
	var entries []entry
	chars := 0
	for _, m := range ms[:min(len(ms), maxEntries)] {
		e := entry{lead: "- " + disputed(m, ms), text: inline(m.Text), id: shownID(m)}
		if e.text == "" {
			continue
		}
		switch m.Type {
		case codememory.ArchitecturePattern:
			e.lead = "> **pattern:** "
		case codememory.ActiveContext:
			left := activeContextChars - chars
			if left < thirdSessionChars && chars > 0 {
				return entries
			}
			e = e.shortened(left)
			chars += len([]rune(e.text))
		case codememory.SessionSummary:
			switch len(entries) {
			case 0:
			case 1:
				e = e.shortened(secondSessionChars)
			case 2:
				e = e.shortened(thirdSessionChars)
			default:
				return entries
			}
		default:
		}
		entries = append(entries, e)
	}
	return entries
}
