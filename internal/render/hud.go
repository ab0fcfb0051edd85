package render

import (
	"slices"
	"strings"

	"codememory"
)

// The limits inside the HUD.
const (
	freshSlots  = 3  // kept for what this call is about, however much is pinned
	maxActions  = 5  // the newest ones
	actionChars = 80 // of a target or a result
	usageChars  = 160
)

// HUDInput is what the HUD is made of.
type HUDInput struct {
	Hits    []codememory.Hit    // found for this call, best first
	Pinned  []codememory.Hit    // to be kept from earlier calls
	Actions []codememory.Action // what the agent just did, oldest first; usually none, as the model sees them anyway
	Usage   string              // a line about the context window
	// UsageAlone asks for the usage line even when nothing is remembered.
	UsageAlone bool
	Budget     int              // in tokens; 0 means DefaultHUDTokens
	Max        int              // most memories; 0 means DefaultHUDMemories
	Tokens     func(string) int // nil means text.Tokens
}

// HUD renders the block for one call, counts its tokens and says which
// memories it shows, in the order in which it shows them. Without a memory
// that matters it returns "".
func HUD(in HUDInput) (text string, tokens int, shown []codememory.Hit) {
	count := counter(in.Tokens)
	budget := in.Budget
	if budget <= 0 {
		budget = DefaultHUDTokens
	}
	picked := pick(in)
	var usage string
	if line := (entry{text: inline(in.Usage)}).clipped(usageChars); line != "" {
		usage = "Context window: " + line
	}
	frameCost := count(frame(hudOpen, hudIntro, nil))
	text, tokens = fit(budget, count, func(budget int) string {
		budget -= frameCost
		if usage != "" {
			budget -= lineCost(usage, count)
		}
		var lines []string
		lines, shown = memoryLines(picked, budget, count)
		if len(lines) == 0 && (usage == "" || !in.UsageAlone || budget < 0) {
			return ""
		}
		for _, line := range lines {
			budget -= lineCost(line, count)
		}
		if len(lines) > 0 {
			lines = append(lines, actionLines(in.Actions, budget, count)...)
		}
		if usage != "" {
			lines = append(lines, usage)
		}
		return frame(hudOpen, hudIntro, lines)
	})
	if text == "" {
		return "", 0, nil
	}
	return text, tokens, shown
}

// candidate is a hit with its text made safe.
type candidate struct {
	codememory.Hit
	text   string
	pinned bool
}

// pick chooses the memories to show: pinned ones keep slots that fresh ones
// cannot take, and fresh ones keep a few that pinned ones cannot take.
func pick(in HUDInput) []candidate {
	most := in.Max
	if most <= 0 {
		most = DefaultHUDMemories
	}
	var fresh, pinned []candidate
	seen := make(map[string]bool)
	take := func(hits []codememory.Hit, keep bool) {
		for _, h := range hits {
			c := candidate{Hit: h, text: inline(h.Memory.Text), pinned: keep || h.Memory.Pinned}
			switch {
			case seen[h.Memory.ID] || c.text == "" || h.Memory.State() != codememory.Active:
				continue
			case c.pinned:
				pinned = append(pinned, c)
			default:
				fresh = append(fresh, c)
			}
			seen[h.Memory.ID] = true
		}
	}
	take(in.Pinned, true)
	take(in.Hits, false)
	reserved := min(len(pinned), max(most-freshSlots, (most+1)/2))
	fresh = together(fresh)
	fresh = fresh[:min(len(fresh), most-reserved)]
	return slices.Concat(fresh, pinned[:min(len(pinned), most-len(fresh))])
}

