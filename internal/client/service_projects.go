package client

import (
	"context"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// Project implements codememory.Service.
func (c *Client) Project(ctx context.Context, ref string) (p codememory.Project, err error) {
	err = c.call(ctx, get, "/v1/projects/resolve", wire.ProjectQuery{Ref: here(ref)}, nil, &p)
	return p, err
}

// Projects implements codememory.Service.
func (c *Client) Projects(ctx context.Context) ([]codememory.ProjectStats, error) {
	var answer wire.ProjectsAnswer
	err := c.call(ctx, get, "/v1/projects", nil, nil, &answer)
	return answer.Projects, err
}

// RenameProject implements codememory.Service.
func (c *Client) RenameProject(ctx context.Context, ref, name string) (p codememory.Project, err error) {
	err = c.call(ctx, post, "/v1/projects/rename", nil, wire.RenameRequest{Project: here(ref), Name: name}, &p)
	return p, err
}

// MergeProjects implements codememory.Service.
func (c *Client) MergeProjects(ctx context.Context, from, into string) (p codememory.Project, err error) {
	err = c.call(ctx, post, "/v1/projects/merge", nil, wire.MergeRequest{From: here(from), Into: here(into)}, &p)
	return p, err
}

// ForgetProject implements codememory.Service.
func (c *Client) ForgetProject(ctx context.Context, ref string, purge bool) error {
	return c.call(ctx, post, "/v1/projects/forget", nil, wire.ForgetProjectRequest{Project: here(ref), Purge: purge}, nil)
}

// InitProject implements codememory.Service.
func (c *Client) InitProject(ctx context.Context, r codememory.InitRequest) (report codememory.InitReport, err error) {
	r.Dir = absolute(r.Dir)
	err = c.call(ctx, post, "/v1/projects/init", nil, r, &report)
	return report, err
}

// Names implements codememory.Service.
func (c *Client) Names(ctx context.Context) (map[string]string, error) {
	var answer wire.NamesAnswer
	err := c.call(ctx, get, "/v1/names", nil, nil, &answer)
	return answer.Names, err
}

// SetName implements codememory.Service.
func (c *Client) SetName(ctx context.Context, tag, name string) error {
	return c.call(ctx, post, "/v1/names", nil, wire.NameRequest{Tag: tag, Name: name}, nil)
}

// Health implements codememory.Service.
func (c *Client) Health(ctx context.Context) (h codememory.Health, err error) {
	err = c.call(ctx, get, "/v1/health", nil, nil, &h)
	return h, err
}

// Stats implements codememory.Service.
func (c *Client) Stats(ctx context.Context) (s codememory.Stats, err error) {
	err = c.call(ctx, get, "/v1/stats", nil, nil, &s)
	return s, err
}

// Rebuild implements codememory.Service.
func (c *Client) Rebuild(ctx context.Context, project string) ([]codememory.RebuildReport, error) {
	var answer wire.RebuildAnswer
	err := c.call(ctx, post, "/v1/rebuild", nil, wire.ProjectRequest{Project: here(project)}, &answer)
	return answer.Reports, err
}

// Verify implements codememory.Service.
func (c *Client) Verify(ctx context.Context, project string) ([]codememory.VerifyReport, error) {
	var answer wire.VerifyAnswer
	err := c.call(ctx, post, "/v1/verify", nil, wire.ProjectRequest{Project: here(project)}, &answer)
	return answer.Reports, err
}

// Backup implements codememory.Service.
func (c *Client) Backup(ctx context.Context, project, file string) (report codememory.BackupReport, err error) {
	err = c.call(ctx, post, "/v1/backup", nil, wire.BackupRequest{Project: here(project), File: absolute(file)}, &report)
	return report, err
}

// Restore implements codememory.Service.
func (c *Client) Restore(ctx context.Context, project, file string) (report codememory.BackupReport, err error) {
	err = c.call(ctx, post, "/v1/restore", nil, wire.BackupRequest{Project: here(project), File: absolute(file)}, &report)
	return report, err
}
