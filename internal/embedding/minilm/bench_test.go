//go:build !nomodel

package minilm

import (
	"testing"

	"codememory/internal/embedding/minilm/encoder"
)

const (
	query10  = "how do we run the integration tests?"
	memory35 = "The payments service talks to Postgres through pgx v5 with a pool of 20 connections; never use database/sql there. It was decided in March."
	memory72 = memory35 + " The LISTEN/NOTIFY worker in internal/outbox depends on pgx.Conn, so run make test-integration with DOCKER_HOST set before touching the worker again."
)

// Each operation runs on one goroutine, so ns/op is CPU time on a quiet machine.
func BenchmarkEmbed(b *testing.B) {
	for _, kernels := range encoder.KernelNames() {
		m, err := encoder.LoadWith(packedModel, kernels)
		if err != nil {
			b.Fatal(err)
		}
		s := openSpace(b)
		s.model = m
		for _, text := range []struct{ name, text string }{{"query10", query10}, {"memory35", memory35}, {"memory72", memory72}} {
			b.Run(text.name+"/"+kernels, func(b *testing.B) {
				b.ReportAllocs()
				tokens := s.queryTokens(text.text)
				start := cpuTime()
				for b.Loop() {
					s.embed(s.queryTokens(text.text))
				}
				b.ReportMetric(float64(cpuTime()-start)/1e6/float64(b.N), "cpu-ms/op")
				b.ReportMetric(float64(len(tokens)+2), "tokens")
			})
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := loadSpace(packedModel); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTokenize(b *testing.B) {
	s := openSpace(b)
	b.ReportAllocs()
	for b.Loop() {
		s.queryTokens(memory72)
	}
}
