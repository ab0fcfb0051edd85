//go:build !nomodel

package minilm

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"codememory/internal/embedding/minilm/encoder"
)

type goldenText struct {
	Text   string    `json:"text"`
	Vector []float32 `json:"vector"`
}

func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line T
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s line %d: %v", path, len(out)+1, err)
		}
		out = append(out, line)
	}
	if lines.Err() != nil || len(out) == 0 {
		t.Fatalf("%s: %d lines, %v", path, len(out), lines.Err())
	}
	return out
}

func openSpace(t testing.TB) *space {
	t.Helper()
	s, err := loadSpace(packedModel)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rawVector is the text's vector as the original model gives it: without
// splitting identifiers.
func (s *space) rawVector(text string) []float32 {
	v := make([]float32, encoder.Hidden)
	ids := s.model.Tokenize(text, passageTokens).IDs
	s.model.Forward(s.model.Wrap(ids), func(states []float32) { pool(v, states) })
	return v
}

func TestVectorsAgreeWithTheOriginalModel(t *testing.T) {
	s := openSpace(t)
	for _, kernels := range encoder.KernelNames() {
		t.Run(kernels, func(t *testing.T) {
			m, err := encoder.LoadWith(packedModel, kernels)
			if err != nil {
				t.Fatal(err)
			}
			s := &space{model: m, projection: s.projection, weights: s.weights}
			worst, sum, n := 1.0, 0.0, 0
			for _, golden := range readLines[goldenText](t, "testdata/golden.jsonl") {
				if kernels == "go" && (len(golden.Text) > 60 || n == 8) {
					continue // the plain loops take a second for a long text
				}
				cosine := float64(dot(s.rawVector(golden.Text), golden.Vector))
				if cosine < 0.999 {
					t.Errorf("cosine %.5f for %.60q", cosine, golden.Text)
				}
				worst, sum, n = min(worst, cosine), sum+cosine, n+1
			}
			t.Logf("%d texts: mean cosine %.5f, worst %.5f", n, sum/float64(n), worst)
		})
	}
}
