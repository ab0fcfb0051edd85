package service

import (
	"context"

	"codememory"
)

// Entities implements codememory.LifecycleService.
func (s *Service) Entities(ctx context.Context, r codememory.EntitiesRequest) (codememory.EntityGraph, error) {
	none := codememory.EntityGraph{Entities: []codememory.EntityNode{}, Edges: []codememory.EntityEdge{}}
	if r.Limit < 0 {
		return none, codememory.Errorf(codememory.Invalid, "limit %d is below zero", r.Limit)
	}
	p, err := s.find(ctx, r.Project)
	if err != nil || !s.hasStore(p) {
		return none, err
	}
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return none, err
	}
	defer release()
	return st.Entities(ctx, orDefault(r.Limit, 100))
}
