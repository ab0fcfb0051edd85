package render

import (
	"slices"

	"codememory"
)

// longEntry is how many tokens an entry may take before others need the room:
// three long sentences. What is longer can be read by its id.
const longEntry = 120

// StableInput is what the stable block is made of.
type StableInput struct {
	Memories []codememory.Memory // of the project and of the user, in any order
	Budget   int                 // in tokens; 0 means DefaultStableTokens
	Tokens   func(string) int    // nil means text.Tokens
}

// Stable renders the block for the system prompt and counts its tokens. Only
// active memories of lasting interest are shown; the same memories give the
// same bytes in whatever order they come. Without any it returns "".
func Stable(in StableInput) (text string, tokens int) {
	text, tokens, _ = StableLines(in)
	return text, tokens
}

// StableLines does what Stable does and also says which memory each line is.
func StableLines(in StableInput) (text string, tokens int, shown []codememory.StableLine) {
	count := counter(in.Tokens)
	budget := in.Budget
	if budget <= 0 {
		budget = DefaultStableTokens
	}
	all := sections(in.Memories)
	frameCost := count(frame(stableOpen, stableIntro, nil))
	text, tokens = fit(budget, count, func(budget int) string {
		parts := layOut(all, budget-frameCost, count)
		shown = linesOf(all, parts)
		if len(shown) == 0 {
			return ""
		}
		return frame(stableOpen, stableIntro, joined(parts))
	})
	if text == "" {
		shown = nil
	}
	return text, tokens, shown
}

// linesOf names the memory of each line; a section shows its first entries.
func linesOf(all []section, parts [][]string) []codememory.StableLine {
	var out []codememory.StableLine
	for i, lines := range parts {
		for n, line := range lines[min(1, len(lines)):] {
			out = append(out, codememory.StableLine{Section: all[i].title, Line: line, Memory: all[i].entries[n].id})
		}
	}
	return out
}

// joined puts an empty line between the parts.
func joined(parts [][]string) []string {
	var lines []string
	for _, part := range parts {
		if len(part) > 0 && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// layOut gives each section its fair share of the budget and returns the
// lines. What a section cannot use flows to the next ones, and in a second
// round to the first.
func layOut(all []section, budget int, count func(string) int) [][]string {
	demands := make([]int, len(all))
	for i, s := range all {
		demands[i] = s.cost(count)
	}
	allowed := share(budget, demands)
	shown := make([][]string, len(all))
	used := make([]int, len(all))
	spare := 0
	for range 2 {
		for i, s := range all {
			if used[i] == demands[i] {
				continue
			}
			room := allowed[i] + spare
			shown[i], used[i] = s.within(room, count)
			spare = room - used[i]
			allowed[i] = used[i]
		}
	}
	return shown
}

func (s section) heading() string { return "## " + s.title }

// cost is what the whole section takes, with the empty line before it.
func (s section) cost(count func(string) int) int {
	total := lineCost("\n"+s.heading(), count)
	for _, e := range s.entries {
		total += lineCost(e.line(), count)
	}
	return total
}

// within returns the lines of s that fit into budget and their cost. A long
// entry is cut as far as the entries after it need the room.
func (s section) within(budget int, count func(string) int) (lines []string, used int) {
	used = lineCost("\n"+s.heading(), count)
	lines = []string{s.heading()}
	after := s.cost(count) - used
	for _, e := range s.entries {
		after -= lineCost(e.line(), count)
		left := budget - used
		line, ok := e.within(min(left, max(longEntry, left-after)), count)
		if !ok {
			break
		}
		lines = append(lines, line)
		used += lineCost(line, count)
	}
	if len(lines) == 1 {
		return nil, 0
	}
	return slices.Clip(lines), used
}
