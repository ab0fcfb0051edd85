package wire

import (
	"time"

	"codememory"
)

// ListQuery is codememory.ListRequest in an address.
type ListQuery struct {
	Project    string                `query:"project" doc:"folder, id, name or tag of the project"`
	Reach      codememory.Reach      `query:"reach" doc:"both, project, user or all"`
	States     []codememory.State    `query:"state" doc:"active, archived, quarantined, superseded or forgotten; default active"`
	Types      []codememory.Type     `query:"type" doc:"only these types"`
	Categories []codememory.Category `query:"category" doc:"only these categories"`
	Agents     []string              `query:"agent" doc:"only from these agents"`
	Entity     string                `query:"entity" doc:"only with this entity"`
	Path       string                `query:"path" doc:"only those that mention this file or folder"`
	Since      time.Time             `query:"since" doc:"updated at or after this time (RFC 3339)"`
	Until      time.Time             `query:"until" doc:"updated before this time (RFC 3339)"`
	Pinned     bool                  `query:"pinned" doc:"only pinned ones"`
	Unsure     bool                  `query:"unsure" doc:"only those of low confidence"`
	Limit      int                   `query:"limit" doc:"most memories of one page"`
	Cursor     string                `query:"cursor" doc:"next of the page before"`
	Offset     int                   `query:"offset" doc:"skip so many, for views that jump; ignored with a cursor"`
}

// NewListQuery writes r as a query.
func NewListQuery(r codememory.ListRequest) ListQuery {
	f := r.Filter
	return ListQuery{
		Project: r.Project, Reach: r.Reach,
		States: f.States, Types: f.Types, Categories: f.Categories, Agents: f.Agents,
		Entity: f.Entity, Path: f.Path, Since: f.Since, Until: f.Until, Pinned: f.Pinned, Unsure: f.Unsure,
		Limit: r.Limit, Cursor: r.Cursor, Offset: r.Offset,
	}
}

// Request reads q back.
func (q ListQuery) Request() codememory.ListRequest {
	return codememory.ListRequest{
		Project: q.Project, Reach: q.Reach,
		Filter: codememory.Filter{
			States: q.States, Types: q.Types, Categories: q.Categories, Agents: q.Agents,
			Entity: q.Entity, Path: q.Path, Since: q.Since, Until: q.Until, Pinned: q.Pinned, Unsure: q.Unsure,
		},
		PageRequest: codememory.PageRequest{Limit: q.Limit, Cursor: q.Cursor, Offset: q.Offset},
	}
}
