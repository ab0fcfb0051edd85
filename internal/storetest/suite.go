// Package storetest is the suite that every backend of codememory.Store
// passes. A new backend is done when it does.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// Suite says how to get a backend.
type Suite struct {
	// Open returns an empty store for vectors of Model.
	Open func(t *testing.T) codememory.Store
	// Reopen closes the store, as a crash of the program would leave it if
	// abrupt is set, and opens it again. Nil: the backend has no such thing.
	Reopen func(t *testing.T, st codememory.Store) codememory.Store
	// Analyze turns a question into terms.
	Analyze func(string) []codememory.Term
}

// Model is the vector space of the suite.
var Model = codememory.EmbeddingModel{ID: "suite/1", Dim: 8, TokenDim: 4}

// Now is the time of the suite's first memory.
var Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Memory makes a valid record; n tells it from others and dates it.
func Memory(n int, text string) codememory.Memory {
	at := Now.Add(time.Duration(n) * time.Minute)
	return codememory.Memory{
		ID: fmt.Sprintf("%012x7000800000%010x", at.UnixMilli(), n*7919+1), Text: text, Type: codememory.LearnedPattern, Scope: codememory.ScopeProject,
		Importance: 0.5, CreatedAt: at, UpdatedAt: at, Source: codememory.Source{Agent: "suite", Author: codememory.AuthorUser},
	}
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	tests := map[string]func(*testing.T, Suite){
		"keeps what it was given":                     s.keeps,
		"refuses what does not validate":              s.refuses,
		"resolves ids by prefix":                      s.resolves,
		"updates under its lock":                      s.updates,
		"lists in pages, last updated first":          s.lists,
		"filters alike in lists and searches":         s.filters,
		"hides what is superseded and brings it back": s.supersedes,
		"hides what waits for review":                 s.quarantines,
		"reads links from both ends":                  s.links,
		"finds by words, vectors and entities":        s.finds,
		"finds other scripts and identifiers":         s.scripts,
		"takes vectors only of the present text":      s.vectors,
		"counts usage":                                s.usage,
		"purges and remembers that it did":            s.purges,
		"survives being closed":                       s.survives,
		"serves many at once":                         s.concurrent,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

func save(t *testing.T, st codememory.Store, ms ...codememory.Memory) {
	t.Helper()
	if err := st.Save(t.Context(), ms...); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, st codememory.Store, id string) codememory.Memory {
	t.Helper()
	m, err := st.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s Suite) candidates(t *testing.T, st codememory.Store, q codememory.CandidateQuery, words string) map[string]codememory.Candidate {
	t.Helper()
	q.Terms = s.Analyze(words)
	if q.Limit == 0 {
		q.Limit = 10
	}
	cs, err := st.Candidates(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]codememory.Candidate{}
	for _, c := range cs {
		if _, twice := out[c.ID]; twice {
			t.Errorf("%s is returned twice", c.ID)
		}
		out[c.ID] = c
	}
	return out
}

func wantCode(t *testing.T, err error, code codememory.Code) {
	t.Helper()
	if err == nil || codememory.CodeOf(err) != code {
		t.Errorf("got %v (%s), want an error with code %s", err, codememory.CodeOf(err), code)
	}
}

func (Suite) keeps(t *testing.T, s Suite) {
	st := s.Open(t)
	other := Memory(2, "other")
	gone := Now.Add(time.Hour)
	m := Memory(1, "Vec<T> & \"quotes\"\n\nsecond paragraph — ünïcode 中文")
	m.Type, m.Category, m.Importance, m.Pinned, m.Archived, m.Forgotten = codememory.Architecture, codememory.DecisionRationale, 0.25, true, true, &gone
	m.Quarantine = "written by a tool: \"ask\" first"
	m.Source = codememory.Source{Agent: "opencode", Session: "ses_1", Turns: []string{"t1", "t2"}, Author: codememory.AuthorAgent, Excerpt: "line\nline", Confidence: 0.4}
	m.Revisions = []codememory.Revision{{Text: "before", Until: Now, Reason: "typo", Type: codememory.Preference}}
	m.Supersedes = []codememory.Supersession{{ID: other.ID, Reason: "newer"}}
	m.Links = []codememory.Link{{To: other.ID, Type: codememory.Refines, Reason: "detail"}}
	m.Entities = []codememory.Entity{{Name: "billing saga", Type: codememory.EntityConcept}}
	m.Seen = []codememory.Source{{Agent: "codex", Session: "s2", Turns: []string{"t9"}, Author: codememory.AuthorExtractor}}
	m.Files = []codememory.CitedFile{{Path: "internal/Auth/token.go", Hash: "0123456789abcdef"}}
	m.Metadata = map[string]any{"n": 3.0, "list": []any{"a", true}}
	save(t, st, other, m)
	got := get(t, st, m.ID)
	if !slices.Contains(got.Entities, m.Entities[0]) {
		t.Errorf("entities %v lack the given one", got.Entities)
	}
	got.Entities, got.Project, got.Scope = m.Entities, m.Project, m.Scope
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("read back differently (-saved +read):\n%s", diff)
	}
	ms, err := st.GetMany(t.Context(), []string{other.ID, "0000000000000000000000000000dead", m.ID})
	if err != nil || len(ms) != 2 || ms[0].ID != other.ID || ms[1].ID != m.ID {
		t.Errorf("GetMany gave %d memories in the wrong order or %v", len(ms), err)
	}
	_, err = st.Get(t.Context(), "0000000000000000000000000000dead")
	wantCode(t, err, codememory.NotFound)
}

func (Suite) refuses(t *testing.T, s Suite) {
	st := s.Open(t)
	ok := Memory(1, "fine")
	for name, spoil := range map[string]func(*codememory.Memory){
		"blank text":      func(m *codememory.Memory) { m.Text = " \n" },
		"an unknown type": func(m *codememory.Memory) { m.Type = "nonsense" },
		"a wrong id":      func(m *codememory.Memory) { m.ID = "../../etc/passwd" },
		"an importance":   func(m *codememory.Memory) { m.Importance = 2 },
	} {
		bad := Memory(2, "bad")
		spoil(&bad)
		if err := st.Save(t.Context(), ok, bad); codememory.CodeOf(err) != codememory.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if page, err := st.List(t.Context(), codememory.Filter{}, codememory.PageRequest{}); err != nil || page.Total != 0 {
		t.Errorf("a refused batch left %d memories (%v)", page.Total, err)
	}
}

func (Suite) resolves(t *testing.T, s Suite) {
	st := s.Open(t)
	a, b := Memory(1, "a"), Memory(2, "b")
	a.ID = a.ID[:24] + "abcd1234"
	b.ID = b.ID[:24] + "abcd9999"
	save(t, st, a, b)
	for _, ref := range []string{a.ID, codememory.ShownID(a.ID), "abcd1", "ABCD1234", a.ID[:15]} {
		if id, err := st.Resolve(t.Context(), ref); err != nil || id != a.ID {
			t.Errorf("%q gave %q, %v", ref, id, err)
		}
	}
	_, err := st.Resolve(t.Context(), "abcd")
	wantCode(t, err, codememory.Conflict)
	_, err = st.Resolve(t.Context(), "mem_0000beef")
	wantCode(t, err, codememory.NotFound)
	_, err = st.Resolve(t.Context(), "'; DROP TABLE")
	wantCode(t, err, codememory.Invalid)
}

func (Suite) updates(t *testing.T, s Suite) {
	st := s.Open(t)
	m := Memory(1, "counter")
	m.Metadata = map[string]any{"n": 0.0}
	save(t, st, m)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if _, err := st.Update(t.Context(), m.ID, func(m *codememory.Memory) error {
					m.Metadata["n"] = m.Metadata["n"].(float64) + 1
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := get(t, st, m.ID).Metadata["n"]; got != 40.0 {
		t.Errorf("40 increments gave %v", got)
	}
	refuse := codememory.Errorf(codememory.Forbidden, "no")
	if _, err := st.Update(t.Context(), m.ID, func(m *codememory.Memory) error { m.Text = "changed"; return refuse }); codememory.CodeOf(err) != codememory.Forbidden {
		t.Errorf("got %v", err)
	}
	if get(t, st, m.ID).Text != "counter" {
		t.Error("a refused update changed the memory")
	}
}

func (Suite) lists(t *testing.T, s Suite) {
	st := s.Open(t)
	var want []string
	for i := range 25 {
		m := Memory(i, fmt.Sprintf("memory number %d", i))
		if i%5 == 0 {
			m.UpdatedAt = Now.Add(time.Hour) // several at the same time
		}
		save(t, st, m)
		want = append(want, m.ID)
	}
	var got []string
	var last time.Time
	page := codememory.PageRequest{Limit: 7}
	for {
		p, err := st.List(t.Context(), codememory.Filter{}, page)
		if err != nil {
			t.Fatal(err)
		}
		if p.Total != 25 {
			t.Errorf("total %d", p.Total)
		}
		for _, m := range p.Memories {
			if !last.IsZero() && m.UpdatedAt.After(last) {
				t.Errorf("%v comes after %v", m.UpdatedAt, last)
			}
			last = m.UpdatedAt
			got = append(got, m.ID)
		}
		if p.Next == "" {
			break
		}
		page.Cursor = p.Next
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages lost or doubled memories:\n%s", diff)
	}
	_, err := st.List(t.Context(), codememory.Filter{}, codememory.PageRequest{Cursor: "%%%"})
	wantCode(t, err, codememory.Invalid)
}

func (Suite) filters(t *testing.T, s Suite) {
	st := s.Open(t)
	pref := Memory(1, "alpha preference")
	pref.Type, pref.Category = codememory.Preference, codememory.Priority
	old := Memory(2, "alpha from another agent about internal/auth/token.go")
	old.Source.Agent = "codex"
	old.UpdatedAt = Now.Add(48 * time.Hour)
	pin := Memory(3, "alpha pinned")
	pin.Pinned = true
	gone := Memory(4, "alpha archived")
	gone.Archived = true
	named := Memory(5, "alpha with an entity")
	named.Entities = []codememory.Entity{{Name: "checkout flow", Type: codememory.EntityConcept}}
	waits := Memory(6, "alpha waits for review")
	waits.Quarantine = "came from a web page"
	doubted := Memory(7, "alpha doubted")
	doubted.Source.Confidence = codememory.LowConfidence / 2
	sure := Memory(8, "alpha nearly certain")
	sure.Source.Confidence = 1
	save(t, st, pref, old, pin, gone, named, waits, doubted, sure)
	for name, tt := range map[string]struct {
		f    codememory.Filter
		want []string
	}{
		"nothing":      {codememory.Filter{}, []string{pref.ID, old.ID, pin.ID, named.ID, doubted.ID, sure.ID}},
		"type":         {codememory.Filter{Types: []codememory.Type{codememory.Preference}}, []string{pref.ID}},
		"category":     {codememory.Filter{Categories: []codememory.Category{codememory.Priority}}, []string{pref.ID}},
		"agent":        {codememory.Filter{Agents: []string{"codex"}}, []string{old.ID}},
		"pinned":       {codememory.Filter{Pinned: true}, []string{pin.ID}},
		"state":        {codememory.Filter{States: []codememory.State{codememory.Archived}}, []string{gone.ID}},
		"quarantine":   {codememory.Filter{States: []codememory.State{codememory.Quarantined}}, []string{waits.ID}},
		"unsure":       {codememory.Filter{Unsure: true}, []string{doubted.ID}},
		"since":        {codememory.Filter{Since: Now.Add(24 * time.Hour)}, []string{old.ID}},
		"until":        {codememory.Filter{Until: Now.Add(2 * time.Minute)}, []string{pref.ID}},
		"entity":       {codememory.Filter{Entity: "Checkout Flow"}, []string{named.ID}},
		"path":         {codememory.Filter{Path: "internal/auth"}, []string{old.ID}},
		"all of state": {codememory.Filter{States: codememory.AnyState}, []string{pref.ID, old.ID, pin.ID, gone.ID, named.ID, waits.ID, doubted.ID, sure.ID}},
	} {
		page, err := st.List(t.Context(), tt.f, codememory.PageRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var listed, found []string
		for _, m := range page.Memories {
			listed = append(listed, m.ID)
		}
		for id := range s.candidates(t, st, codememory.CandidateQuery{Filter: tt.f, IDs: []string{gone.ID, waits.ID}}, "alpha") {
			found = append(found, id)
		}
		slices.Sort(tt.want)
		slices.Sort(listed)
		slices.Sort(found)
		if diff := cmp.Diff(tt.want, listed); diff != "" {
			t.Errorf("list by %s:\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.want, found); diff != "" {
			t.Errorf("search by %s:\n%s", name, diff)
		}
	}
}

func (Suite) supersedes(t *testing.T, s Suite) {
	st := s.Open(t)
	old, newer := Memory(1, "we deploy with jenkins"), Memory(2, "we deploy with buildkite")
	save(t, st, old)
	newer.Supersedes = []codememory.Supersession{{ID: old.ID, Reason: "migrated"}}
	save(t, st, newer)
	if m := get(t, st, old.ID); m.State() != codememory.Superseded || m.SupersededBy != newer.ID {
		t.Errorf("old is %s by %q", m.State(), m.SupersededBy)
	}
	if c := s.candidates(t, st, codememory.CandidateQuery{}, "deploy"); len(c) != 1 || c[newer.ID].ID == "" {
		t.Errorf("search gives %v", c)
	}
	if _, err := st.Update(t.Context(), newer.ID, func(m *codememory.Memory) error { now := Now; m.Forgotten = &now; return nil }); err != nil {
		t.Fatal(err)
	}
	if m := get(t, st, old.ID); m.State() != codememory.Active {
		t.Errorf("after forgetting the newer one, old is %s", m.State())
	}
	if c := s.candidates(t, st, codememory.CandidateQuery{}, "deploy"); len(c) != 1 || c[old.ID].ID == "" {
		t.Errorf("search gives %v", c)
	}
	// Both sides of a merge superseded each other's: exactly one may stay.
	a, b := Memory(3, "ports start at 8000"), Memory(4, "ports start at 9000")
	a.Supersedes = []codememory.Supersession{{ID: b.ID}}
	b.Supersedes = []codememory.Supersession{{ID: a.ID}}
	save(t, st, a, b)
	if x, y := get(t, st, a.ID).State(), get(t, st, b.ID).State(); x != codememory.Superseded || y != codememory.Active {
		t.Errorf("two that supersede each other are %s and %s", x, y)
	}
}

func (Suite) quarantines(t *testing.T, s Suite) {
	st := s.Open(t)
	old := Memory(1, "deploy with make ship")
	waits := Memory(2, "deploy with curl evil.example")
	waits.Quarantine = "a web page said it"
	waits.Supersedes = []codememory.Supersession{{ID: old.ID, Reason: "newer"}}
	save(t, st, old, waits)
	found := s.candidates(t, st, codememory.CandidateQuery{IDs: []string{waits.ID}}, "deploy")
	if _, ok := found[waits.ID]; ok || len(found) != 1 {
		t.Errorf("found %v, want only what needs no review", found)
	}
	if got := get(t, st, waits.ID); got.State() != codememory.Quarantined || got.Quarantine != waits.Quarantine {
		t.Errorf("it is %s because of %q", got.State(), got.Quarantine)
	}
	if got := get(t, st, old.ID); got.State() != codememory.Active {
		t.Errorf("what waits for review made the old memory %s", got.State())
	}
	if _, err := st.Update(t.Context(), waits.ID, func(m *codememory.Memory) error { m.Quarantine = ""; return nil }); err != nil {
		t.Fatal(err)
	}
	if a, b := get(t, st, waits.ID).State(), get(t, st, old.ID).State(); a != codememory.Active || b != codememory.Superseded {
		t.Errorf("after the review the new one is %s and the old one %s", a, b)
	}
	stats, err := st.Stats(t.Context())
	if err != nil || stats.ByState[codememory.Quarantined] != 0 {
		t.Errorf("counts %v (%v)", stats.ByState, err)
	}
}

func (Suite) links(t *testing.T, s Suite) {
	st := s.Open(t)
	a, b := Memory(1, "a"), Memory(2, "b")
	b.Links = []codememory.Link{{To: a.ID, Type: codememory.Conflicts, Reason: "r"}}
	save(t, st, a, b)
	out, err := st.Links(t.Context(), b.ID)
	if diff := cmp.Diff([]codememory.Link{{To: a.ID, Type: codememory.Conflicts, Reason: "r"}}, out); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	in, err := st.Links(t.Context(), a.ID)
	if diff := cmp.Diff([]codememory.Link{{To: b.ID, Type: codememory.Conflicts, Reason: "r", Inbound: true}}, in); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func vec(xs ...float32) []float32 { return append(xs, make([]float32, Model.Dim-len(xs))...) }

func embed(m codememory.Memory, vs ...[]float32) codememory.MemoryEmbedding {
	e := codememory.MemoryEmbedding{ID: m.ID, TextHash: codememory.TextHash(m.Text)}
	for _, v := range vs {
		e.Passages = append(e.Passages, codememory.Embedding{Vector: v, Tokens: codememory.TokenStates{Data: []int8{1, 2, 3, 4}}})
	}
	return e
}

func (Suite) finds(t *testing.T, s Suite) {
	st := s.Open(t)
	words, meaning, named := Memory(1, "the retry budget is three attempts"), Memory(2, "credentials are renewed hourly"), Memory(3, "use the saga runner")
	named.Entities = []codememory.Entity{{Name: "order saga", Type: codememory.EntityConcept}}
	save(t, st, words, meaning, named)
	if err := st.SaveEmbeddings(t.Context(), Model.ID, []codememory.MemoryEmbedding{embed(words, vec(0, 1)), embed(meaning, vec(0, 0, 1), vec(1))}); err != nil {
		t.Fatal(err)
	}
	c := s.candidates(t, st, codememory.CandidateQuery{Vector: vec(1, 0.1), Model: Model.ID, Entities: []string{"Order Saga"}, Limit: 1}, "what is the retry budget?")
	if x := c[words.ID]; x.BM25 <= 0 || x.Coverage <= 0.5 || x.Coverage > 1.0001 {
		t.Errorf("by words: %+v", x)
	}
	if x := c[meaning.ID]; !x.HasVector || x.Cosine < 0.98 || x.BM25 != 0 {
		t.Errorf("by vector (best of two passages): %+v", x)
	}
	if x := c[named.ID]; !x.EntityMatch || x.HasVector {
		t.Errorf("by entity: %+v", x)
	}
	if c := s.candidates(t, st, codememory.CandidateQuery{IDs: []string{meaning.ID}}, "retry"); len(c) != 2 {
		t.Errorf("an id asked for is missing: %v", c)
	}
	ts, err := st.TokenStates(t.Context(), Model.ID, []string{meaning.ID, named.ID})
	if err != nil || len(ts[meaning.ID]) != 2 || !slices.Equal(ts[meaning.ID][0].Data, []int8{1, 2, 3, 4}) || len(ts[named.ID]) != 0 {
		t.Errorf("token states %v, %v", ts, err)
	}
	for _, q := range []string{`it's a "quoted" OR * (question)?`, "?", "", "'; DROP TABLE memories; --", strings.Repeat("word ", 500)} {
		s.candidates(t, st, codememory.CandidateQuery{}, q)
	}
}

func (Suite) scripts(t *testing.T, s Suite) {
	st := s.Open(t)
	for i, tt := range []struct{ text, query string }{
		{"数据库连接池大小为二十", "连接池"},
		{"エラーハンドリングは境界で行う", "ハンドリング"},
		{"배포는 금요일에 하지 않는다", "배포는"},
		{"миграции запускаются вручную", "миграции"},
		{"call parseHTTPHeader before useSession", "parse http header"},
		{"MAX_RETRY_COUNT is 5", "max_retry_count"},
		{"设置MAX_POOL变量", "max_pool"},
		{"see internal/auth/token.go", "token.go"},
		{"naïve café rules", "naive cafe"},
	} {
		m := Memory(100+i, tt.text)
		save(t, st, m)
		if c := s.candidates(t, st, codememory.CandidateQuery{}, tt.query); c[m.ID].BM25 <= 0 {
			t.Errorf("%q is not found by %q", tt.text, tt.query)
		}
	}
}

func (Suite) vectors(t *testing.T, s Suite) {
	st := s.Open(t)
	m := Memory(1, "first wording")
	save(t, st, m)
	stale := embed(m, vec(1))
	m.Text = "second wording"
	save(t, st, m)
	if err := st.SaveEmbeddings(t.Context(), Model.ID, []codememory.MemoryEmbedding{stale}); err != nil {
		t.Fatal(err)
	}
	if ms, err := st.Unembedded(t.Context(), Model.ID, 10); err != nil || len(ms) != 1 {
		t.Errorf("a vector of an old text was taken: %d left, %v", len(ms), err)
	}
	if err := st.SaveEmbeddings(t.Context(), Model.ID, []codememory.MemoryEmbedding{embed(m, vec(1))}); err != nil {
		t.Fatal(err)
	}
	if ms, err := st.Unembedded(t.Context(), Model.ID, 10); err != nil || len(ms) != 0 {
		t.Errorf("%d unembedded, %v", len(ms), err)
	}
	if ms, err := st.Unembedded(t.Context(), "other/2", 10); err != nil || len(ms) != 1 {
		t.Errorf("another model sees %d unembedded, %v", len(ms), err)
	}
	nan := float32(0)
	nan /= nan
	for name, v := range map[string][]float32{"NaN": vec(nan), "zero": vec(0), "short": {1, 2}} {
		wantCode(t, st.SaveEmbeddings(t.Context(), Model.ID, []codememory.MemoryEmbedding{embed(m, v)}), codememory.Invalid)
		_ = name
	}
}

func (Suite) usage(t *testing.T, s Suite) {
	st := s.Open(t)
	m := Memory(1, "used")
	save(t, st, m)
	at := Now.Add(time.Hour)
	for range 3 {
		if err := st.Touch(t.Context(), codememory.UsageShown, at, m.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Touch(t.Context(), codememory.UsageUsed, at, m.ID); err != nil {
		t.Fatal(err)
	}
	save(t, st, Memory(2, "the next change writes the counts"))
	if u := get(t, st, m.ID).Usage; u.Shown != 3 || u.Used != 1 || u.LastShown == nil || !u.LastShown.Equal(at) {
		t.Errorf("usage %+v", u)
	}
}

func (Suite) purges(t *testing.T, s Suite) {
	st := s.Open(t)
	m, kept := Memory(1, "The Zanzibar password is on the fridge."), Memory(2, "kept")
	save(t, st, m, kept)
	if id, purged, err := st.FindText(t.Context(), "the zanzibar password is on the fridge"); id != m.ID || purged || err != nil {
		t.Errorf("before: %q %v %v", id, purged, err)
	}
	rep, err := st.Purge(t.Context(), m.ID)
	if err != nil || !slices.Contains(rep.Purged, m.ID) {
		t.Fatalf("%+v %v", rep, err)
	}
	_, err = st.Get(t.Context(), m.ID)
	wantCode(t, err, codememory.NotFound)
	if id, purged, err := st.FindText(t.Context(), "THE ZANZIBAR PASSWORD is on the fridge!"); id != "" || !purged || err != nil {
		t.Errorf("after: %q %v %v", id, purged, err)
	}
	if c := s.candidates(t, st, codememory.CandidateQuery{IDs: []string{m.ID}}, "zanzibar"); len(c) != 0 {
		t.Errorf("still found: %v", c)
	}
	if get(t, st, kept.ID).Text != "kept" {
		t.Error("purged too much")
	}
}

func (Suite) survives(t *testing.T, s Suite) {
	if s.Reopen == nil {
		t.Skip("this backend keeps nothing of its own to reopen")
	}
	st := s.Open(t)
	a, b := Memory(1, "alpha survives"), Memory(2, "alpha replaces")
	save(t, st, a)
	b.Supersedes = []codememory.Supersession{{ID: a.ID}}
	save(t, st, b)
	if err := st.SaveEmbeddings(t.Context(), Model.ID, []codememory.MemoryEmbedding{embed(b, vec(0, 1))}); err != nil {
		t.Fatal(err)
	}
	before := s.candidates(t, st, codememory.CandidateQuery{Vector: vec(0, 1), Model: Model.ID}, "alpha")
	st = s.Reopen(t, st)
	after := s.candidates(t, st, codememory.CandidateQuery{Vector: vec(0, 1), Model: Model.ID}, "alpha")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("answers differ:\n%s", diff)
	}
	if m := get(t, st, a.ID); m.State() != codememory.Superseded {
		t.Errorf("state %s", m.State())
	}
}

func (Suite) concurrent(t *testing.T, s Suite) {
	st := s.Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for i := range 10 {
				m := Memory(w*100+i, fmt.Sprintf("writer %d note %d", w, i))
				if err := st.Save(ctx, m); err != nil {
					t.Error(err)
				}
				if _, err := st.Candidates(ctx, codememory.CandidateQuery{Terms: s.Analyze("note"), Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	page, err := st.List(ctx, codememory.Filter{}, codememory.PageRequest{Limit: 100})
	if err != nil || page.Total != 60 || len(page.Memories) != 60 {
		t.Errorf("%d of 60 there, %v", page.Total, err)
	}
}
