package client

import (
	"context"

	"codememory"
	"codememory/internal/httpapi/wire"
)

var _ codememory.LifecycleService = (*Client)(nil)

// Entities implements codememory.LifecycleService.
func (c *Client) Entities(ctx context.Context, r codememory.EntitiesRequest) (graph codememory.EntityGraph, err error) {
	err = c.call(ctx, get, "/v1/entities", wire.EntitiesQuery{Project: here(r.Project), Limit: r.Limit}, nil, &graph)
	return graph, err
}

// Review implements codememory.LifecycleService.
func (c *Client) Review(ctx context.Context, r codememory.ReviewRequest) ([]codememory.ReviewItem, error) {
	var answer wire.ReviewAnswer
	err := c.call(ctx, get, "/v1/review", wire.ReviewQuery{Project: here(r.Project), Kinds: r.Kinds, Limit: r.Limit}, nil, &answer)
	return answer.Items, err
}

// Decide implements codememory.LifecycleService.
func (c *Client) Decide(ctx context.Context, ref codememory.Ref, d codememory.Decision) (m codememory.Memory, err error) {
	err = c.memory(ctx, post, ref, "/decide", d, &m)
	return m, err
}

// Promote implements codememory.LifecycleService.
func (c *Client) Promote(ctx context.Context, ref codememory.Ref, confirmed bool) (p codememory.Promotion, err error) {
	err = c.memory(ctx, post, ref, "/promote", wire.PromoteRequest{Confirmed: confirmed}, &p)
	return p, err
}

// Consolidate implements codememory.LifecycleService.
func (c *Client) Consolidate(ctx context.Context, r codememory.ConsolidateRequest) ([]codememory.ConsolidateReport, error) {
	if r.Project != "" {
		r.Project = here(r.Project)
	}
	var answer wire.ConsolidateAnswer
	err := c.call(ctx, post, "/v1/consolidate", nil, r, &answer)
	return answer.Reports, err
}
