package cli

import (
	"context"
	"strings"

	"codememory"
	"codememory/internal/cli/term"
)

// shownIDColumns is as wide as mem_0a1b2c3d and the gap behind it.
const shownIDColumns = 14

// printHead prints the line above the text of a memory.
func (p *program) printHead(lead string, m codememory.Memory, names map[string]string) {
	s := p.style()
	p.painted(lead+s.Cyan(codememory.ShownID(m.ID))+"  ", term.Width(lead)+shownIDColumns, p.caption(m, names), s.Dim)
}

// caption is the line under which a memory is shown: what it is, whose and how old.
func (p *program) caption(m codememory.Memory, names map[string]string) string {
	parts := []string{string(m.Type)}
	if m.Category != "" {
		parts = append(parts, string(m.Category))
	}
	switch {
	case m.Scope == codememory.ScopeUser:
		parts = append(parts, "user")
	case names[m.Project] != "":
		parts = append(parts, names[m.Project])
	}
	if m.Pinned {
		parts = append(parts, "pinned")
	}
	if state := m.State(); state != codememory.Active {
		parts = append(parts, string(state))
	}
	return term.OneLine(strings.Join(append(parts, ago(p.now(), m.UpdatedAt)), " · "))
}

// projectNames maps project ids to names, when they are going to be shown.
func (p *program) projectNames(ctx context.Context, svc codememory.Service, wanted bool) (map[string]string, error) {
	if !wanted {
		return nil, nil
	}
	projects, err := svc.Projects(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(projects))
	for _, project := range projects {
		names[project.ID] = project.Name
	}
	return names, nil
}

// nameOf is the name of a project, or its id when it has none.
func nameOf(id string, names map[string]string) string {
	if name := names[id]; name != "" {
		return term.OneLine(name)
	}
	return id
}
