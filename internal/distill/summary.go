package distill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/task"
)

// summarise writes the summary of a session on: from the one so far and the
// turns since.
func (w *Worker) summarise(ctx context.Context, job codememory.ExtractJob, turns []codememory.Turn) error {
	if !w.Tasks.Has(llm.Summarise) {
		return nil
	}
	open, err := w.Queue.Unsummarised(ctx, job.Agent, job.Session)
	if err != nil {
		return err
	}
	turns = slices.DeleteFunc(slices.Clone(turns), func(t codememory.Turn) bool { return !slices.Contains(open, t.ID) })
	if len(turns) == 0 || !worthReading(label(turns)) {
		return nil
	}
	sum, err := w.Queue.Summary(ctx, job.Agent, job.Session)
	if err != nil {
		return err
	}
	about := task.About{Project: job.Project, Session: job.Session}
	for _, chunk := range chunks(label(turns), w.chunkLimit(llm.Summarise, task.SummariseTokens)) {
		text, err := w.Tasks.Summarise(ctx, about, sum.Text, joined(chunk))
		if err != nil {
			return err
		}
		if err := w.Queue.Renew(ctx, job.ID, w.Owner); err != nil {
			return err
		}
		sum.Text = w.Redact(withoutOrders(text, chunk))
		if sum.Text == "" {
			return llm.Errorf(llm.BadOutput, "the summary only repeats what a tool's output tells agents to do")
		}
		last := chunk[len(chunk)-1].turn
		sum.Memory, err = w.Host.SaveSummary(ctx, Session{job.Agent, job.Session, job.Project}, sum.Memory, sum.Text, turnIDs(chunk), last.EndedAt)
		if err != nil {
			return err
		}
		if err := w.Queue.SaveSummary(ctx, job.Agent, job.Session, sum, turnIDs(chunk)); err != nil {
			return err
		}
	}
	return nil
}

const (
	arcTokens   = 6_000 // of a part of a session
	leastOfArc  = 2     // turns without which there is no course
	overlapOfIt = 3_000 // bytes of the part before that a model sees
)

// arc draws the course of a session. Parts whose turns are as they were keep
// their drawing; from the first one that changed all are drawn anew.
func (w *Worker) arc(ctx context.Context, job codememory.ExtractJob, turns []codememory.Turn) error {
	if len(turns) < leastOfArc || !w.Tasks.Has(llm.Arc) {
		return nil
	}
	old, _, err := w.Queue.fragments(ctx, job.Agent, job.Session)
	if err != nil {
		return err
	}
	parts := chunks(label(turns), min(arcTokens, w.chunkLimit(llm.Arc, task.ArcTokens)))
	from := 0
	for from < min(len(parts), len(old)) && old[from].hash == hashOf(parts[from]) {
		from++
	}
	previous := ""
	if from > 0 {
		previous = old[from-1].text
	}
	var drawn []fragment
	for _, part := range parts[from:] {
		text, err := w.Tasks.Arc(ctx, task.About{Project: job.Project, Session: job.Session}, tail(previous, overlapOfIt), joined(part))
		if err != nil {
			return err
		}
		text = w.Redact(text)
		drawn, previous = append(drawn, fragment{hashOf(part), text}), text
	}
	if err := w.Queue.Renew(ctx, job.ID, w.Owner); err != nil {
		return err
	}
	for i := range drawn[:max(0, len(drawn)-1)] {
		drawn[i].text = withoutCurrent(drawn[i].text)
	}
	return w.Queue.saveFragments(ctx, job.Agent, job.Session, from, drawn)
}

// withoutCurrent takes out where things stood: only the last part knows.
func withoutCurrent(arc string) string {
	lines := strings.Split(arc, "\n")
	kept := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.Contains(l, "CURRENT") })
	if len(kept) == 0 {
		return arc
	}
	return strings.Join(kept, "\n")
}

func hashOf(part []labelled) string {
	sum := sha256.Sum256([]byte(joined(part)))
	return hex.EncodeToString(sum[:8])
}
