package service

import (
	"context"

	"codememory"
	"codememory/internal/lifecycle"
	"codememory/internal/llm"
	"codememory/internal/llm/task"
)

// judgeFor is who decides about memories that are alike: whoever the caller of
// Open named, else the configured model for what the rules cannot tell.
func (s *Service) judgeFor(p codememory.Project) lifecycle.Judge {
	if s.opts.Judge != nil {
		return s.opts.Judge
	}
	if s.models.worker != nil && s.models.tasks.Has(llm.Consolidate) && s.configFor(p).LLM.Enabled {
		return modelJudge{tasks: s.models.tasks, about: task.About{Project: p.ID}}
	}
	return lifecycle.Rules{}
}

// modelJudge asks a model where the rules find nothing to merge.
type modelJudge struct {
	lifecycle.Rules

	tasks task.Tasks
	about task.About
}

// Consolidate implements lifecycle.Judge.
func (j modelJudge) Consolidate(ctx context.Context, ms []codememory.Memory) (lifecycle.Verdict, error) {
	v, err := j.Rules.Consolidate(ctx, ms)
	if err != nil || len(v.Merge) > 0 {
		return v, err // what is left of the group is looked at next time
	}
	d, err := j.tasks.Consolidate(ctx, j.about, ms)
	switch {
	case err != nil && ctx.Err() != nil:
		return v, ctx.Err()
	case err != nil: // paid for and paused by the caller of models; asked again next time
		return v, codememory.Errorf(codememory.Unavailable, "the model for consolidation: %w", err)
	case !d.Squash:
		return lifecycle.Verdict{Refuse: true}, nil
	}
	ids := lifecycle.BestFirst(ms)
	return lifecycle.Verdict{Merge: []lifecycle.Group{{Keep: ids[0], Replace: ids[1:], Text: d.Text, Reason: d.Reason}}}, nil
}
