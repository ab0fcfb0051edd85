package client

import (
	"context"
	"net/url"

	"codememory"
	"codememory/internal/httpapi/wire"
)

var _ codememory.AgentService = (*Client)(nil)

// Agents implements codememory.AgentService.
func (c *Client) Agents(ctx context.Context) ([]codememory.AgentStatus, error) {
	var answer wire.AgentsAnswer
	err := c.call(ctx, get, "/v1/agents", nil, nil, &answer)
	return answer.Agents, err
}

// Poke implements codememory.AgentService.
func (c *Client) Poke(ctx context.Context, p codememory.Poke) error {
	return c.call(ctx, post, "/v1/agents/"+url.PathEscape(p.Agent)+"/poke", nil, p, nil)
}

// Note implements codememory.AgentService.
func (c *Client) Note(ctx context.Context, n codememory.Note) error {
	n.Project = here(n.Project)
	return c.call(ctx, post, "/v1/notes", nil, n, nil)
}

// BeforeTool implements codememory.AgentService.
func (c *Client) BeforeTool(ctx context.Context, u codememory.ToolUse) (advice codememory.Advice, err error) {
	u.Project = here(u.Project)
	err = c.call(ctx, post, "/v1/action", nil, u, &advice)
	return advice, err
}

// Compaction implements codememory.AgentService.
func (c *Client) Compaction(ctx context.Context, r codememory.CompactionRequest) (answer codememory.CompactionAnswer, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/compaction", nil, r, &answer)
	return answer, err
}

// Tool implements codememory.AgentService.
func (c *Client) Tool(ctx context.Context, r codememory.ToolRequest) (string, error) {
	r.Project = here(r.Project)
	var answer wire.ToolAnswer
	err := c.call(ctx, post, "/v1/tool", nil, r, &answer)
	return answer.Text, err
}

// Backfill implements codememory.AgentService.
func (c *Client) Backfill(ctx context.Context, r codememory.BackfillRequest) (report codememory.BackfillReport, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/backfill", nil, r, &report)
	return report, err
}

// Journal implements codememory.AgentService.
func (c *Client) Journal(ctx context.Context, project, day string) (out codememory.JournalDay, err error) {
	err = c.call(ctx, get, "/v1/journal", wire.JournalQuery{Project: here(project), Day: day}, nil, &out)
	return out, err
}

// Sessions implements codememory.AgentService.
func (c *Client) Sessions(ctx context.Context, r codememory.SessionsRequest) ([]codememory.SessionEntry, error) {
	r.Project = here(r.Project)
	var answer wire.SessionsAnswer
	err := c.call(ctx, post, "/v1/sessions", nil, r, &answer)
	return answer.Sessions, err
}

// SessionText implements codememory.AgentService.
func (c *Client) SessionText(ctx context.Context, r codememory.SessionTextRequest) (string, error) {
	r.Project = here(r.Project)
	var answer wire.ToolAnswer
	err := c.call(ctx, post, "/v1/sessions/text", nil, r, &answer)
	return answer.Text, err
}

// Checkpoint implements codememory.AgentService.
func (c *Client) Checkpoint(ctx context.Context, r codememory.CheckpointRequest) (e codememory.SessionEntry, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/checkpoint", nil, r, &e)
	return e, err
}
