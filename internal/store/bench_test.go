package store_test

import (
	"fmt"
	"testing"

	"codememory"
	"codememory/internal/store"
	"codememory/internal/storetest"
)

// BenchmarkRebuild reads a store's text and makes its database again.
func BenchmarkRebuild(b *testing.B) {
	const n = 5000
	dir := b.TempDir()
	st, err := store.Open(b.Context(), options(dir))
	if err != nil {
		b.Fatal(err)
	}
	ms := make([]codememory.Memory, n)
	for i := range ms {
		ms[i] = storetest.Memory(i, fmt.Sprintf("The %x service retries calls of internal/pay%d/client.go because the gateway drops %d percent of them on PostgreSQL failover", i*7919, i%97, i%31))
	}
	if err := st.Save(b.Context(), ms...); err != nil {
		b.Fatal(err)
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		st, rep, err := store.Rebuild(b.Context(), options(dir))
		if err != nil || rep.Memories != n {
			b.Fatalf("%+v %v", rep, err)
		}
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/n*1000, "ms/1000-memories")
}
