package distill

import (
	"context"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/task"
)

// candidate is a fact that is good enough to be stored, and its verdict.
type candidate struct {
	request codememory.AddRequest
	verdict verdict
}

// store keeps the facts of one batch that hold, with their entities, and then
// relates the new memories to the old ones. It returns those that are new or
// changed.
func (w *Worker) store(ctx context.Context, about task.About, job codememory.ExtractJob, facts []task.Fact, model string, chunk []labelled) ([]codememory.Memory, error) {
	var found []candidate
	for _, f := range facts {
		v := judge(f, chunk)
		if v.drop {
			w.Log.Info("a fact was not believed", "session", job.Session, "model", model)
			continue
		}
		found = append(found, candidate{w.request(job, f, v, model), v})
	}
	if len(found) == 0 {
		return nil, nil
	}
	if err := w.nameEntities(ctx, about, found); err != nil {
		return nil, err
	}
	var fresh []codememory.Memory
	var byUser []bool
	for _, c := range found {
		res, err := w.Host.Add(ctx, c.request)
		switch {
		case codememory.CodeOf(err) == codememory.Invalid: // nothing is left without what is private in it
			continue
		case err != nil:
			return fresh, err
		case res.Event == codememory.Unchanged || res.Memory.State() != codememory.Active:
			continue
		}
		fresh, byUser = append(fresh, res.Memory), append(byUser, c.verdict.byUser())
	}
	return fresh, w.relate(ctx, about, fresh, byUser)
}

// RuleOf names a role where the source of a memory names the rule that made it.
func RuleOf(role llm.Role) string { return "llm-" + string(role) }

// request makes a memory of a fact.
func (w *Worker) request(job codememory.ExtractJob, f task.Fact, v verdict, model string) codememory.AddRequest {
	r := codememory.AddRequest{
		Project: job.Project, Text: f.Text, Type: f.Type, Category: f.Category, Importance: f.Importance, Quarantine: v.quarantine,
		Metadata: map[string]any{"model": model},
		Source: codememory.Source{
			Agent: job.Agent, Session: job.Session, Author: codememory.AuthorExtractor, Class: v.class, Rule: RuleOf(llm.Extract), Confidence: v.confidence,
		},
	}
	for _, t := range v.turns {
		r.Source.Turns = append(r.Source.Turns, t.turn.ID)
		r.CreatedAt = t.turn.EndedAt
	}
	if len(v.turns) > 0 {
		const most = 300
		if excerpt := strings.Join(strings.Fields(v.turns[0].turn.Prompt), " "); len(excerpt) <= most {
			r.Source.Excerpt = excerpt
		} else {
			r.Source.Excerpt = strings.ToValidUTF8(excerpt[:most], "") + "…"
		}
	}
	return r
}

// nameEntities asks once for the things that all new memories are about.
// Without an answer there are those that rules find.
func (w *Worker) nameEntities(ctx context.Context, about task.About, found []candidate) error {
	if !w.Tasks.Has(llm.Entities) {
		return nil
	}
	texts := make([]string, len(found))
	for i, c := range found {
		texts[i] = c.request.Text
	}
	names, err := w.Tasks.Entities(ctx, about, texts)
	if err != nil {
		return optional(ctx, err)
	}
	for i := range found {
		found[i].request.Entities = names[i]
	}
	return nil
}

// optional lets a task fail that only adds to another: its failure is in the
// ledger, and what was extracted is not lost for it. The end of the process
// is passed on.
func optional(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}

// relate finds out how new memories relate to their neighbours, and which old
// ones they make obsolete: one call for each question, whatever their number.
func (w *Worker) relate(ctx context.Context, about task.About, fresh []codememory.Memory, byUser []bool) error {
	if len(fresh) == 0 {
		return nil
	}
	near := make([][]codememory.Memory, len(fresh))
	var old []codememory.Memory
	for i, m := range fresh {
		found, err := w.neighbours(ctx, about.Project, m, fresh)
		if err != nil {
			return err
		}
		near[i] = found
		for _, n := range found {
			if !slices.ContainsFunc(old, func(o codememory.Memory) bool { return o.ID == n.ID }) && len(old) < maxCandidates {
				old = append(old, n)
			}
		}
	}
	if len(old) == 0 {
		return nil
	}
	replaced, err := w.contradict(ctx, about, fresh, byUser, old)
	if err != nil {
		return err
	}
	return w.link(ctx, about, fresh, near, replaced)
}

