package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/journal"
)

// briefs counts the memories that describe a project.
func (s *Service) briefs(ctx context.Context, p codememory.Project) (int, error) {
	types := []codememory.Type{codememory.ProjectBrief, codememory.TechContext, codememory.ProjectConfig}
	page, err := s.listIn(ctx, p, codememory.Filter{States: codememory.AnyState, Types: types}, codememory.PageRequest{Limit: 1})
	return page.Total, err
}

// The size of what the stable block says about earlier sessions.
const (
	recentSessions = 3
	recentBullets  = 6
	recentBytes    = 420
)

// withRecentSessions adds what the last sessions did, from the journal, unless
// summaries of sessions say it.
func (s *Service) withRecentSessions(ctx context.Context, p codememory.Project, ms []codememory.Memory, current string) ([]codememory.Memory, error) {
	ms = withoutOwn(ms, current)
	if slices.ContainsFunc(ms, func(m codememory.Memory) bool { return m.Type == codememory.SessionSummary }) {
		return ms, nil
	}
	dir, err := s.storeDir(p)
	if err != nil {
		return nil, err
	}
	recent, err := journal.Open(dir, s.opts.Config.Config.Location()).Recent(recentSessions, current)
	if err != nil {
		return nil, err
	}
	gone, err := s.noLonger(ctx, p)
	if err != nil {
		return nil, err
	}
	known := slices.Concat(ms, gone)
	for i, d := range recent {
		if d.Bullets = withoutKnown(d.Bullets, known); len(d.Bullets) == 0 {
			continue
		}
		at := s.opts.Now().UTC().Truncate(24 * time.Hour).Add(-time.Duration(i) * time.Hour) // only their order counts
		ms = append(ms, codememory.Memory{ID: codememory.TextHash(d.Session), Type: codememory.SessionSummary, Scope: codememory.ScopeProject, Text: digestText(d), CreatedAt: at, UpdatedAt: at})
	}
	return ms, nil
}

// digestText tells a session in a few lines: what the user said counts most.
func digestText(d journal.Digest) string {
	var said, done []string
	for _, b := range d.Bullets {
		if strings.HasPrefix(b, "User") {
			said = append(said, b)
		} else {
			done = append(done, b)
		}
	}
	lines := append(said[:min(len(said), recentBullets)], done[max(0, len(done)-3):]...)
	text := fmt.Sprintf("%s, %s: %s", d.Day, d.Agent, strings.Join(lines, " "))
	if len(text) > recentBytes {
		text = strings.ToValidUTF8(text[:recentBytes], "") + "…"
	}
	return text
}
