package main

import (
	_ "embed"
	"strings"

	"codememory/internal/embedding/minilm/encoder"
)

//go:embed calibration.txt
var calibrationLines string

// degenerateTexts have activations of their own: nothing, an unknown word, a
// single character, one word again and again.
var degenerateTexts = "|☃|☃ ☃ ☃|x|7|.|ok|" + strings.Repeat("test ", 60) + "|" + strings.Repeat("the data ", 120)

// calibrationTexts are single statements, groups of them (to reach the later
// positions) and texts that hardly are any.
func calibrationTexts() []string {
	const group = 22
	lines := strings.Split(strings.TrimSpace(calibrationLines), "\n")
	texts := append(strings.Split(degenerateTexts, "|"), lines...)
	for start := 0; start < len(lines); start += group {
		texts = append(texts, strings.Join(lines[start:min(start+group, len(lines))], ".\n"))
	}
	return texts
}

// observeInputs gathers the inputs of each linear layer on the calibration texts.
func observeInputs(m *encoder.Model) map[string]*moments {
	inputs := map[string]*moments{}
	var tokens int
	m.Observe(func(linear string, x []float32) {
		n := len(x) / tokens
		if inputs[linear] == nil {
			inputs[linear] = &moments{n: n, sum: make([]float64, n*n)}
		}
		for t := range tokens {
			inputs[linear].add(x[t*n:][:n])
		}
	})
	for _, text := range calibrationTexts() {
		ids := m.Wrap(m.Tokenize(m.SplitIdentifiers(text), encoder.Window-2).IDs)
		tokens = len(ids)
		m.Forward(ids, func([]float32) {})
	}
	return inputs
}
