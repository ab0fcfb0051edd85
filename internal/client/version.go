package client

import (
	"cmp"
	"strconv"
	"strings"
)

// newer reports whether version a comes after b in the order of semantic
// versioning. A version that is none, as of a build from a working copy, is
// neither newer nor older than any: such builds replace nothing unasked.
func newer(a, b string) bool {
	x, ok := parseVersion(a)
	y, ok2 := parseVersion(b)
	return ok && ok2 && x.compare(y) > 0
}

type version struct {
	numbers [3]int
	pre     []string // empty for a release
}

func parseVersion(s string) (version, bool) {
	var v version
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "v"), "+")
	core, pre, isPre := strings.Cut(s, "-")
	parts := strings.Split(core, ".")
	if len(parts) != len(v.numbers) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return v, false
		}
		v.numbers[i] = n
	}
	if isPre {
		v.pre = strings.Split(pre, ".")
	}
	return v, true
}

func (v version) compare(w version) int {
	for i := range v.numbers {
		if c := cmp.Compare(v.numbers[i], w.numbers[i]); c != 0 {
			return c
		}
	}
	switch {
	case len(v.pre) == 0 || len(w.pre) == 0: // a release comes after its candidates
		return cmp.Compare(len(w.pre), len(v.pre))
	}
	for i := range min(len(v.pre), len(w.pre)) {
		if c := comparePre(v.pre[i], w.pre[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.pre), len(w.pre))
}

// comparePre orders numbers by value and before words.
func comparePre(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	default:
		return strings.Compare(a, b)
	}
}
