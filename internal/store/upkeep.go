package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"codememory"
	"codememory/internal/index"
	"codememory/internal/text"
)

// Near returns the active memories of the same type whose vectors are at least
// this close to that of a memory, closest first. There are none while the index
// is being made.
func (s *Store) Near(ctx context.Context, id string, least float64, limit int) ([]index.Neighbour, error) {
	if err := s.ix.ready(ctx); err != nil {
		if errors.Is(err, errWarming) {
			return nil, nil
		}
		return nil, err
	}
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	n := s.ix.x.Handle(id)
	if n < 0 || n >= len(s.ix.facts) {
		return nil, nil
	}
	return s.ix.x.Near(id, least, limit, keeper(codememory.Filter{Types: []codememory.Type{s.ix.facts[n].doc.Type}}, s.ix.facts)), nil
}

// Refused reports whether a group of memories is to be kept apart.
func (s *Store) Refused(ctx context.Context, hash string) (bool, error) {
	return s.db.Refused(ctx, hash)
}

// Refuse remembers that a group of memories is to be kept apart.
func (s *Store) Refuse(ctx context.Context, hash string) error {
	if s.readOnly != "" {
		return codememory.Errorf(codememory.ReadOnly, "%s", s.readOnly)
	}
	return s.db.Refuse(ctx, hash, s.opts.Now())
}

// consolidatedKey is where a store keeps up to which change it was looked after.
const consolidatedKey = "consolidated"

// Unconsolidated returns the active memories that changed since the last
// upkeep, and the mark to set when they have been looked after.
func (s *Store) Unconsolidated(ctx context.Context) (ids []string, mark int64, err error) {
	last, err := s.db.Meta(ctx, consolidatedKey)
	if err != nil {
		return nil, 0, err
	}
	since, err := strconv.ParseInt(cmp.Or(last, "0"), 10, 64)
	if err != nil {
		since = 0
	}
	if mark, err = s.db.Version(ctx); err != nil {
		return nil, 0, err
	}
	ids, err = s.db.ChangedSince(ctx, since)
	return ids, mark, err
}

// Consolidated notes up to which change the store was looked after.
func (s *Store) Consolidated(ctx context.Context, mark int64) error {
	return s.db.SetMeta(ctx, consolidatedKey, strconv.FormatInt(mark, 10))
}

// Meta reads a value kept with the database; "" when there is none. It is lost
// when the database is made again.
func (s *Store) Meta(ctx context.Context, key string) (string, error) { return s.db.Meta(ctx, key) }

// SetMeta keeps a value with the database.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	if s.readOnly != "" {
		return nil
	}
	return s.db.SetMeta(ctx, key, value)
}

// Citing returns the ids of active memories that name files of the project.
func (s *Store) Citing(ctx context.Context) ([]string, error) { return s.db.Citing(ctx) }

// Conflicting returns pairs of active memories that contradict each other.
func (s *Store) Conflicting(ctx context.Context, limit int) ([][2]string, error) {
	return s.db.Conflicting(ctx, limit)
}

// Entities returns the most used names of active memories, spellings of one
// name united, and which of them memories name together.
func (s *Store) Entities(ctx context.Context, limit int) (codememory.EntityGraph, error) {
	spellings := map[string]map[string]int{} // key → spelling → memories
	types := map[string]codememory.EntityType{}
	counts := map[string]int{}
	memories := map[int64][]string{} // document → keys
	err := s.db.ActiveEntities(ctx, func(n int64, e codememory.Entity) error {
		key := text.EntityKey(e.Name)
		if spellings[key] == nil {
			spellings[key] = map[string]int{}
		}
		spellings[key][e.Name]++
		if old := types[key]; old == "" || old == codememory.EntityOther {
			types[key] = e.Type
		}
		if !slices.Contains(memories[n], key) {
			memories[n] = append(memories[n], key)
			counts[key]++
		}
		return nil
	})
	if err != nil {
		return codememory.EntityGraph{}, err
	}
	names := map[string]string{}
	graph := codememory.EntityGraph{Entities: []codememory.EntityNode{}, Edges: []codememory.EntityEdge{}}
	for key, variants := range spellings {
		all := mostUsed(variants)
		graph.Entities = append(graph.Entities, codememory.EntityNode{
			Entity: codememory.Entity{Name: all[0], Type: types[key]}, Aliases: all[1:], Memories: counts[key],
		})
		names[key] = all[0]
	}
	slices.SortFunc(graph.Entities, func(a, b codememory.EntityNode) int {
		return cmp.Or(cmp.Compare(b.Memories, a.Memories), cmp.Compare(a.Name, b.Name))
	})
	graph.Entities = graph.Entities[:min(len(graph.Entities), limit)]
	shown := map[string]bool{}
	for _, n := range graph.Entities {
		shown[n.Name] = true
	}
	graph.Edges = edges(memories, names, shown)
	return graph, nil
}

// mostUsed sorts the spellings of a name, the usual one first.
func mostUsed(variants map[string]int) []string {
	all := make([]string, 0, len(variants))
	for v := range variants {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(variants[b], variants[a]), cmp.Compare(a, b)) })
	return all
}

// edges counts which of the shown names occur together.
func edges(memories map[int64][]string, names map[string]string, shown map[string]bool) []codememory.EntityEdge {
	together := map[[2]string]int{}
	for _, keys := range memories {
		for i, a := range keys {
			for _, b := range keys[i+1:] {
				x, y := names[a], names[b]
				if shown[x] && shown[y] {
					together[[2]string{min(x, y), max(x, y)}]++
				}
			}
		}
	}
	out := make([]codememory.EntityEdge, 0, len(together))
	for pair, n := range together {
		out = append(out, codememory.EntityEdge{From: pair[0], To: pair[1], Memories: n})
	}
	slices.SortFunc(out, func(a, b codememory.EntityEdge) int {
		return cmp.Or(cmp.Compare(b.Memories, a.Memories), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return out
}
