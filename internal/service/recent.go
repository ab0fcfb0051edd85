package service

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"codememory"
)

// withoutOwn leaves out summaries of the session that asks: its conversation
// goes on from them.
func withoutOwn(ms []codememory.Memory, session string) []codememory.Memory {
	if session == "" {
		return ms
	}
	return slices.DeleteFunc(ms, func(m codememory.Memory) bool {
		return m.Type == codememory.SessionSummary && m.Source.Session == session
	})
}

// withoutKnown leaves out of the bullets of a session the sentences that say
// what a memory says: one that stands in the same block, or one that no longer
// holds.
func withoutKnown(bullets []string, ms []codememory.Memory) []string {
	const least = 15 // shorter texts are found in anything
	var known []*regexp.Regexp
	for _, m := range ms {
		if text := strings.TrimRight(strings.Join(strings.Fields(m.Text), " "), ".!?… "); len(text) >= least && m.Type != codememory.SessionSummary {
			known = append(known, regexp.MustCompile(`(?i)[^.!?]*`+regexp.QuoteMeta(text)+`[.!?…]*(?:\s+|$)`))
		}
	}
	var out []string
	for _, b := range bullets {
		who, said, ok := strings.Cut(b, ": ")
		if !ok {
			who, said = "", b
		}
		for _, pattern := range known {
			said = strings.TrimSpace(pattern.ReplaceAllLiteralString(said, ""))
		}
		switch {
		case strings.Trim(said, " .,;:!?…") == "":
		case who == "":
			out = append(out, said)
		default:
			out = append(out, who+": "+said)
		}
	}
	return out
}

// noLonger returns the newest memories of a project that do not hold any more
// or wait for a person: what a session said of them must not come back.
func (s *Service) noLonger(ctx context.Context, p codememory.Project) ([]codememory.Memory, error) {
	const most = 200
	st, release, err := s.storeOf(ctx, p)
	if err != nil {
		return nil, err
	}
	defer release()
	page, err := st.List(ctx, codememory.Filter{States: []codememory.State{codememory.Superseded, codememory.Forgotten, codememory.Quarantined}}, codememory.PageRequest{Limit: most})
	return page.Memories, err
}
