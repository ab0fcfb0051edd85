package text

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSimilarityEqualsTheIndelRatio(t *testing.T) {
	tests := []struct {
		a, b string
		want float64
	}{
		{"", "", 1},
		{"a", "", 0},
		{"abc", "abc", 1},
		{"lewenstein", "levenshtein", 2 * 9.0 / 21},
		{"this is a test", "this is a test!", 2 * 14.0 / 29},
		{"数据库", "数据", 2 * 2.0 / 5},
	}
	for _, tt := range tests {
		if got := Similarity(tt.a, tt.b); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("Similarity(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestSimilarityAgreesWithTheTextbookAndStaysBelowItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.StringOfN(rapid.RuneFrom([]rune("abcé数 ")), 0, 150, -1)
		a, b := g.Draw(t, "a"), g.Draw(t, "b")
		got := Similarity(a, b)
		ra, rb := []rune(a), []rune(b)
		want := 1.0
		if len(ra)+len(rb) > 0 {
			want = 2 * float64(slowLCS(ra, rb)) / float64(len(ra)+len(rb))
		}
		if math.Abs(got-want) > 1e-9 {
			t.Fatalf("Similarity(%q, %q) = %v, want %v", a, b, got, want)
		}
		if bound := SimilarityBound(a, b); bound < got-1e-9 {
			t.Fatalf("bound %v below %v", bound, got)
		}
	})
}

func slowLCS(a, b []rune) int {
	prev := make([]int, len(b)+1)
	for _, x := range a {
		cur := make([]int, len(b)+1)
		for j, y := range b {
			if x == y {
				cur[j+1] = prev[j] + 1
			} else {
				cur[j+1] = max(cur[j], prev[j+1])
			}
		}
		prev = cur
	}
	return prev[len(b)]
}

func TestJaccardSeesNearDuplicates(t *testing.T) {
	a := Shingles("We rotate refresh tokens because the gateway caches them.")
	b := Shingles("we rotate refresh tokens because the gateway caches them")
	c := Shingles("The gateway is written in Go.")
	if Jaccard(a, b) != 1 || Jaccard(a, c) > 0.2 || Jaccard(a, nil) != 0 {
		t.Errorf("jaccard %v %v", Jaccard(a, b), Jaccard(a, c))
	}
}

func TestNormalizeIgnoresCaseSpaceAndPunctuation(t *testing.T) {
	for in, want := range map[string]string{
		"  Use  `Redis`,\n please! ": "use redis please", "C++ > C#": "c++ > c#", "a.b/c": "a.b/c", "x - y": "x y", "run -v": "run -v", "Ｆｕｌｌ": "full", "“quoted” — dash": "quoted dash",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}
