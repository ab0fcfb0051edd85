package client

import (
	"context"

	"codememory"
	"codememory/internal/httpapi/wire"
)

var _ codememory.LLMService = (*Client)(nil)

// Extract implements codememory.LLMService.
func (c *Client) Extract(ctx context.Context, r codememory.ExtractRequest) (rep codememory.ExtractReport, err error) {
	if r.Project != "" { // none means all
		r.Project = here(r.Project)
	}
	err = c.call(ctx, post, "/v1/extract", nil, r, &rep)
	return rep, err
}

// Arc implements codememory.LLMService.
func (c *Client) Arc(ctx context.Context, r codememory.ArcRequest) (arc codememory.Arc, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/arc", nil, r, &arc)
	return arc, err
}

// GenerateArc implements codememory.LLMService.
func (c *Client) GenerateArc(ctx context.Context, r codememory.ArcRequest) error {
	r.Project = here(r.Project)
	return c.call(ctx, post, "/v1/arc/generate", nil, r, nil)
}

// Costs implements codememory.LLMService.
func (c *Client) Costs(ctx context.Context) (costs codememory.Costs, err error) {
	err = c.call(ctx, get, "/v1/costs", nil, nil, &costs)
	return costs, err
}

// ResetCosts implements codememory.LLMService.
func (c *Client) ResetCosts(ctx context.Context) error {
	return c.call(ctx, post, "/v1/costs/reset", nil, nil, nil)
}

// Activity implements codememory.LLMService.
func (c *Client) Activity(ctx context.Context, limit int) ([]codememory.ModelCall, error) {
	var answer wire.ActivityAnswer
	err := c.call(ctx, get, "/v1/activity", wire.ActivityQuery{Limit: limit}, nil, &answer)
	return answer.Entries, err
}

// LLM implements codememory.LLMService.
func (c *Client) LLM(ctx context.Context) (st codememory.LLMStatus, err error) {
	err = c.call(ctx, get, "/v1/llm", nil, nil, &st)
	return st, err
}