// memoryLines renders as many of the candidates as the budget carries, each
// with its fair share of it, and returns the hits in the order of the lines.
func memoryLines(picked []candidate, budget int, count func(string) int) ([]string, []codememory.Hit) {
	for picked = slices.Clone(picked); len(picked) > 0; picked = dropOne(picked) {
		ordered := together(picked)
		demands := make([]int, len(ordered))
		entries := make([]entry, len(ordered))
		for i, c := range ordered {
			entries[i] = entry{lead: c.lead(ordered), text: c.text, id: shownID(&c.Memory)}
			demands[i] = min(lineCost(entries[i].line(), count), longEntry)
		}
		var lines []string
		var hits []codememory.Hit
		for i, allowed := range share(budget, demands) {
			if line, ok := entries[i].within(allowed, count); ok {
				lines = append(lines, line)
				hits = append(hits, ordered[i].Hit)
			}
		}
		if len(lines) == len(ordered) {
			return lines, hits
		}
	}
	return nil, nil
}

// dropOne removes what is least missed: the weakest fresh hit as long as there
// is another, then the last pinned memory.
func dropOne(picked []candidate) []candidate {
	fresh := 0
	for _, c := range picked {
		if !c.pinned {
			fresh++
		}
	}
	if fresh > 1 {
		return slices.Delete(picked, fresh-1, fresh)
	}
	return picked[:len(picked)-1]
}

// lead is what stands before the text of c: its id, what it is and when it was
// written, and which of the others it contradicts.
func (c candidate) lead(among []candidate) string {
	facts := []string{label(&c.Memory)}
	if date := day(&c.Memory); date != "" {
		facts = append(facts, date)
	}
	if c.pinned {
		facts = append(facts, "pinned")
	}
	if stale := c.Memory.Stale(); stale != "" {
		facts = append(facts, staleWords[stale])
	}
	for _, other := range among {
		if conflict(&c.Memory, &other.Memory) {
			facts = append(facts, "conflicts with "+shownID(&other.Memory))
		}
	}
	return "- " + shownID(&c.Memory) + " (" + strings.Join(facts, ", ") + "): "
}

// staleWords warn that the code moved on since a memory was written.
var staleWords = map[codememory.FileState]string{codememory.FileChanged: "file changed since", codememory.FileGone: "file is gone"}

// label is the category of m, which says more than its type, or else the type.
func label(m *codememory.Memory) string {
	switch {
	case m.Category != "" && m.Category.Valid():
		return string(m.Category)
	case m.Type.Valid():
		return string(m.Type)
	default:
		return "memory"
	}
}

// together moves memories that contradict each other side by side, the newest
// first, and keeps the order otherwise.
func together(list []candidate) []candidate {
	placed := make([]bool, len(list))
	out := make([]candidate, 0, len(list))
	for i := range list {
		if placed[i] {
			continue
		}
		start := len(out)
		for j := i; j < len(list); j++ {
			if !placed[j] && (j == i || conflict(&list[i].Memory, &list[j].Memory)) {
				placed[j] = true
				out = append(out, list[j])
			}
		}
		slices.SortStableFunc(out[start:], func(a, b candidate) int { return b.Memory.UpdatedAt.Compare(a.Memory.UpdatedAt) })
	}
	return out
}

// conflict reports whether one of two memories is linked to the other as contradicting it.
func conflict(a, b *codememory.Memory) bool {
	names := func(from, to *codememory.Memory) bool {
		return slices.ContainsFunc(from.Links, func(l codememory.Link) bool {
			return l.Type == codememory.Conflicts && l.To == to.ID
		})
	}
	return a.ID != b.ID && (names(a, b) || names(b, a))
}

// actionLines renders the newest actions that fit, oldest first.
func actionLines(actions []codememory.Action, budget int, count func(string) int) []string {
	const heading = "## Recent actions"
	budget -= lineCost(heading, count)
	var lines []string
	for _, a := range slices.Backward(actions) {
		line := actionLine(a)
		if line == "" {
			continue
		}
		budget -= lineCost(line, count)
		if budget < 0 || len(lines) == maxActions {
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Reverse(lines)
	return append([]string{heading}, lines...)
}

func actionLine(a codememory.Action) string {
	clip := func(s string) string { return entry{text: inline(s)}.clipped(actionChars) }
	line := strings.TrimSpace(clip(a.Tool) + " " + clip(a.Target))
	if line == "" {
		return ""
	}
	if result := clip(a.Result); result != "" {
		line += " → " + result
	}
	return "- " + line
}
