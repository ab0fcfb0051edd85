package httpapi

import (
	"context"
	"maps"
	"time"

	"codememory"
)

// The routes of opencode-memory's server that read and change memories.

// CompatRow is a memory as opencode-memory lists it.
type CompatRow struct {
	ID        string         `json:"id"`
	Memory    string         `json:"memory"`
	UserID    string         `json:"user_id"`
	Metadata  map[string]any `json:"metadata"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
}

func rowOf(m codememory.Memory, tag string) CompatRow {
	return CompatRow{
		ID: m.ID, Memory: m.Text, UserID: tag, Metadata: metadataOf(m),
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}

// metadataOf adds to what the client once stored what it expects to find there.
func metadataOf(m codememory.Memory) map[string]any {
	metadata := maps.Clone(m.Metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["type"] = m.Type
	if m.SupersededBy != "" {
		metadata["superseded_by"] = m.SupersededBy
	}
	return metadata
}

// CompatListQuery is the query of GET /memories.
type CompatListQuery struct {
	UserID            string `query:"user_id" doc:"container tag"`
	Limit             int    `query:"limit" doc:"most memories to return; default 20"`
	IncludeSuperseded bool   `query:"include_superseded" doc:"those that newer ones replaced too"`
	Cursor            string `query:"cursor" doc:"next of the page before"`
}

// CompatRows is a page of memories.
type CompatRows struct {
	Results []CompatRow `json:"results"`
	Next    string      `json:"next,omitempty"`
	Total   int         `json:"total"`
}

func compatList(ctx context.Context, c call[CompatListQuery, none]) (CompatRows, error) {
	o, err := ownerOf(c.Query.UserID)
	if err != nil {
		return CompatRows{}, err
	}
	limit, err := limitOf(c.Query.Limit, 20)
	if err != nil {
		return CompatRows{}, err
	}
	states := []codememory.State{codememory.Active}
	if c.Query.IncludeSuperseded {
		states = append(states, codememory.Superseded)
	}
	page, err := c.Service.List(ctx, codememory.ListRequest{
		Project: o.project, Reach: o.reach, Filter: codememory.Filter{States: states},
		PageRequest: codememory.PageRequest{Limit: limit, Cursor: c.Query.Cursor},
	})
	if err != nil {
		return CompatRows{}, err
	}
	rows := CompatRows{Results: make([]CompatRow, len(page.Memories)), Next: page.Next, Total: page.Total}
	for i, m := range page.Memories {
		rows.Results[i] = rowOf(m, o.tag)
	}
	return rows, nil
}

// maxCompatLimit bounds one answer; older clients ask for 200 at most.
const maxCompatLimit = 1000

func limitOf(given, def int) (int, error) {
	switch {
	case given < 0:
		return 0, codememory.Errorf(codememory.Invalid, "limit %d is below zero", given)
	case given == 0:
		return def, nil
	default:
		return min(given, maxCompatLimit), nil
	}
}

func compatGet(ctx context.Context, c call[none, none]) (CompatRow, error) {
	m, err := c.Service.Get(ctx, codememory.Ref{ID: c.ID})
	if err != nil {
		return CompatRow{}, err
	}
	return rowOf(m, c.tagOf(ctx, m)), nil
}

// tagOf finds the container tag under which older clients know where m is. A
// tag that cannot be found is left empty: the memory matters more.
func (s *Server) tagOf(ctx context.Context, m codememory.Memory) string {
	projects, err := s.Service.Projects(ctx)
	if err != nil {
		return ""
	}
	id := m.Project
	if m.Scope == codememory.ScopeUser {
		id = codememory.UserProject
	}
	for _, p := range projects {
		if p.ID == id {
			return p.Tag
		}
	}
	return ""
}

// CompatPatch changes a memory; what is missing stays as it is.
type CompatPatch struct {
	Memory     *string              `json:"memory,omitempty"`
	Type       *codememory.Type     `json:"type,omitempty"`
	Category   *codememory.Category `json:"category,omitempty"`
	Importance *float64             `json:"importance,omitempty"`
	Pinned     *bool                `json:"pinned,omitempty"`
}

func compatPatch(ctx context.Context, c call[none, CompatPatch]) (CompatRow, error) {
	if c.Body == (CompatPatch{}) {
		return CompatRow{}, codememory.Errorf(codememory.Invalid, "nothing to change: send memory, type, category, importance or pinned")
	}
	m, err := c.Service.Edit(ctx, codememory.Ref{ID: c.ID}, codememory.Edit{
		Text: c.Body.Memory, Type: c.Body.Type, Category: c.Body.Category,
		Importance: c.Body.Importance, Pinned: c.Body.Pinned,
	})
	if err != nil {
		return CompatRow{}, err
	}
	return rowOf(m, c.tagOf(ctx, m)), nil
}

// CompatDone is the answer of a change.
type CompatDone struct {
	Success bool   `json:"success"`
	Message string `json:"message,omitempty"`
}

func compatDelete(ctx context.Context, c call[none, none]) (CompatDone, error) {
	m, err := c.Service.Forget(ctx, codememory.Ref{ID: c.ID}, "deleted through the API")
	if err != nil {
		return CompatDone{}, err
	}
	return CompatDone{Success: true, Message: "Memory " + m.ID + " deleted"}, nil
}
