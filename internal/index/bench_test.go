package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"codememory/internal/text"
)

// corpus makes short technical texts whose word frequencies follow Zipf's law,
// with function words, ordinary words, identifiers and paths.
type corpus struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newCorpus() *corpus {
	r := rand.New(rand.NewPCG(11, 12))
	function := strings.Fields("the to a and is of for it in that be if this with or use on are we an as not from can by will when must because")
	c := &corpus{r: r, words: function}
	syllables := strings.Fields("con fig ser ver to ken ga te way ca che da ta ba se que ry in dex mod el par ser re try log ger sto re mi gra te han dle")
	for len(c.words) < 40_000 {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		if r.IntN(5) == 0 {
			fmt.Fprintf(&b, "_%s", syllables[r.IntN(len(syllables))])
		}
		c.words = append(c.words, b.String())
	}
	c.zipf = rand.NewZipf(r, 1.1, 3, uint64(len(c.words)-1))
	return c
}

func (c *corpus) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.words[c.zipf.Uint64()])
	}
	return b.String()
}

func fill(tb testing.TB, n int) (*Index, *corpus) {
	tb.Helper()
	c := newCorpus()
	x := New(384)
	batch := make([]Document, 0, 1000)
	for i := range n {
		batch = append(batch, Document{ID: fmt.Sprintf("mem_%012d", i), Text: c.text(20 + c.r.IntN(35)), Handle: uint32(i)})
		if len(batch) == cap(batch) || i == n-1 {
			x.Put(batch...)
			batch = batch[:0]
		}
	}
	for i := range n {
		if err := x.PutVectors(fmt.Sprintf("mem_%012d", i), [][]float32{randomUnit(c.r, 384)}); err != nil {
			tb.Fatal(err)
		}
	}
	return x, c
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		x, c := fill(b, n)
		short, long := make([]Query, 64), make([]Query, 64)
		for i := range short {
			short[i] = Query{Terms: text.AnalyzeQuery(c.text(12)), Limit: 100}
			long[i] = Query{Terms: text.AnalyzeQuery(c.text(30)), Limit: 100}
		}
		vector := randomUnit(c.r, 384)
		run := func(name string, qs []Query, v []float32) {
			b.Run(fmt.Sprintf("%d documents/%s", n, name), func(b *testing.B) {
				i := 0
				start := cpuTime()
				for b.Loop() {
					q := qs[i%len(qs)]
					q.Vector = v
					if _, err := x.Search(q); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(float64((cpuTime()-start).Microseconds())/1000/float64(i), "cpu-ms/op")
			})
		}
		run("12 words", short, nil)
		run("30 words", long, nil)
		run("vector", []Query{{Limit: 100}}, vector)
		run("12 words and vector", short, vector)
	}
}

func BenchmarkPut(b *testing.B) {
	x, c := fill(b, 10_000)
	i := 0
	for b.Loop() {
		x.Put(Document{ID: fmt.Sprint("new", i), Text: c.text(35)})
		i++
	}
}

func TestMemoryStaysWithinItsBudget(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has its own memory")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x, _ := fill(t, 10_000)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := float64(after.HeapAlloc) - float64(before.HeapAlloc)
	t.Logf("10,000 documents: %.1f MB", used/1e6)
	if used > 20e6 {
		t.Errorf("10,000 documents use %.1f MB, the budget is 20", used/1e6)
	}
	if x.Len() != 10_000 || math.IsNaN(used) {
		t.Error("the index is not full")
	}
	runtime.KeepAlive(x)
}

// Leaving ordinary words out of the selection must hardly change the answer.
func TestPruningKeepsTheBestDocuments(t *testing.T) {
	c := newCorpus()
	x := New(0)
	n := 40_000
	if raceEnabled {
		n = 12_000
	}
	batch := make([]Document, n)
	for i := range batch {
		batch[i] = Document{ID: fmt.Sprint(i), Text: c.text(20 + c.r.IntN(30))}
	}
	x.Put(batch...)
	kept, total := 0, 0
	for range 30 {
		q := Query{Terms: text.AnalyzeQuery(c.text(14)), Limit: 10}
		pruned := ranked(t, x, q)
		q.Limit = x.Len() // nothing is left out when everything is wanted
		exact := ranked(t, x, q)
		best := map[string]bool{}
		for _, h := range pruned {
			best[h.ID] = true
		}
		for _, h := range exact[:min(10, len(exact))] {
			total++
			if best[h.ID] {
				kept++
			}
		}
	}
	if share := float64(kept) / float64(total); share < 0.95 {
		t.Errorf("only %.3f of the best documents are found", share)
	}
}
