package render

import (
	"fmt"
	"testing"

	"codememory"
)

func BenchmarkHUD(b *testing.B) {
	in := HUDInput{Hits: hits(20, "f", "The pool pings every 30 s because staging drops idle connections <60 s>."), Pinned: hits(3, "b", "Answer tersely.")}
	for b.Loop() {
		HUD(in)
	}
}

func BenchmarkStableOf10000(b *testing.B) {
	var ms []codememory.Memory
	for i := range 10_000 {
		ms = append(ms, memory(fmt.Sprintf("%08d", i), codememory.Types[i%len(codememory.Types)], 1+i%28, "The pool pings every 30 s because staging drops idle connections."))
	}
	for b.Loop() {
		Stable(StableInput{Memories: ms})
	}
}
