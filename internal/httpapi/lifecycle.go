package httpapi

import (
	"context"

	"codememory"
	"codememory/internal/httpapi/wire"
)

func lifecycleRoutes() []route {
	return []route{
		on("GET", "/v1/entities", "The named things of a project and which of them memories name together", listEntities),
		on("GET", "/v1/review", "What a person should decide about", listReview),
		on("POST", "/v1/memories/{id}/decide", "Carry out what a person decided about a memory under review", decide),
		on("POST", "/v1/memories/{id}/promote", "Make a preference of a project one of the user's", promote),
		on("POST", "/v1/consolidate", "Do the daily upkeep now", consolidate).asLong(),
	}
}

// lifecycle is the part of the service that looks after memories.
func (s *Server) lifecycle() (codememory.LifecycleService, error) {
	l, ok := s.Service.(codememory.LifecycleService)
	if !ok {
		return nil, codememory.Errorf(codememory.Unavailable, "memories are not looked after here")
	}
	return l, nil
}

func listEntities(ctx context.Context, c call[wire.EntitiesQuery, none]) (codememory.EntityGraph, error) {
	l, err := c.lifecycle()
	if err != nil {
		return codememory.EntityGraph{}, err
	}
	graph, err := l.Entities(ctx, codememory.EntitiesRequest{Project: c.Query.Project, Limit: c.Query.Limit})
	graph.Entities, graph.Edges = listed(graph.Entities), listed(graph.Edges)
	return graph, err
}

func listReview(ctx context.Context, c call[wire.ReviewQuery, none]) (wire.ReviewAnswer, error) {
	l, err := c.lifecycle()
	if err != nil {
		return wire.ReviewAnswer{}, err
	}
	items, err := l.Review(ctx, codememory.ReviewRequest{Project: c.Query.Project, Kinds: c.Query.Kinds, Limit: c.Query.Limit})
	return wire.ReviewAnswer{Items: listed(items)}, err
}

func decide(ctx context.Context, c call[wire.MemoryQuery, codememory.Decision]) (codememory.Memory, error) {
	l, err := c.lifecycle()
	if err != nil {
		return codememory.Memory{}, err
	}
	return l.Decide(ctx, c.ref(c.Query), c.Body)
}

func promote(ctx context.Context, c call[wire.MemoryQuery, wire.PromoteRequest]) (codememory.Promotion, error) {
	l, err := c.lifecycle()
	if err != nil {
		return codememory.Promotion{}, err
	}
	return l.Promote(ctx, c.ref(c.Query), c.Body.Confirmed)
}

func consolidate(ctx context.Context, c call[none, codememory.ConsolidateRequest]) (wire.ConsolidateAnswer, error) {
	l, err := c.lifecycle()
	if err != nil {
		return wire.ConsolidateAnswer{}, err
	}
	reports, err := l.Consolidate(ctx, c.Body)
	return wire.ConsolidateAnswer{Reports: listed(reports)}, err
}
