package service_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/embedding/minilm"
	"codememory/internal/paths"
	"codememory/internal/service"
)

// wordEmbedder makes vectors from words, in the shape and with the thresholds of
// the real model, at no cost: what is measured is what is done with them.
type wordEmbedder struct{}

func (wordEmbedder) Model() codememory.EmbeddingModel {
	m := minilm.New().Model()
	m.ID, m.TokenDim = "words/1", 0
	return m
}

func (e wordEmbedder) EmbedQuery(_ context.Context, text string) (codememory.Embedding, error) {
	v := make([]float32, e.Model().Dim)
	for _, w := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New64a()
		h.Write([]byte(w))
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += float32(r.NormFloat64())
		}
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return codememory.Embedding{Vector: v}, nil
}

func (e wordEmbedder) EmbedDocuments(ctx context.Context, texts []string) ([][]codememory.Embedding, error) {
	out := make([][]codememory.Embedding, len(texts))
	for i, t := range texts {
		v, err := e.EmbedQuery(ctx, t)
		if err != nil {
			return nil, err
		}
		out[i] = []codememory.Embedding{v}
	}
	return out, nil
}

// note makes the n-th of many texts; about one in twenty says what the one
// before it says.
func note(n int) string {
	r := rand.New(rand.NewPCG(uint64(n-n%20/19), 5))
	word := func() string { // letters only: a number is a value, not a subject
		w := []byte("zu")
		for k := int(math.Pow(20000, r.Float64())); k > 0; k /= 20 {
			w = append(w, "bcdfghjklmnpqrstvwxz"[k%20], 'a')
		}
		return string(w)
	}
	text := "The " + word()
	for range 8 + r.IntN(10) {
		text += " " + word()
	}
	if n%20 == 19 {
		return strings.ToUpper(text[:5]) + text[5:] + "!"
	}
	return text
}

func benchService(b *testing.B, memories int) (*service.Service, string) {
	b.Helper()
	loaded, err := config.Load(config.Sources{})
	if err != nil {
		b.Fatal(err)
	}
	data, dir := b.TempDir(), b.TempDir()
	svc, err := service.Open(b.Context(), service.Options{
		Layout: paths.Layout{Data: data, State: filepath.Join(data, "state"), ConfigFile: filepath.Join(data, "config.toml")},
		Config: loaded, Version: "bench", Embedder: wordEmbedder{},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := svc.Close(); err != nil {
			b.Error(err)
		}
	})
	for at := 0; at < memories; at += 1000 {
		rs := make([]codememory.AddRequest, min(1000, memories-at))
		for i := range rs {
			rs[i] = codememory.AddRequest{Project: dir, Text: note(at + i), Verbatim: true}
		}
		if _, err := svc.AddMany(b.Context(), rs); err != nil {
			b.Fatal(err)
		}
	}
	// All vectors are there before the clock runs.
	if _, err := svc.Consolidate(b.Context(), codememory.ConsolidateRequest{Project: dir, DryRun: true}); err != nil {
		b.Fatal(err)
	}
	return svc, dir
}

// BenchmarkConsolidate10000 is the first upkeep of a store of 10,000 memories of
// which every twentieth is a duplicate, without changing it.
func BenchmarkConsolidate10000(b *testing.B) {
	svc, dir := benchService(b, 10_000)
	for b.Loop() {
		reps, err := svc.Consolidate(b.Context(), codememory.ConsolidateRequest{Project: dir, DryRun: true})
		if err != nil {
			b.Fatal(err)
		}
		if n := len(reps[0].Merged); n < 450 {
			b.Fatalf("found %d of 500 duplicates", n)
		}
	}
}

// BenchmarkDedupe is what finding out costs that a text is known in other words;
// embedding the text is not in it.
func BenchmarkDedupe(b *testing.B) {
	for _, size := range []int{20_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchDedupe(b, size) })
	}
}

func benchDedupe(b *testing.B, memories int) {
	svc, dir := benchService(b, memories)
	n := 0
	for b.Loop() {
		res, err := svc.Add(b.Context(), codememory.AddRequest{Project: dir, Text: "the " + strings.TrimPrefix(note(n*20+1), "The ") + " the"})
		if err != nil {
			b.Fatal(err)
		}
		if res.Event != codememory.Unchanged {
			b.Fatalf("%q was stored again: %s %s", note(n*20+1), res.Event, res.Reason)
		}
		n++
	}
}
