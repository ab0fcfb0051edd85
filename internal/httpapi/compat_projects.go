package httpapi

import (
	"context"
	"strings"
	"time"

	"codememory"
)

// The routes of opencode-memory's server about container tags.

// CompatProjects is the answer of GET /projects.
type CompatProjects struct {
	Projects []CompatProject `json:"projects"`
}

// CompatProject is what one container tag holds.
type CompatProject struct {
	UserID      string                  `json:"user_id"`
	Name        string                  `json:"name"`
	Scope       codememory.Scope        `json:"scope"`
	Count       int                     `json:"count"`
	TypeCounts  map[codememory.Type]int `json:"type_counts"`
	LastUpdated time.Time               `json:"last_updated"`
}

func compatProjects(ctx context.Context, c call[none, none]) (CompatProjects, error) {
	projects, err := c.Service.Projects(ctx)
	if err != nil {
		return CompatProjects{}, err
	}
	answer := CompatProjects{Projects: []CompatProject{}}
	for _, p := range projects {
		if p.Memories == 0 { // to older systems a tag exists once it holds something
			continue
		}
		scope := codememory.ScopeProject
		if p.ID == codememory.UserProject {
			scope = codememory.ScopeUser
		}
		answer.Projects = append(answer.Projects, CompatProject{
			UserID: p.Tag, Name: p.Name, Scope: scope, Count: p.Memories, TypeCounts: mapped(p.TypeCounts), LastUpdated: p.LastUpdated,
		})
	}
	return answer, nil
}

// CompatName is the request of POST /names.
type CompatName struct {
	UserID string `json:"user_id"`
	Name   string `json:"name"`
}

func compatSetName(ctx context.Context, c call[none, CompatName]) (CompatDone, error) {
	if _, err := ownerOf(c.Body.UserID); err != nil {
		return CompatDone{}, err
	}
	if strings.TrimSpace(c.Body.Name) == "" {
		return CompatDone{}, codememory.Errorf(codememory.Invalid, "user_id and name required")
	}
	err := c.Service.SetName(ctx, c.Body.UserID, c.Body.Name)
	return CompatDone{Success: err == nil}, err
}

func compatNames(ctx context.Context, c call[none, none]) (map[string]string, error) {
	names, err := c.Service.Names(ctx)
	return mapped(names), err
}

// compatStats names both scopes even when one is empty, as older clients read them.
func compatStats(ctx context.Context, c call[none, none]) (codememory.Stats, error) {
	s, err := c.Service.Stats(ctx)
	s.ByType = mapped(s.ByType)
	byScope := map[codememory.Scope]int{codememory.ScopeProject: 0, codememory.ScopeUser: 0}
	for scope, n := range s.ByScope {
		byScope[scope] = n
	}
	s.ByScope = byScope
	return s, err
}
