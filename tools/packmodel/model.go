package main

import (
	"encoding/json"
	"fmt"
	"math"

	"codememory/internal/embedding/minilm/encoder"
)

// modelSections converts the original weights and vocabulary. A model rounded
// to the nearest shows what its linear layers are fed with, which then guides
// the rounding of the final weights.
func modelSections(weights, tokenizer []byte) ([]encoder.Section, error) {
	pieces, err := vocabulary(tokenizer)
	if err != nil {
		return nil, err
	}
	t, err := openTensors(weights)
	if err != nil {
		return nil, err
	}
	rough := convert(t, pieces, nearest)
	if t.err != nil {
		return nil, t.err
	}
	packed, err := pack(rough)
	if err != nil {
		return nil, err
	}
	m, err := encoder.Load(string(packed))
	if err != nil {
		return nil, err
	}
	return convert(t, pieces, compensated(observeInputs(m))), t.err
}

func convert(t *tensors, pieces []string, round rounder) []encoder.Section {
	out := encoder.VocabularySections(pieces)
	words, scales := nearest("word", t.floats("embeddings.word_embeddings.weight"), hidden)
	out = append(out,
		encoder.Section{Name: "word.w", Data: asBytes(words)},
		encoder.FloatSection("word.scale", scales),
		encoder.FloatSection("position", positions(t)),
		encoder.FloatSection("norm", t.floats("embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias")),
	)
	for i := range encoder.Layers {
		out = append(out, layerSections(t, i, round)...)
	}
	return out
}

// positions adds the one token type in use to the position embeddings.
func positions(t *tensors) []float32 {
	p := t.floats("embeddings.position_embeddings.weight")
	kind := t.floats("embeddings.token_type_embeddings.weight")
	if t.err != nil {
		return nil
	}
	p = p[:encoder.Window*hidden]
	for i := range p {
		p[i] += kind[i%hidden]
	}
	return p
}

func layerSections(t *tensors, i int, round rounder) []encoder.Section {
	from, to := fmt.Sprintf("encoder.layer.%d.", i), fmt.Sprintf("layer%d.", i)
	self := from + "attention.self."
	qkv := t.floats(self+"query.weight", self+"key.weight", self+"value.weight")
	qkvBias := t.floats(self+"query.bias", self+"key.bias", self+"value.bias")
	if t.err != nil {
		return nil
	}
	// The attention's 1/√32 goes into the queries.
	scaleBy(qkv[:hidden*hidden], 1/math.Sqrt(32))
	scaleBy(qkvBias[:hidden], 1/math.Sqrt(32))

	var out []encoder.Section
	out = append(out, linearSections(round, to+"qkv", qkv, qkvBias)...)
	for _, l := range []struct{ to, from string }{
		{"attn", "attention.output.dense"}, {"up", "intermediate.dense"}, {"down", "output.dense"},
	} {
		out = append(out, linearSections(round, to+l.to, t.floats(from+l.from+".weight"), t.floats(from+l.from+".bias"))...)
	}
	return append(out,
		encoder.FloatSection(to+"norm1", t.floats(from+"attention.output.LayerNorm.weight", from+"attention.output.LayerNorm.bias")),
		encoder.FloatSection(to+"norm2", t.floats(from+"output.LayerNorm.weight", from+"output.LayerNorm.bias")))
}

func linearSections(round rounder, name string, w, bias []float32) []encoder.Section {
	if len(bias) == 0 {
		return nil
	}
	columns := len(w) / len(bias)
	q, scales := round(name, w, columns)
	return []encoder.Section{
		{Name: name + ".w", Data: asBytes(encoder.PackRows(q, len(bias), columns))},
		encoder.FloatSection(name+".s", scales),
		encoder.FloatSection(name+".b", bias),
	}
}

func scaleBy(v []float32, factor float64) {
	for i := range v {
		v[i] = float32(float64(v[i]) * factor)
	}
}

func asBytes(q []int8) []byte {
	b := make([]byte, len(q))
	for i, v := range q {
		b[i] = byte(v)
	}
	return b
}

func vocabulary(tokenizer []byte) ([]string, error) {
	var file struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(tokenizer, &file); err != nil {
		return nil, fmt.Errorf("read tokenizer.json: %w", err)
	}
	if len(file.Model.Vocab) != encoder.VocabSize {
		return nil, fmt.Errorf("tokenizer.json has %d pieces, not %d", len(file.Model.Vocab), encoder.VocabSize)
	}
	pieces := make([]string, encoder.VocabSize)
	for piece, id := range file.Model.Vocab {
		pieces[id] = piece
	}
	return pieces, nil
}
