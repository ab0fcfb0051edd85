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

// judgeFor is who decides about memories that are alike and shortens old
// summaries: whoever the caller of Open named, else the configured model for
// what the rules cannot tell.
func (s *Service) judgeFor(p codememory.Project) lifecycle.Judge {
	if s.opts.Judge != nil {
		return s.opts.Judge
	}
	if s.models.worker != nil && s.configFor(p).LLM.Enabled {
		return modelJudge{tasks: s.models.tasks, about: task.About{Project: p.ID}}
	}
	return lifecycle.Rules{}
}

// modelJudge asks a language model where rules cannot decide. What rules can
// tell needs no model.
type modelJudge struct {
	lifecycle.Rules

	tasks task.Tasks
	about task.About
}

var _ lifecycle.Judge = modelJudge{}

// Consolidate implements lifecycle.Judge.
func (j modelJudge) Consolidate(ctx context.Context, ms []codememory.Memory) (lifecycle.Verdict, error) {
	v, err := j.Rules.Consolidate(ctx, ms)
	if err != nil || len(v.Merge) > 0 || !j.tasks.Has(llm.Consolidate) {
		return v, err // what is left of the group is looked at next time
	}
	d, err := j.tasks.Consolidate(ctx, j.about, ms)
	switch {
	case err != nil && ctx.Err() != nil:
		return v, ctx.Err()
	case err != nil: // paid for and paused by the caller of models; asked again next time
		return v, codememory.Errorf(codememory.Unavailable, "the model for consolidation: %w", err)
	case !d.Squash || !saysAll(d.Text, ms): // a merger that loses something is none
		return lifecycle.Verdict{Refuse: true}, nil
	}
	ids := lifecycle.BestFirst(ms)
	return lifecycle.Verdict{Merge: []lifecycle.Group{{Keep: ids[0], Replace: ids[1:], Text: d.Text, Reason: d.Reason}}}, nil
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
		if said, err := j.tasks.Condense(ctx, j.about, texts); err == nil && len(said) <= limit {
			return said, nil
		}
	}
	return j.Rules.Condense(ctx, texts, limit)
}
