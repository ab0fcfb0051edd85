package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	"codememory"
	"codememory/internal/index"
	"codememory/internal/sqlite"
	"codememory/internal/text"
)

// lazyIndex is the index in memory, made from the database when it is first
// needed and brought up to date after each change.
type lazyIndex struct {
	s *Store

	mu    sync.RWMutex
	x     *index.Index // nil: not made yet
	dim   int          // of the vectors in it
	facts []facts      // by document number
	days  []int64      // on which something changed, ascending; see activeDays
	seq   int64        // changes up to this one are in it

	making  sync.Mutex    // one at a time makes or extends it
	warming chan struct{} // closed when it is made for the first time
	failed  error
}

// facts are what filters and rankings ask about a document.
type facts struct {
	doc      sqlite.Document // without its text
	entities []string
}

// ready makes the index if need be and brings in what other processes wrote.
// It fails with errWarming when making it takes longer than a caller waits.
func (l *lazyIndex) ready(ctx context.Context) error {
	version, err := l.s.db.Version(ctx)
	if err != nil {
		return err
	}
	l.mu.RLock()
	made, current, outgrown := l.x != nil, l.seq == version, l.dim != l.s.opts.Model().Dim
	l.mu.RUnlock()
	if made && outgrown {
		l.forget()
		made = false
	}
	switch {
	case made && current:
		return nil
	case made:
		return l.extend(ctx)
	}
	return l.warm(ctx)
}

// forget drops the index; the next search makes it again.
func (l *lazyIndex) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.x, l.facts, l.days, l.seq, l.warming = nil, nil, nil, 0, nil
}

// catchUp brings in what the store just changed, if there is an index.
func (l *lazyIndex) catchUp(ctx context.Context, removed []string) error {
	l.mu.RLock()
	x := l.x
	l.mu.RUnlock()
	if x == nil {
		return nil
	}
	x.Delete(removed...)
	return l.extend(ctx)
}

// extend reads everything after l.seq.
func (l *lazyIndex) extend(ctx context.Context) error {
	l.making.Lock()
	defer l.making.Unlock()
	l.mu.RLock()
	x, seq := l.x, l.seq
	l.mu.RUnlock()
	dim := l.s.opts.Model().Dim
	if x == nil {
		x, seq = index.New(dim), 0
	}
	entities := map[int64][]string{}
	if err := l.s.db.EachEntity(ctx, seq, func(n int64, name string) error {
		entities[n] = append(entities[n], unique.Make(name).Value())
		return nil
	}); err != nil {
		return err
	}
	var found []facts
	last := seq
	batch := make([]index.Document, 0, 512)
	if err := l.s.db.EachDocument(ctx, seq, func(d sqlite.Document) error {
		batch = append(batch, index.Document{ID: d.ID, Text: d.Text, Extras: entities[d.N], Handle: uint32(d.N)})
		if len(batch) == cap(batch) {
			x.Put(batch...)
			batch = batch[:0]
		}
		last = max(last, d.Seq)
		d.Text = ""
		// The same few words in every row: keep one copy of each.
		d.Type, d.Category, d.State, d.Agent = unique.Make(d.Type).Value(), unique.Make(d.Category).Value(), unique.Make(d.State).Value(), unique.Make(d.Agent).Value()
		found = append(found, facts{d, entities[d.N]})
		return nil
	}); err != nil {
		return err
	}
	x.Put(batch...)
	l.publish(x, dim, found, last)
	return l.loadVectors(ctx, x, seq)
}

// publish makes documents visible to filters before searches can return them.
func (l *lazyIndex) publish(x *index.Index, dim int, found []facts, seq int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range found {
		if n := int(f.doc.N); n >= len(l.facts) {
			l.facts = append(l.facts, make([]facts, n+1-len(l.facts))...)
		}
		l.facts[f.doc.N] = f
		if at, known := slices.BinarySearch(l.days, dayOf(f.doc.Updated)); !known {
			l.days = slices.Insert(l.days, at, dayOf(f.doc.Updated))
		}
	}
	if l.x != x {
		l.x, l.dim = x, dim
	}
	l.seq = seq
}

func dayOf(t time.Time) int64 { return t.Unix() / int64(24*time.Hour/time.Second) }

// activeDays counts the days on which the store changed since t, that day
// included: memories of a project that rests do not grow old meanwhile.
func (l *lazyIndex) activeDays(t time.Time) int {
	at, _ := slices.BinarySearch(l.days, dayOf(t))
	return len(l.days) - at
}

