package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/index"

	"github.com/google/go-cmp/cmp"
)

// shelf is a small source over the real index.
type shelf struct {
	index  *index.Index
	memory []codememory.Memory
	text   map[string]string
	states map[string][]codememory.TokenStates
	fails  error
}

func newShelf(dim int, ms ...codememory.Memory) *shelf {
	s := &shelf{index: index.New(dim), memory: ms, text: map[string]string{}, states: map[string][]codememory.TokenStates{}}
	for i, m := range ms {
		s.text[m.ID] = m.Text
		var names []string
		for _, e := range m.Entities {
			names = append(names, e.Name)
		}
		s.index.Put(index.Document{ID: m.ID, Text: m.Text, Handle: uint32(i), Extras: names})
	}
	return s
}

func (s *shelf) Candidates(_ context.Context, q codememory.CandidateQuery) ([]codememory.Candidate, error) {
	if s.fails != nil {
		return nil, s.fails
	}
	hits, err := s.index.Search(index.Query{Terms: q.Terms, Vector: q.Vector, Limit: q.Limit, IDs: q.IDs, Extras: q.Entities, Keep: func(h uint32) bool {
		m := s.memory[h]
		return (len(q.Filter.Types) == 0 || q.Filter.Types[0] == m.Type) && (q.Filter.Since.IsZero() || !m.UpdatedAt.Before(q.Filter.Since)) &&
			(len(q.Filter.Agents) == 0 || q.Filter.Agents[0] == m.Source.Agent)
	}})
	var out []codememory.Candidate
	for _, h := range hits {
		m := s.memory[h.Handle]
		out = append(out, codememory.Candidate{
			ID: h.ID, BM25: h.BM25, Coverage: h.Coverage, Cosine: h.Cosine, HasVector: h.HasVector,
			EntityMatch: h.ExtraMatch, UpdatedAt: m.UpdatedAt, Importance: m.Importance, Used: m.Usage.Used, Pinned: m.Pinned,
		})
	}
	return out, err
}

func (s *shelf) TokenStates(_ context.Context, model string, ids []string) (map[string][]codememory.TokenStates, error) {
	return s.states, nil
}

func (s *shelf) Texts(_ context.Context, ids []string) (map[string]string, error) {
	out := map[string]string{}
	for _, id := range ids {
		out[id] = s.text[id]
	}
	return out, nil
}

var today = time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)

func memory(id, text string, age int) codememory.Memory {
	return codememory.Memory{ID: id, Text: text, Importance: 0.5, Type: codememory.LearnedPattern, UpdatedAt: today.AddDate(0, 0, -age)}
}

