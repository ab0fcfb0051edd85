package index

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"codememory"
	"codememory/internal/text"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ranked(t *testing.T, x *Index, q Query) []Hit {
	t.Helper()
	hits, err := x.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.BM25+b.Cosine, a.BM25+a.Cosine), strings.Compare(a.ID, b.ID))
	})
	return hits
}

func ids(hits []Hit) string {
	var s []string
	for _, h := range hits {
		s = append(s, h.ID)
	}
	return strings.Join(s, " ")
}

func words(s string) Query { return Query{Terms: text.AnalyzeQuery(s), Limit: 10} }

func TestSearchFindsWordsStemsAccentsAndIdentifiers(t *testing.T) {
	x := New(0)
	x.Put(
		Document{ID: "cache", Text: "The gateway caches refresh tokens"},
		Document{ID: "func", Text: "Call getUserName in src/auth/token.go"},
		Document{ID: "cafe", Text: "Café menu"},
		Document{ID: "cjk", Text: "我们使用PostgreSQL数据库"},
		Document{ID: "entity", Text: "It is slow", Extras: []string{"PostgreSQL"}},
	)
	for question, want := range map[string]string{
		"caching":               "cache",
		"refreshing a token":    "cache func",
		"get_user_name":         "func",
		"user name":             "func",
		"token.go":              "func cache",
		"cafe":                  "cafe",
		"数据库":                   "cjk",
		"nothing of this sort":  "",
		"":                      "",
		"postgres":              "entity cjk", // Postgre|SQL
		"postgresql":            "entity cjk",
		"src/auth/token.go":     "func cache",
		"gateway gateway cache": "cache",
	} {
		q := words(question)
		q.IDs = []string{"absent"} // also keeps the empty question from listing everything
		if got := ids(ranked(t, x, q)); got != want {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
}

func TestExtrasFindByName(t *testing.T) {
	x := New(0)
	x.Put(Document{ID: "a", Text: "one", Extras: []string{"PostgreSQL"}}, Document{ID: "b", Text: "two", Extras: []string{"redis"}})
	hits := ranked(t, x, Query{Extras: []string{"postgres"}, Limit: 5})
	if len(hits) != 1 || hits[0].ID != "a" || !hits[0].ExtraMatch {
		t.Errorf("got %+v", hits)
	}
}

func TestCoverageIsTheShareOfTheQuestionByRarity(t *testing.T) {
	x := New(0)
	x.Put(Document{ID: "a", Text: "the gateway"}, Document{ID: "b", Text: "gateway zanzibar"})
	cover := map[string]float64{}
	for _, h := range ranked(t, x, words("the gateway zanzibar")) {
		cover[h.ID] = h.Coverage
	}
	if !(cover["b"] > 0.9 && cover["b"] < 1 && cover["a"] > 0.2 && cover["a"] < 0.6) {
		t.Errorf("coverage %v", cover)
	}
}

func TestRareWordsCountInACollectionOfOne(t *testing.T) {
	x := New(0)
	x.Put(Document{ID: "a", Text: "We rotate refresh tokens because the gateway caches them"})
	common := ranked(t, x, words("we because the them"))[0]
	rare := ranked(t, x, words("rotate gateway"))[0]
	if rare.BM25 < 2*common.BM25 {
		t.Errorf("rare words score %v, common ones %v", rare.BM25, common.BM25)
	}
}

func TestDeletedAndReplacedDocumentsAreGone(t *testing.T) {
	x := New(4)
	v := []float32{1, 0, 0, 0}
	x.Put(Document{ID: "a", Text: "alpha"}, Document{ID: "b", Text: "alpha beta"})
	if err := x.PutVectors("a", [][]float32{v}); err != nil {
		t.Fatal(err)
	}
	x.Delete("a", "unknown")
	x.Put(Document{ID: "b", Text: "gamma"})
	if got := ids(ranked(t, x, Query{Terms: text.AnalyzeQuery("alpha beta"), Vector: v, Limit: 5})); got != "" {
		t.Errorf("still found: %s", got)
	}
	if got := ids(ranked(t, x, words("gamma"))); got != "b" || x.Len() != 1 || !x.Has("b") || x.Has("a") {
		t.Errorf("found %q, %d documents", got, x.Len())
	}
}

func TestBestPassageDecidesTheCosine(t *testing.T) {
	x := New(3)
	x.Put(Document{ID: "long", Text: "x"}, Document{ID: "short", Text: "y"}, Document{ID: "none", Text: "z"})
	put := func(id string, vs ...[]float32) {
		if err := x.PutVectors(id, vs); err != nil {
			t.Fatal(err)
		}
	}
	put("long", []float32{0, 1, 0}, []float32{1, 0, 0})
	put("short", []float32{0.6, 0.8, 0})
	hits := ranked(t, x, Query{Vector: []float32{1, 0, 0}, Limit: 5, IDs: []string{"none"}})
	if got := ids(hits); got != "long short none" {
		t.Fatalf("got %s", got)
	}
	if math.Abs(hits[0].Cosine-1) > 0.01 || math.Abs(hits[1].Cosine-0.6) > 0.01 || hits[2].HasVector || hits[2].Cosine != 0 {
		t.Errorf("got %+v", hits)
	}
}

func TestBadVectorsAreRefused(t *testing.T) {
	x := New(2)
	x.Put(Document{ID: "a", Text: "x"})
	nan := float32(math.NaN())
	for name, v := range map[string][]float32{"wrong dimension": {1}, "nan": {nan, 0}, "zero": {0, 0}} {
		if err := x.PutVectors("a", [][]float32{v}); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("%s: put gives %v", name, err)
		}
		if _, err := x.Search(Query{Vector: v, Limit: 1}); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("%s: search gives %v", name, err)
		}
	}
	if err := x.PutVectors("b", [][]float32{{1, 0}}); codememory.CodeOf(err) != codememory.NotFound {
		t.Errorf("unknown document gives %v", err)
	}
}

