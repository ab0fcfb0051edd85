package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/project"
	"codememory/internal/store"
	"codememory/internal/text"
)

const (
	defaultNodes = 300
	mostNodes    = 2000
	entityPrefix = "entity:"
)

// Graph implements codememory.ViewService. The newest memories come first, of
// them those that are connected; of their entities those that connect most,
// which are what makes a picture of it. An entity that only one memory names
// connects nothing and is left out unless it was asked for.
func (s *Service) Graph(ctx context.Context, r codememory.GraphRequest) (codememory.Graph, error) {
	out := codememory.Graph{Nodes: []codememory.GraphNode{}, Edges: []codememory.GraphEdge{}}
	var ps []codememory.Project
	var err error
	if r.All {
		ps, err = s.all(ctx)
	} else if ps, err = s.reach(ctx, r.Project, codememory.ReachProject, codememory.ReachProject); err != nil {
		return out, err
	}
	if err != nil {
		return out, err
	}
	limit := min(orDefault(r.Limit, defaultNodes), mostNodes)
	var ms []codememory.Memory
	total := 0
	for _, p := range ps {
		found, n, err := s.graphMemories(ctx, p, r.Entity, limit)
		if err != nil {
			return out, err
		}
		ms, total = append(ms, found...), total+n
	}
	slices.SortStableFunc(ms, func(a, b codememory.Memory) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	hubs := hubsOf(ms, r.Entity)
	// A third of the places is for what connects.
	hubs = hubs[:min(len(hubs), max(limit/3, limit-len(ms)))]
	ms = connectedFirst(ms, hubs)
	ms = ms[:min(len(ms), limit-len(hubs))]
	out.Left = total - len(ms)
	drawGraph(&out, ms, hubs)
	return out, nil
}

// graphMemories returns the newest memories of a store with their links.
func (s *Service) graphMemories(ctx context.Context, p codememory.Project, entity string, limit int) ([]codememory.Memory, int, error) {
	if !s.hasStore(p) && p.ID != project.User().ID {
		return nil, 0, nil
	}
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	return linked(ctx, st, codememory.Filter{Entity: entity}, limit)
}

func linked(ctx context.Context, st *store.Store, f codememory.Filter, limit int) ([]codememory.Memory, int, error) {
	page, err := st.List(ctx, f, codememory.PageRequest{Limit: limit})
	if err != nil {
		return nil, 0, err
	}
	for i := range page.Memories {
		if page.Memories[i].Links, err = st.Links(ctx, page.Memories[i].ID); err != nil {
			return nil, 0, err
		}
	}
	return page.Memories, page.Total, nil
}

// connection is an entity with how many memories name it.
type connection struct {
	codememory.Entity
	memories int
}

func hubsOf(ms []codememory.Memory, wanted string) []connection {
	byName := map[string]*connection{}
	for _, m := range ms {
		for _, e := range m.Entities {
			name := text.EntityName(e.Name)
			if byName[name] == nil {
				byName[name] = &connection{Entity: codememory.Entity{Name: name, Type: e.Type}}
			}
			byName[name].memories++
		}
	}
	var hubs []connection
	for _, h := range byName {
		if h.memories > 1 || wanted != "" && text.SameEntity(wanted, h.Name) {
			hubs = append(hubs, *h)
		}
	}
	slices.SortFunc(hubs, func(a, b connection) int { return cmp.Or(b.memories-a.memories, strings.Compare(a.Name, b.Name)) })
	return hubs
}

// connectedFirst moves memories that hang on nothing behind the others: they
// only fill a picture.
func connectedFirst(ms []codememory.Memory, hubs []connection) []codememory.Memory {
	drawn := map[string]bool{}
	for _, h := range hubs {
		drawn[h.Name] = true
	}
	connected := func(m codememory.Memory) bool {
		return len(m.Links) > 0 || slices.ContainsFunc(m.Entities, func(e codememory.Entity) bool { return drawn[text.EntityName(e.Name)] })
	}
	slices.SortStableFunc(ms, func(a, b codememory.Memory) int { return firstIf(connected(a), connected(b)) })
	return ms
}

func firstIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func drawGraph(g *codememory.Graph, ms []codememory.Memory, hubs []connection) {
	drawn := map[string]bool{}
	for _, h := range hubs {
		drawn[entityPrefix+h.Name] = true
		g.Nodes = append(g.Nodes, codememory.GraphNode{ID: entityPrefix + h.Name, Kind: "entity", Label: h.Name, Type: string(h.Type), Weight: float64(h.memories)})
	}
	for _, m := range ms {
		drawn[m.ID] = true
		g.Nodes = append(g.Nodes, codememory.GraphNode{ID: m.ID, Kind: "memory", Label: around(m.Text, "", 120), Type: string(m.Type), Weight: m.Importance})
	}
	for _, m := range ms {
		named := map[string]bool{}
		for _, e := range m.Entities {
			to := entityPrefix + text.EntityName(e.Name)
			if drawn[to] && !named[to] {
				named[to] = true
				g.Edges = append(g.Edges, codememory.GraphEdge{From: m.ID, To: to, Type: "mentions"})
			}
		}
		for _, l := range m.Links {
			if !l.Inbound && drawn[l.To] {
				g.Edges = append(g.Edges, codememory.GraphEdge{From: m.ID, To: l.To, Type: string(l.Type)})
			}
		}
	}
}
