package client

import (
	"context"
	"net/url"

	"codememory"
	"codememory/internal/httpapi/wire"
)

var _ codememory.ViewService = (*Client)(nil)

// Transcript implements codememory.ViewService.
func (c *Client) Transcript(ctx context.Context, r codememory.TranscriptRequest) (t codememory.Transcript, err error) {
	err = c.call(ctx, post, "/v1/transcript", nil, r, &t)
	return t, err
}

// SessionRecord implements codememory.ViewService.
func (c *Client) SessionRecord(ctx context.Context, project, session string) (r codememory.SessionRecord, err error) {
	err = c.call(ctx, get, "/v1/sessions/"+url.PathEscape(session), wire.MemoryQuery{Project: here(project)}, nil, &r)
	return r, err
}

// SearchTurns implements codememory.ViewService.
func (c *Client) SearchTurns(ctx context.Context, q codememory.TurnQuery) ([]codememory.TurnHit, error) {
	q.Project = here(q.Project)
	var answer wire.TurnsAnswer
	err := c.call(ctx, post, "/v1/turns/search", nil, q, &answer)
	return answer.Turns, err
}

// Graph implements codememory.ViewService.
func (c *Client) Graph(ctx context.Context, r codememory.GraphRequest) (g codememory.Graph, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/graph", nil, r, &g)
	return g, err
}

// RecentEvents implements codememory.ViewService.
func (c *Client) RecentEvents(ctx context.Context) ([]codememory.Event, error) {
	var answer wire.EventsAnswer
	err := c.call(ctx, get, "/v1/events/recent", nil, nil, &answer)
	return answer.Events, err
}

// Injections implements codememory.ViewService.
func (c *Client) Injections(ctx context.Context, limit int) (r codememory.InjectionReport, err error) {
	err = c.call(ctx, get, "/v1/injections", wire.LimitQuery{Limit: limit}, nil, &r)
	return r, err
}

// Suppress implements codememory.ViewService.
func (c *Client) Suppress(ctx context.Context, r codememory.SuppressRequest) (s codememory.Suppression, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/suppressions", nil, r, &s)
	return s, err
}

// Suppressions implements codememory.ViewService.
func (c *Client) Suppressions(ctx context.Context) ([]codememory.Suppression, error) {
	var answer wire.SuppressionsAnswer
	err := c.call(ctx, get, "/v1/suppressions", nil, nil, &answer)
	return answer.Suppressions, err
}

// Unsuppress implements codememory.ViewService.
func (c *Client) Unsuppress(ctx context.Context, id string) error {
	return c.call(ctx, "DELETE", "/v1/suppressions/"+url.PathEscape(id), nil, nil, nil)
}

// CaptureState implements codememory.ViewService.
func (c *Client) CaptureState(ctx context.Context) (s codememory.CaptureState, err error) {
	err = c.call(ctx, get, "/v1/capture", nil, nil, &s)
	return s, err
}

// PauseCapture implements codememory.ViewService.
func (c *Client) PauseCapture(ctx context.Context, r codememory.PauseRequest) (s codememory.CaptureState, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/capture/pause", nil, r, &s)
	return s, err
}

// Settings implements codememory.ViewService.
func (c *Client) Settings(ctx context.Context) (r codememory.SettingsReport, err error) {
	err = c.call(ctx, get, "/v1/settings", nil, nil, &r)
	return r, err
}

// Dashboard returns the address of the web pages with a code that lets one
// browser in, once and soon.
func (c *Client) Dashboard(ctx context.Context) (string, error) {
	var code wire.PageCode
	if err := c.call(ctx, post, "/v1/page/code", nil, nil, &code); err != nil {
		return "", err
	}
	return "http://" + c.address + "/#code=" + code.Code, nil
}
