package httpapi

import (
	"context"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// models returns the part of the service that asks language models.
func (s *Server) models() (codememory.LLMService, error) {
	if s.LLM == nil {
		return nil, codememory.Errorf(codememory.Unavailable, "language models are not known here")
	}
	return s.LLM, nil
}

func llmStatus(ctx context.Context, c call[none, none]) (codememory.LLMStatus, error) {
	m, err := c.models()
	if err != nil {
		return codememory.LLMStatus{}, err
	}
	st, err := m.LLM(ctx)
	st.Roles, st.Endpoints, st.Dead = listed(st.Roles), listed(st.Endpoints), listed(st.Dead)
	return st, err
}

func extractSessions(ctx context.Context, c call[none, codememory.ExtractRequest]) (codememory.ExtractReport, error) {
	m, err := c.models()
	if err != nil {
		return codememory.ExtractReport{}, err
	}
	rep, err := m.Extract(ctx, c.Body)
	rep.Sessions = listed(rep.Sessions)
	return rep, err
}

func readArc(ctx context.Context, c call[none, codememory.ArcRequest]) (codememory.Arc, error) {
	m, err := c.models()
	if err != nil {
		return codememory.Arc{}, err
	}
	return m.Arc(ctx, c.Body)
}

func generateArc(ctx context.Context, c call[none, codememory.ArcRequest]) (wire.Empty, error) {
	m, err := c.models()
	if err != nil {
		return wire.Empty{}, err
	}
	return wire.Empty{}, m.GenerateArc(ctx, c.Body)
}

func costs(ctx context.Context, c call[none, none]) (codememory.Costs, error) {
	m, err := c.models()
	if err != nil {
		return codememory.Costs{}, err
	}
	return m.Costs(ctx)
}

func resetCosts(ctx context.Context, c call[none, none]) (wire.Empty, error) {
	m, err := c.models()
	if err != nil {
		return wire.Empty{}, err
	}
	return wire.Empty{}, m.ResetCosts(ctx)
}

const defaultActivity = 50

func llmActivity(ctx context.Context, c call[wire.ActivityQuery, none]) (wire.ActivityAnswer, error) {
	m, err := c.models()
	if err != nil {
		return wire.ActivityAnswer{}, err
	}
	limit := c.Query.Limit
	if limit <= 0 {
		limit = defaultActivity
	}
	calls, err := m.Activity(ctx, limit)
	return wire.ActivityAnswer{Entries: listed(calls)}, err
}
