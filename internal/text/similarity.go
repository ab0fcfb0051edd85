package text

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// Similarity is the normalised indel similarity of two texts, 1 for equal
// ones: twice the longest common subsequence over the sum of the lengths, in
// characters. It compares what it is given; Normalize first to ignore case
// and punctuation.
func Similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	ra, rb := []rune(a), []rune(b)
	if len(ra) == 0 || len(rb) == 0 {
		return 0
	}
	return 2 * float64(lcs(ra, rb)) / float64(len(ra)+len(rb))
}

// SimilarAtLeast reports whether Similarity(a, b) ≥ threshold. It first tries
// bounds that cost a fraction of the comparison, so it is what to use against
// many texts.
func SimilarAtLeast(a, b string, threshold float64) bool {
	return SimilarityBound(a, b) >= threshold && Similarity(a, b) >= threshold
}

// SimilarityBound is an upper bound of Similarity that takes one pass over
// each text: characters that do not occur in both cannot be common.
func SimilarityBound(a, b string) float64 {
	if a == b {
		return 1
	}
	var count [256]int32
	la, lb, common := 0, 0, int32(0)
	for _, r := range a {
		count[bucket(r)]++
		la++
	}
	for _, r := range b {
		if c := &count[bucket(r)]; *c > 0 {
			*c--
			common++
		}
		lb++
	}
	if la == 0 || lb == 0 {
		return 0
	}
	return 2 * float64(common) / float64(la+lb)
}

func bucket(r rune) uint8 { return uint8(r ^ r>>8) }

// lcs is the length of the longest common subsequence, 64 characters of a at
// a time (Hyyrö's bit-vector algorithm).
func lcs(a, b []rune) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) > 0 && a[0] == b[0] {
		n := 1
		for n < len(a) && a[n] == b[n] {
			n++
		}
		return n + lcs(a[n:], b[n:])
	}
	if len(a) == 0 {
		return 0
	}
	blocks := (len(a) + 63) / 64
	masks := make(map[rune][]uint64, 64)
	for i, r := range a {
		m := masks[r]
		if m == nil {
			m = make([]uint64, blocks)
			masks[r] = m
		}
		m[i/64] |= 1 << (i % 64)
	}
	state := make([]uint64, blocks)
	for i := range state {
		state[i] = ^uint64(0)
	}
	for _, r := range b {
		m := masks[r]
		if m == nil {
			continue
		}
		var carry uint64
		for i, v := range state {
			u := v & m[i]
			var sum uint64
			sum, carry = bits.Add64(v, u, carry)
			state[i] = sum | (v - u)
		}
	}
	n := 0
	for i, v := range state {
		if rest := len(a) - i*64; rest < 64 {
			v |= ^uint64(0) << rest
		}
		n += 64 - bits.OnesCount64(v)
	}
	return n
}

var shingleSeed = maphash.MakeSeed()

// Shingles returns the hashed word pairs of a text, sorted and distinct (the
// single word of a one-word text), to be compared within this process.
func Shingles(s string) []uint64 {
	var out []uint64
	prev := ""
	n := 0
	walk(s, func(term string, k kind) {
		if k == wordPart {
			return
		}
		if n++; n > 1 {
			out = append(out, maphash.String(shingleSeed, prev+" "+term))
		}
		prev = term
	})
	if n == 1 {
		out = append(out, maphash.String(shingleSeed, prev))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Jaccard is the share of shingles that two texts have in common.
func Jaccard(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