func (l *lazyIndex) loadVectors(ctx context.Context, x *index.Index, seq int64) error {
	model := l.s.opts.Model()
	if model.Dim == 0 {
		return nil
	}
	var n int64
	var passages [][]float32
	flush := func() error {
		if len(passages) == 0 {
			return nil
		}
		l.mu.RLock()
		id := ""
		if int(n) < len(l.facts) {
			id = l.facts[n].doc.ID
		}
		l.mu.RUnlock()
		ps := passages
		passages = nil
		if id == "" {
			return nil // deleted meanwhile
		}
		if err := x.PutVectors(id, ps); err != nil && codememory.CodeOf(err) != codememory.NotFound {
			return err
		}
		return nil
	}
	err := l.s.db.EachPassage(ctx, model.ID, seq, func(p sqlite.Passage) error {
		if p.N != n {
			if err := flush(); err != nil {
				return err
			}
			n = p.N
		}
		v := make([]float32, len(p.Vector))
		for i, q := range p.Vector {
			v[i] = float32(q) * p.Scale
		}
		passages = append(passages, v)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// setVectors puts fresh embeddings into the index, if there is one.
func (l *lazyIndex) setVectors(es []codememory.MemoryEmbedding, stored map[string]int64) {
	l.mu.RLock()
	x := l.x
	l.mu.RUnlock()
	if x == nil {
		return
	}
	for _, e := range es {
		if _, ok := stored[e.ID]; !ok {
			continue
		}
		vs := make([][]float32, len(e.Passages))
		for i, p := range e.Passages {
			vs[i] = p.Vector
		}
		if err := x.PutVectors(e.ID, vs); err != nil && codememory.CodeOf(err) != codememory.NotFound {
			l.s.opts.Log.Warn("vector not indexed", "project", l.s.opts.Project, "err", err)
		}
	}
}

// Candidates implements codememory.Store.
func (s *Store) Candidates(ctx context.Context, q codememory.CandidateQuery) ([]codememory.Candidate, error) {
	if err := s.ix.ready(ctx); err != nil {
		if errors.Is(err, errWarming) {
			return s.coldCandidates(ctx, q)
		}
		return nil, err
	}
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	keep := keeper(q.Filter, s.ix.facts)
	var vector []float32
	if q.Model == s.opts.Model().ID && len(q.Vector) == s.ix.dim {
		vector = q.Vector
	}
	hits, err := s.ix.x.Search(index.Query{Terms: q.Terms, Vector: vector, Limit: q.Limit, IDs: q.IDs, Extras: q.Entities, Keep: keep})
	if err != nil {
		return nil, err
	}
	out := make([]codememory.Candidate, 0, len(hits))
	for _, h := range hits {
		if !keep(h.Handle) { // asked for by id
			continue
		}
		d := &s.ix.facts[h.Handle].doc
		out = append(out, codememory.Candidate{
			ID: h.ID, BM25: h.BM25, Coverage: h.Coverage, Cosine: h.Cosine, HasVector: h.HasVector, EntityMatch: h.ExtraMatch,
			UpdatedAt: d.Updated, ActiveDays: s.ix.activeDays(d.Updated), Importance: d.Importance, Used: d.Used, Pinned: d.Pinned,
		})
	}
	return out, nil
}

// keeper turns a filter into a test of document numbers.
func keeper(f codememory.Filter, fs []facts) func(uint32) bool {
	states := f.States
	if len(states) == 0 {
		states = []codememory.State{codememory.Active}
	}
	entity := ""
	if f.Entity != "" {
		entity = text.EntityKey(f.Entity)
	}
	path := strings.ToLower(f.Path)
	return func(n uint32) bool {
		if int(n) >= len(fs) {
			return false // newer than what this search looks at
		}
		d := &fs[n].doc
		switch {
		case !slices.Contains(states, d.State),
			len(f.Types) > 0 && !slices.Contains(f.Types, d.Type),
			len(f.Categories) > 0 && !slices.Contains(f.Categories, d.Category),
			len(f.Agents) > 0 && !slices.Contains(f.Agents, d.Agent),
			!f.Since.IsZero() && d.Updated.Before(f.Since),
			!f.Until.IsZero() && !d.Updated.Before(f.Until),
			f.Pinned && !d.Pinned,
			f.Unsure && !d.Unsure:
			return false
		}
		if entity != "" && !slices.ContainsFunc(fs[n].entities, func(e string) bool { return text.EntityKey(e) == entity }) {
			return false
		}
		if path != "" && !slices.ContainsFunc(fs[n].entities, func(e string) bool { return strings.Contains(e, path) }) {
			return false
		}
		return true
	}
}
