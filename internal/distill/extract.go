package distill

import (
	"context"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/task"
)

const (
	// chunkTokens is how much of a conversation a model reads at once at most:
	// more would fit, but details get lost in it.
	chunkTokens = 24_000
	leastTokens = 1_000
	promptRoom  = 3_000 // for the instructions and the memories that are known
	maxKnown    = 15
)

// extract reads the turns of a job and stores what they are worth.
func (w *Worker) extract(ctx context.Context, job codememory.ExtractJob, turns []codememory.Turn) error {
	wanted, err := w.Queue.Turns(ctx, job.ID)
	if err != nil {
		return err
	}
	if !w.Tasks.Has(llm.Extract) { // only summaries are wanted
		return w.Queue.Read(ctx, job.ID, w.Owner, wanted, 0)
	}
	turns = slices.DeleteFunc(slices.Clone(turns), func(t codememory.Turn) bool { return !slices.Contains(wanted, t.ID) })
	arc, err := w.Queue.Arc(ctx, job.Agent, job.Session)
	if err != nil {
		return err
	}
	about := task.About{Project: job.Project, Session: job.Session}
	limit := w.chunkLimit(llm.Extract, task.ExtractTokens)
	labels, err := w.compressed(ctx, about, label(turns), limit)
	if err != nil {
		return err
	}
	var earlier []codememory.Memory
	for _, chunk := range chunks(labels, limit) {
		if !worthReading(chunk) {
			if err := w.Queue.Read(ctx, job.ID, w.Owner, turnIDs(chunk), 0); err != nil {
				return err
			}
			continue
		}
		known, err := w.known(ctx, job.Project, chunk)
		if err != nil {
			return err
		}
		facts, answer, err := w.Tasks.Extract(ctx, about, task.Conversation{Transcript: joined(chunk), Known: append(known, earlier...), Arc: tail(arc.Text, 2000)})
		if err != nil {
			return err
		}
		// The model took its time: somebody else may have the job by now.
		if err := w.Queue.Renew(ctx, job.ID, w.Owner); err != nil {
			return err
		}
		added, err := w.store(ctx, about, job, facts, answer.Model, chunk)
		if err != nil {
			return err
		}
		earlier = append(earlier, added...)
		if err := w.Queue.Read(ctx, job.ID, w.Owner, turnIDs(chunk), len(added)); err != nil {
			return err
		}
	}
	return nil
}

// worthReading reports whether anything was said: a greeting is not worth a call.
func worthReading(chunk []labelled) bool {
	const least = 40
	size := 0
	for _, t := range chunk {
		size += len(strings.TrimSpace(t.turn.Prompt)) + len(strings.TrimSpace(t.turn.Answer()))
	}
	return size >= least
}

// chunkLimit is how many tokens of a conversation a role reads at once.
func (w *Worker) chunkLimit(role llm.Role, answer int) int {
	return max(leastTokens, min(chunkTokens, w.Tasks.Window(role, answer)-promptRoom))
}

// compressed has turns that do not fit told in a few lines, if somebody is
// configured for that. Else they are cut later.
func (w *Worker) compressed(ctx context.Context, about task.About, turns []labelled, tokens int) ([]labelled, error) {
	if !w.Tasks.Has(llm.Compress) {
		return turns, nil
	}
	for i, t := range turns {
		if llm.EstimateTokens(t.text) <= tokens {
			continue
		}
		told, err := w.Tasks.Compress(ctx, about, middle(t.text, 4*w.chunkLimit(llm.Compress, task.CompressTokens)))
		switch llm.ClassOf(err) {
		case llm.BadOutput, llm.Refused: // it is cut instead
		default:
			if err != nil {
				return nil, err
			}
			turns[i].text = t.label + " User: " + middle(t.turn.Prompt, maxPrompt) + "\n" + told + "\n"
		}
	}
	return turns, nil
}

// known returns the memories nearest to what a conversation is about.
func (w *Worker) known(ctx context.Context, project string, chunk []labelled) ([]codememory.Memory, error) {
	var asked []string
	for _, t := range chunk {
		asked = append(asked, middle(t.turn.Prompt, 300))
	}
	question := tail(strings.Join(asked, "\n"), 2000)
	if strings.TrimSpace(question) == "" {
		return nil, nil
	}
	floor := 0.0
	found, err := w.Host.Search(ctx, codememory.SearchRequest{Text: question, Project: project, Limit: maxKnown, Literal: true, Floor: &floor})
	if err != nil {
		return nil, err
	}
	var out []codememory.Memory
	for _, h := range found.Hits {
		if h.Memory.Type != codememory.SessionSummary {
			out = append(out, h.Memory)
		}
	}
	return out, nil
}

// tail returns the end of a text.
func tail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-most:], "")
}

// Estimate says how many tokens reading these turns of a session takes, the
// instructions included.
func (w *Worker) Estimate(turns []codememory.Turn, ids []string) int {
	turns = slices.DeleteFunc(slices.Clone(turns), func(t codememory.Turn) bool { return !slices.Contains(ids, t.ID) })
	tokens := 0
	for _, chunk := range chunks(label(turns), w.chunkLimit(llm.Extract, task.ExtractTokens)) {
		if worthReading(chunk) {
			tokens += promptRoom + llm.EstimateTokens(joined(chunk))
		}
	}
	return tokens
}
