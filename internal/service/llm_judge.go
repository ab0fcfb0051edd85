package service

import (
	"context"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/lifecycle"
	"codememory/internal/llm"
	"codememory/internal/llm/task"
)

// modelJudge lets a language model decide about memories where rules cannot.
// What rules can tell needs no model.
type modelJudge struct {
	tasks task.Tasks
	rules lifecycle.Rules
}

var _ lifecycle.Judge = modelJudge{}

// Consolidate implements lifecycle.Judge.
func (j modelJudge) Consolidate(ctx context.Context, ms []codememory.Memory) (lifecycle.Verdict, error) {
	v, err := j.rules.Consolidate(ctx, ms)
	if err != nil || len(v.Merge) > 0 || !j.tasks.Has(llm.Consolidate) {
		return v, err
	}
	d, err := j.tasks.Consolidate(ctx, task.About{Project: ms[0].Project}, ms)
	switch {
	case err != nil:
		return lifecycle.Verdict{}, codememory.Errorf(codememory.Unavailable, "no model decided: %w", err)
	case !d.Squash:
		return lifecycle.Verdict{Refuse: true}, nil
	case !saysAll(d.Text, ms):
		return lifecycle.Verdict{}, nil // a merger that loses something is none
	}
	keep := slices.MinFunc(ms, func(a, b codememory.Memory) int { return lifecycle.Better(a, b) })
	g := lifecycle.Group{Keep: keep.ID, Text: d.Text, Reason: d.Reason}
	for _, m := range ms {
		if m.ID != keep.ID {
			g.Replace = append(g.Replace, m.ID)
		}
	}
	return lifecycle.Verdict{Merge: []lifecycle.Group{g}}, nil
}

// saysAll reports whether a text names every number, negation, path and other
// exact thing that the memories name, and most of their words.
func saysAll(merged string, ms []codememory.Memory) bool {
	const most = 0.7
	low := strings.ToLower(merged)
	subject, values := lifecycle.Content(merged)
	for _, m := range ms {
		words, numbers := lifecycle.Content(m.Text)
		if !lifecycle.Subset(numbers, values) {
			return false
		}
		shared := 0
		for _, w := range words {
			if _, ok := slices.BinarySearch(subject, w); ok {
				shared++
			}
		}
		if float64(shared) < most*float64(len(words)) {
			return false
		}
		for _, token := range strings.Fields(strings.ToLower(m.Text)) {
			if token = strings.Trim(token, `.,;:!?()[]"'`+"`"); strings.ContainsAny(token, "/_.0123456789") && !strings.Contains(low, token) {
				return false
			}
		}
	}
	return true
}

// Condense implements lifecycle.Judge.
func (j modelJudge) Condense(ctx context.Context, texts []string, limit int) (string, error) {
	if j.tasks.Has(llm.Summarise) {
		if said, err := j.tasks.Condense(ctx, task.About{}, texts); err == nil && len(said) <= limit {
			return said, nil
		}
	}
	return j.rules.Condense(ctx, texts, limit)
}
