package service

import (
	"context"
	"slices"

	"codememory"
	"codememory/internal/extract"
	"codememory/internal/store"
)

// keepCorrected puts right what memories say wrongly, as the user said: the
// newest is told anew with the right value, and replaces all of them. When none
// says it wrongly, what the user said is kept as it is.
func (k keeper) keepCorrected(ctx context.Context, c extract.Candidate, r codememory.AddRequest) error {
	known, err := k.correctable(ctx)
	if err != nil {
		return err
	}
	for _, old := range known {
		if old.Source.Rule == r.Source.Rule && old.Source.Session == r.Source.Session && slices.Equal(old.Source.Turns, r.Source.Turns) && old.Source.Excerpt == r.Source.Excerpt {
			return nil // told twice
		}
		amended, wrong := c.Corrects.Amend(old.Text)
		if !wrong || old.State() != codememory.Active || old.CreatedAt.After(k.at) {
			continue
		}
		if len(r.Supersedes) == 0 {
			r.Text, r.Type, r.Category = amended, old.Type, old.Category
		}
		r.Supersedes = append(r.Supersedes, codememory.Supersession{ID: old.ID, Reason: "the user corrected it: " + c.Text})
	}
	if said, err := k.worded(ctx, r.Text); err != nil || said {
		return err
	}
	r.Verbatim = len(r.Supersedes) > 0 // by its words it would be the wrong one with another value
	_, err = k.s.Add(ctx, r)
	return err
}

// correctable returns what can be wrong because somebody said it so, newest
// first: not what tools proved or files say.
func (k keeper) correctable(ctx context.Context) ([]codememory.Memory, error) {
	var found []codememory.Memory
	filter := codememory.Filter{States: codememory.AnyState, Types: []codememory.Type{
		codememory.LearnedPattern, codememory.Preference, codememory.Architecture, codememory.TechContext, codememory.ProductContext, codememory.ProjectConfig,
	}}
	err := k.in(ctx, func(st *store.Store) error {
		return eachListed(ctx, st, filter, func(m codememory.Memory) {
			if m.Source.Class != codememory.ClassTool && m.Source.Class != codememory.ClassFile {
				found = append(found, m)
			}
		})
	})
	return found, err
}

// eachListed calls fn with every memory of a store that fits, last updated first.
func eachListed(ctx context.Context, st *store.Store, filter codememory.Filter, fn func(codememory.Memory)) error {
	page := codememory.PageRequest{Limit: 500}
	for {
		got, err := st.List(ctx, filter, page)
		if err != nil {
			return err
		}
		for _, m := range got.Memories {
			fn(m)
		}
		if got.Next == "" {
			return nil
		}
		page.Cursor = got.Next
	}
}