func TestFiltersSeeTheOwnersNumbers(t *testing.T) {
	x := New(2)
	for i := range 20 {
		id := fmt.Sprint(i)
		x.Put(Document{ID: id, Text: "same words", Handle: uint32(100 + i)})
		if err := x.PutVectors(id, [][]float32{{1, 0}}); err != nil {
			t.Fatal(err)
		}
	}
	q := Query{Terms: text.AnalyzeQuery("words"), Vector: []float32{1, 0}, Limit: 3, Keep: func(h uint32) bool { return h >= 118 }}
	if got := ids(ranked(t, x, q)); got != "18 19" {
		t.Errorf("got %s", got)
	}
	if got := ids(ranked(t, x, Query{Limit: 2})); got != "18 19" {
		t.Errorf("a question about nothing gives %s, want the newest", got)
	}
}

// An index after any history answers as one that was filled once.
func TestHistoryDoesNotChangeAnswers(t *testing.T) {
	vocabulary := strings.Fields("alpha beta gamma delta tokens token caching caches get_user the a of café")
	rapid.Check(t, func(rt *rapid.T) {
		x, now := New(4), map[string]string{}
		vectors := map[string][]float32{}
		steps := rapid.IntRange(1, 60).Draw(rt, "steps")
		for range steps {
			id := fmt.Sprint(rapid.IntRange(0, 8).Draw(rt, "id"))
			switch rapid.IntRange(0, 3).Draw(rt, "op") {
			case 0:
				x.Delete(id)
				delete(now, id)
				delete(vectors, id)
			case 1:
				v := []float32{1, rapid.Float32Range(-1, 1).Draw(rt, "v"), 0, 0.5}
				if _, ok := now[id]; ok {
					if err := x.PutVectors(id, [][]float32{v, {0, 1, 0, 0}}); err != nil {
						rt.Fatal(err)
					}
					vectors[id] = v
				}
			default:
				s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 8).Draw(rt, "text"), " ")
				x.Put(Document{ID: id, Text: s})
				now[id] = s
				delete(vectors, id)
			}
		}
		x.rewrite()
		fresh := New(4)
		for id, s := range now {
			fresh.Put(Document{ID: id, Text: s})
			if v, ok := vectors[id]; ok {
				if err := fresh.PutVectors(id, [][]float32{v, {0, 1, 0, 0}}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		q := Query{Terms: text.AnalyzeQuery("the alpha token cafe getUser"), Vector: []float32{1, 0.2, 0, 0.1}, Limit: 50}
		if diff := gocmp.Diff(ranked(t, fresh, q), ranked(t, x, q)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestVectorSearchFindsTheTrueNeighbours(t *testing.T) {
	const n, dim, k = 3000, 64, 10
	r := rand.New(rand.NewPCG(5, 6))
	x := New(dim)
	all := make([][]float32, n)
	for i := range all {
		all[i] = randomUnit(r, dim)
		x.Put(Document{ID: fmt.Sprint(i), Text: "t"})
		if err := x.PutVectors(fmt.Sprint(i), [][]float32{all[i]}); err != nil {
			t.Fatal(err)
		}
	}
	found, wanted := 0, 0
	for range 20 {
		q := randomUnit(r, dim)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(product(all[b], q), product(all[a], q)) })
		truth := map[string]bool{}
		for _, i := range order[:k] {
			truth[fmt.Sprint(i)] = true
		}
		for _, h := range ranked(t, x, Query{Vector: q, Limit: k}) {
			if truth[h.ID] {
				found++
			}
		}
		wanted += k
	}
	if recall := float64(found) / float64(wanted); recall < 0.97 {
		t.Errorf("recall %.3f", recall)
	}
}

func product(a, b []float32) float32 {
	var s float32
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func randomUnit(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	var sum float64
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func TestManyReadersAndAWriter(t *testing.T) {
	x := New(8)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				if g == 0 {
					id := fmt.Sprint(i % 50)
					x.Put(Document{ID: id, Text: fmt.Sprintf("document number%d about tokens", i)})
					if err := x.PutVectors(id, [][]float32{{1, 0, 0, 0, 0, 0, 0, float32(i)}}); err != nil {
						t.Error(err)
					}
					if i%7 == 0 {
						x.Delete(fmt.Sprint(i % 13))
					}
					continue
				}
				if _, err := x.Search(Query{Terms: text.AnalyzeQuery("tokens number3"), Vector: []float32{1, 0, 0, 0, 0, 0, 0, 1}, Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
