package journal

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkAdd writes entries of ten sessions into one day, each synced.
func BenchmarkAdd(b *testing.B) {
	j := Open(b.TempDir(), time.UTC)
	bullets := Bullets(sampleTurn())
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := range b.N {
		if _, _, err := j.Add(Entry{Agent: "opencode", Session: fmt.Sprint("s", i%10), Turn: fmt.Sprint("t", i), Hash: "h", At: at.Add(time.Duration(i) * time.Second), Bullets: bullets}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}
