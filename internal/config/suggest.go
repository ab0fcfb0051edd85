package config

import "strings"

// suggest returns " (did you mean x?)" for the nearest of names, or nothing
// when none is near.
func suggest(wrong string, names []string) string {
	if best := nearest(wrong, names); best != "" {
		return " (did you mean " + best + "?)"
	}
	return ""
}

func nearest(wrong string, names []string) string {
	if len(wrong) > 64 {
		return ""
	}
	wrong = strings.ToLower(wrong)
	best, bestDistance := "", max(2, len(wrong)/4)+1
	for _, name := range names {
		if d := distance(wrong, strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	if best != "" {
		return best
	}
	// The right last word without its group, as in port for http.port.
	for _, name := range names {
		if strings.HasSuffix(name, "."+wrong) {
			if best != "" {
				return "" // several groups have one
			}
			best = name
		}
	}
	return best
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