func rank(t *testing.T, r Ranker, question string, s ...*shelf) Answer {
	t.Helper()
	var sources []Source
	for i, x := range s {
		sources = append(sources, Source{fmt.Sprint("shelf", i), x})
	}
	a, err := r.Rank(t.Context(), Request{SearchRequest: codememory.SearchRequest{Text: question}, Now: today}, sources...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func found(a Answer) string {
	var s []string
	for _, h := range a.Hits {
		s = append(s, h.ID)
	}
	return strings.Join(s, " ")
}

func TestWithoutAModelWordsAnswerAndTheAnswerSaysSo(t *testing.T) {
	s := newShelf(0, memory("tokens", "We rotate refresh tokens because the gateway caches them", 1), memory("pizza", "The office orders pizza on Friday", 2))
	a := rank(t, Ranker{}, "why does the gateway rotate refresh tokens", s)
	if found(a) != "tokens" || !a.Degraded || len(a.Reasons) == 0 {
		t.Fatalf("got %+v", a)
	}
	h := a.Hits[0]
	if h.Why.LexicalRank != 1 || h.Why.VectorRank != 0 || h.Score < Floor || h.Score > 1 {
		t.Errorf("got %+v", h)
	}
	if diff := cmp.Diff([]string{"gateway", "rotate", "refresh", "tokens"}, h.Why.Terms); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnrelatedQuestionGetsNothingAndAReason(t *testing.T) {
	s := newShelf(0, memory("tokens", "We rotate refresh tokens because the gateway caches them", 1))
	a := rank(t, Ranker{}, "what is the best thing that they can do", s)
	if len(a.Hits) != 0 || !strings.Contains(strings.Join(a.Reasons, " "), "relevant enough") {
		t.Errorf("got %+v", a)
	}
}

func TestNearDuplicatesAppearOnce(t *testing.T) {
	s := newShelf(0,
		memory("new", "We rotate refresh tokens because the gateway caches them.", 1),
		memory("old", "we rotate refresh tokens because the gateway caches them", 9),
		memory("other", "Refresh tokens live in Redis behind the gateway for a day", 3))
	if got := found(rank(t, Ranker{}, "refresh tokens gateway rotate", s)); got != "new other" {
		t.Errorf("got %q", got)
	}
}

func TestPriorsDecideBetweenEqualMatches(t *testing.T) {
	base := func(id string) codememory.Memory { return memory(id, "Deploy with make release "+id, 30) }
	tests := []struct {
		name   string
		change func(*codememory.Memory)
	}{
		{"newer", func(m *codememory.Memory) { m.UpdatedAt = today }},
		{"more important", func(m *codememory.Memory) { m.Importance = 0.9 }},
		{"used", func(m *codememory.Memory) { m.Usage.Used = 5 }},
		{"pinned", func(m *codememory.Memory) { m.Pinned = true }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := base("a"), base("b")
			tt.change(&b)
			s := newShelf(0, a, b)
			if got := rank(t, Ranker{}, "deploy make release", s).Hits[0].ID; got != "b" {
				t.Errorf("%s is first", got)
			}
		})
	}
}

func TestAskingForTheLatestLiftsTheNewest(t *testing.T) {
	old := memory("old", "Release version is 1.4: release checklist version numbers", 200)
	fresh := memory("fresh", "The release version is now 2.0 for the checklist", 0)
	s := newShelf(0, old, fresh)
	if got := rank(t, Ranker{}, "what is the latest release version", s).Hits[0].ID; got != "fresh" {
		t.Errorf("%s is first", got)
	}
}

func TestEntitiesBringTheirDocumentsWithAReason(t *testing.T) {
	m := memory("hub", "It must be restarted after every schema change", 1)
	m.Entities = []codememory.Entity{{Name: "pgbouncer", Type: codememory.EntityTool}}
	s := newShelf(0, m, memory("other", "Nothing of interest here", 1))
	a, err := (&Ranker{}).Rank(t.Context(), Request{
		SearchRequest: codememory.SearchRequest{Text: "connection pool trouble", Floor: ptr(0.0)}, Now: today, Entities: []string{"PgBouncer"},
	}, Source{"s", s})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Hits) == 0 || a.Hits[0].ID != "hub" || len(a.Hits[0].Why.Entities) != 1 {
		t.Errorf("got %+v", a)
	}
}

func ptr(f float64) *float64 { return &f }

func TestListingsAndFiltersInPlainWords(t *testing.T) {
	pref := memory("pref", "Prefers tabs", 5)
	pref.Type = codememory.Preference
	older := memory("older", "Prefers short commit messages", 20)
	older.Type = codememory.Preference
	cursor := memory("cursor", "The parser drops comments", 6)
	cursor.Source.Agent = "cursor"
	s := newShelf(0, pref, older, cursor, memory("plain", "The parser keeps comments", 40))
	for question, want := range map[string]string{
		"list all preferences":          "pref older",
		"the parser comments":           "cursor plain",
		"the parser comments in cursor": "cursor",
		"what happened last week":       "pref cursor",
	} {
		if got := found(rank(t, Ranker{}, question, s)); got != want {
			t.Errorf("%q gives %q, want %q", question, got, want)
		}
	}
}

func TestSourcesArePooledAndAFailingOneIsNamed(t *testing.T) {
	project := newShelf(0, memory("p", "The gateway caches tokens", 1))
	user := newShelf(0, memory("u", "The user likes the gateway tokens page", 1))
	if got := rank(t, Ranker{}, "gateway tokens", project, user); len(got.Hits) != 2 || got.Hits[0].Source == got.Hits[1].Source {
		t.Errorf("got %+v", got)
	}
	user.fails = errors.New("disk gone")
	a := rank(t, Ranker{}, "gateway tokens", project, user)
	if found(a) != "p" || !strings.Contains(strings.Join(a.Reasons, " "), "disk gone") {
		t.Errorf("got %+v", a)
	}
	if _, err := (&Ranker{}).Rank(t.Context(), Request{SearchRequest: codememory.SearchRequest{Text: "gateway"}}, Source{"u", user}); err == nil {
		t.Error("a search that reached nothing succeeded")
	}
}

// fakeModel embeds texts as given directions, to test what is done with vectors.
type fakeModel struct {
	vectors map[string][]float32
	err     error
}

func (f fakeModel) Model() codememory.EmbeddingModel {
	return codememory.EmbeddingModel{ID: "fake", Dim: 4, Thresholds: codememory.Thresholds{Relevant: 0.5}}
}

func (f fakeModel) EmbedQuery(_ context.Context, s string) (codememory.Embedding, error) {
	return codememory.Embedding{Vector: f.vectors[s]}, f.err
}

func (f fakeModel) EmbedDocuments(context.Context, []string) ([][]codememory.Embedding, error) {
	return nil, errors.New("not used")
}

func TestVectorsFindWhatSharesNoWord(t *testing.T) {
	s := newShelf(4, memory("near", "alpha", 1), memory("far", "beta", 1))
	for id, v := range map[string][]float32{"near": {1, 0.1, 0, 0}, "far": {0, 0, 1, 0}} {
		if err := s.index.PutVectors(id, [][]float32{v}); err != nil {
			t.Fatal(err)
		}
	}
	m := fakeModel{vectors: map[string][]float32{"question": {1, 0, 0, 0}}}
	for _, o := range []Options{{}, {Fusion: Reciprocal}, {Alpha: 0.9, RerankDepth: -1}} {
		a := rank(t, Ranker{Embedder: m, Options: o}, "question", s)
		if found(a) != "near" || a.Degraded || a.Hits[0].Why.VectorRank != 1 {
			t.Errorf("%+v gives %+v", o, a)
		}
	}
	m.err = errors.New("no network")
	if a := rank(t, Ranker{Embedder: m}, "alpha", s); found(a) != "near" || !a.Degraded {
		t.Errorf("without the model: %+v", a)
	}
}

func TestScoresFallWithRank(t *testing.T) {
	hits := []Hit{{Score: 0.6}, {Score: 0.9}, {Score: 0.9}, {Score: 0.2}, {Score: 0.3}}
	smooth(hits)
	var got []string
	for _, h := range hits {
		got = append(got, fmt.Sprintf("%.2f", h.Score))
	}
	if diff := cmp.Diff([]string{"0.80", "0.80", "0.80", "0.25", "0.25"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTokenMatchRewardsEveryWordOfTheQuestion(t *testing.T) {
	q := codememory.TokenStates{Data: []int8{100, 0, 0, 0, 100, 0}, Weights: []float32{1, 1}}
	both := []codememory.TokenStates{{Data: []int8{0, 50, 0}}, {Data: []int8{90, 0, 0}}}
	one := []codememory.TokenStates{{Data: []int8{90, 0, 0}}}
	a, ok := TokenMatch(q, both, 3)
	b, _ := TokenMatch(q, one, 3)
	if !ok || a < 0.99 || b < 0.49 || b > 0.51 {
		t.Errorf("both %v, one %v", a, b)
	}
	if _, ok := TokenMatch(q, nil, 3); ok {
		t.Error("nothing matched")
	}
}

func BenchmarkRank(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		words := strings.Fields("gateway token cache parser index query server retry timeout schema migration worker queue socket handler config session cookie header payload")
		x := newShelf(0)
		var docs []index.Document
		for i := range n {
			m := memory(fmt.Sprint(i), fmt.Sprintf("The %s of module%d uses the %s and part%d", words[i%20], i%997, words[(i/20)%20], i%311), i%90)
			x.memory = append(x.memory, m)
			x.text[m.ID] = m.Text
			docs = append(docs, index.Document{ID: m.ID, Text: m.Text, Handle: uint32(i)})
		}
		x.index.Put(docs...)
		b.Run(fmt.Sprintf("%d memories", n), func(b *testing.B) {
			r := Ranker{}
			for b.Loop() {
				if _, err := r.Rank(b.Context(), Request{SearchRequest: codememory.SearchRequest{Text: "why does the gateway of module17 use the cache", Literal: true}}, Source{"s", x}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
