package history

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"codememory"
)

// turnsWanted is how many turns of five parts each the benchmark makes:
// HISTORY_TURNS=200000 is a million parts.
func turnsWanted(b *testing.B) int {
	n, err := strconv.Atoi(os.Getenv("HISTORY_TURNS"))
	if err != nil {
		return 10000
	}
	return n
}

// words draws from a vocabulary as skewed as that of real text.
type words struct {
	r *rand.Rand
	z *rand.Zipf
}

func newWords(seed uint64) words {
	r := rand.New(rand.NewPCG(seed, 1))
	return words{r, rand.NewZipf(r, 1.07, 8, 60000)}
}

func (w words) text(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString("w" + strconv.FormatUint(w.z.Uint64(), 36) + " ")
	}
	return b.String()
}

func BenchmarkMillionParts(b *testing.B) {
	n := turnsWanted(b)
	d := open(b)
	w := newWords(7)
	began := time.Now()
	batch := make([]codememory.Turn, 0, 500)
	for i := range n {
		t := turn(fmt.Sprint("s", i/20), fmt.Sprint("t", i), w.text(30), w.text(120), time.Unix(int64(i)*60, 0))
		t.Steps[0].Tool.Output = w.text(60)
		t.Steps = append(t.Steps, codememory.Step{Tool: &codememory.ToolCall{Name: "edit", Target: "internal/" + w.text(1)}}, codememory.Step{Text: w.text(40)})
		if batch = append(batch, t); len(batch) == cap(batch) || i == n-1 {
			if err := d.PutAll(b.Context(), fmt.Sprint("p", i%7), batch); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	b.Logf("%d turns (%d parts) indexed in %v", n, n*5, time.Since(began).Round(time.Millisecond))
	var took []time.Duration
	ask := newWords(99)
	b.ResetTimer()
	for range b.N {
		q := Query{Text: ask.text(8), Project: fmt.Sprint("p", ask.r.IntN(7)), Limit: 10}
		from := time.Now()
		if _, err := d.Search(b.Context(), q); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