const (
	maxCandidates = 25
	maxNeighbours = 5
)

// neighbours returns the memories that a new one could have to do with.
func (w *Worker) neighbours(ctx context.Context, project string, m codememory.Memory, fresh []codememory.Memory) ([]codememory.Memory, error) {
	floor := 0.0
	found, err := w.Host.Search(ctx, codememory.SearchRequest{Text: m.Text, Project: project, Reach: codememory.ReachProject, Limit: maxNeighbours + len(fresh), Literal: true, Floor: &floor})
	if err != nil {
		return nil, err
	}
	var out []codememory.Memory
	for _, h := range found.Hits {
		switch h.Memory.Type {
		case codememory.SessionSummary, codememory.Progress, codememory.ActiveContext, codememory.Conversation:
			continue // those come and go by themselves
		default:
		}
		if !slices.ContainsFunc(fresh, func(f codememory.Memory) bool { return f.ID == h.Memory.ID }) && sameSubject(m, h.Memory) && len(out) < maxNeighbours {
			out = append(out, h.Memory)
		}
	}
	return out, nil
}

type pairKey struct{ fresh, old string }

// contradict hides what new memories make obsolete. What a person said himself
// is hidden only by what a person said; otherwise both stay and are linked.
func (w *Worker) contradict(ctx context.Context, about task.About, fresh []codememory.Memory, byUser []bool, old []codememory.Memory) (map[pairKey]bool, error) {
	if !w.Tasks.Has(llm.Contradict) {
		return nil, nil
	}
	pairs, err := w.Tasks.Contradict(ctx, about, fresh, old)
	if err != nil {
		return nil, optional(ctx, err)
	}
	done := map[pairKey]bool{}
	for _, p := range pairs {
		m, o := fresh[p.New], old[p.Old]
		if !sameSubject(m, o) || done[pairKey{m.ID, o.ID}] {
			continue
		}
		done[pairKey{m.ID, o.ID}] = true
		e := codememory.Edit{Reason: p.Reason}
		if (o.Source.Author == codememory.AuthorUser || o.Pinned) && !byUser[p.New] {
			e.Link = []codememory.Link{{To: o.ID, Type: codememory.Conflicts, Reason: p.Reason}}
		} else {
			e.Supersede = []codememory.Supersession{{ID: o.ID, Reason: p.Reason}}
		}
		if _, err := w.Host.Edit(ctx, codememory.Ref{Project: about.Project, ID: m.ID}, e); err != nil {
			return done, err
		}
	}
	return done, nil
}

// link says how new memories relate to their neighbours, where that is more
// than being about the same thing.
func (w *Worker) link(ctx context.Context, about task.About, fresh []codememory.Memory, near [][]codememory.Memory, done map[pairKey]bool) error {
	if !w.Tasks.Has(llm.Link) {
		return nil
	}
	var pairs []task.Pair
	var keys []pairKey
	for i, m := range fresh {
		for _, n := range near[i] {
			if key := (pairKey{m.ID, n.ID}); !done[key] && len(pairs) < maxCandidates {
				pairs, keys = append(pairs, task.Pair{A: m.Text, B: n.Text}), append(keys, key)
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	types, err := w.Tasks.Link(ctx, about, pairs)
	if err != nil {
		return optional(ctx, err)
	}
	for i, t := range types {
		switch t {
		case codememory.Contextualizes:
			continue
		case codememory.SupersedesLink: // only the question about obsolete memories decides that
			t = codememory.Refines
		default:
		}
		e := codememory.Edit{Link: []codememory.Link{{To: keys[i].old, Type: t}}}
		if _, err := w.Host.Edit(ctx, codememory.Ref{Project: about.Project, ID: keys[i].fresh}, e); err != nil {
			return err
		}
	}
	return nil
}
