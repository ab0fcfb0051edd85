package search

import (
	"codememory/internal/text"
)

// nearDuplicate is the share of word pairs in common from which two texts say
// the same to a reader.
const nearDuplicate = 0.7

// distinct returns the first limit candidates without those that nearly repeat
// a better one. Candidates whose text is not known are kept.
func distinct(pool []*candidate, texts map[*candidate]string, limit int) []*candidate {
	var kept []*candidate
	var shingles [][]uint64
	for _, c := range pool {
		if len(kept) == limit {
			break
		}
		t, ok := texts[c]
		if !ok {
			kept = append(kept, c)
			continue
		}
		own := text.Shingles(t)
		repeated := false
		for _, other := range shingles {
			if text.Jaccard(own, other) >= nearDuplicate {
				repeated = true
				break
			}
		}
		if !repeated {
			kept = append(kept, c)
			shingles = append(shingles, own)
		}
	}
	return kept
}
