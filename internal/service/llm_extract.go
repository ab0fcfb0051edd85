package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/capture"
	"codememory/internal/distill"
	"codememory/internal/llm"
	"codememory/internal/memfile"
)

// distil has a captured turn read by a model in its time. What is older than
// the installation is read only on request: there may be years of it.
func (s *Service) distil(ctx context.Context, c capture.Captured) error {
	if s.models.worker == nil {
		return nil
	}
	since, err := s.agents.history.Since(ctx, s.opts.Now())
	if err != nil || c.Turn.StartedAt.Before(since) {
		return err
	}
	return s.models.worker.Captured(ctx, c.Place.Project.ID, c.Turn)
}

// distilPoke passes on what an agent says about a session.
func (s *Service) distilPoke(ctx context.Context, p codememory.Poke) error {
	if s.models.worker == nil || p.Session == "" {
		return nil
	}
	switch p.Event {
	case "ended", "compacted", "created", "prompt":
	default:
		return nil
	}
	place, err := s.placeOf(ctx, p.Dir)
	if err != nil || !place.Enabled {
		return err
	}
	return s.models.worker.Happened(ctx, distill.Session{Agent: p.Agent, ID: p.Session, Project: place.Project.ID}, p.Event)
}

// undistil forgets turns that were undone before a model read them.
func (s *Service) undistil(ctx context.Context, agent, session string, turns []string) error {
	if s.models.queue == nil {
		return nil
	}
	return s.models.queue.DropTurns(ctx, agent, session, turns)
}

// Extract implements codememory.LLMService.
func (s *Service) Extract(ctx context.Context, r codememory.ExtractRequest) (codememory.ExtractReport, error) {
	out := codememory.ExtractReport{LLM: s.models.worker != nil, Sessions: []codememory.ExtractJob{}, Reason: s.llmOff()}
	if !out.LLM {
		// Rules read every turn by themselves; they only need to see it.
		s.agents.capturer.Wake()
		return out, nil
	}
	project := ""
	if r.Project != "" {
		p, err := s.find(ctx, r.Project)
		if err != nil {
			return out, err
		}
		project = p.ID
	}
	if r.Session != "" {
		if err := s.noteTurns(ctx, r.Session); err != nil {
			return out, err
		}
		project = "" // the session says where it belongs
	}
	waiting, err := s.models.queue.Waiting(ctx, project)
	if err != nil {
		return out, err
	}
	if r.Session != "" {
		waiting = slices.DeleteFunc(waiting, func(w distill.WaitingSession) bool { return w.ID != r.Session })
	}
	if r.DryRun {
		return s.estimate(ctx, waiting, out)
	}
	ids, err := s.enqueue(ctx, r, project, waiting)
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		job, err := s.models.queue.Job(ctx, id)
		if err == nil && r.Wait {
			job, err = s.finish(ctx, id)
		}
		if err != nil {
			return out, err
		}
		out.Sessions = append(out.Sessions, job)
		out.Memories += job.Memories
	}
	s.models.worker.Wake()
	return out, nil
}

// enqueue puts sessions in line, and what was given up if that is wanted.
func (s *Service) enqueue(ctx context.Context, r codememory.ExtractRequest, project string, waiting []distill.WaitingSession) ([]int64, error) {
	var ids []int64
	if r.Retry {
		s.models.tasks.Resume()
		again, err := s.models.queue.Retry(ctx, project, r.Session)
		if err != nil {
			return nil, err
		}
		ids = again
	}
	for _, w := range waiting {
		id, added, err := s.models.queue.Enqueue(ctx, distill.ExtractJob, w.Session)
		if err != nil {
			return nil, err
		}
		if added && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// finish waits for a job, and does it if nobody else does.
func (s *Service) finish(ctx context.Context, id int64) (codememory.ExtractJob, error) {
	const look = 100 * time.Millisecond
	for {
		job, ok, err := s.models.queue.LeaseJob(ctx, s.models.worker.Owner, id)
		if err != nil {
			return job, err
		}
		if ok {
			err := s.models.worker.Do(ctx, job) // it stands in the job, too
			if ctx.Err() != nil {
				return job, err
			}
			return s.models.queue.Job(ctx, id)
		}
		job, err = s.models.queue.Job(ctx, id)
		if err != nil || job.State != "running" {
			return job, err
		}
		select {
		case <-ctx.Done():
			return job, ctx.Err()
		case <-time.After(look):
		}
	}
}

// estimate says what reading would take.
func (s *Service) estimate(ctx context.Context, waiting []distill.WaitingSession, out codememory.ExtractReport) (codememory.ExtractReport, error) {
	for _, w := range waiting {
		job := codememory.ExtractJob{Kind: string(distill.ExtractJob), Agent: w.Agent, Session: w.ID, Project: w.Project, Turns: len(w.Turns), State: "waiting"}
		turns, err := distillHost{s}.Turns(ctx, w.Agent, w.ID)
		if err != nil && codememory.CodeOf(err) != codememory.NotFound {
			return out, err
		}
		job.Tokens = s.models.worker.Estimate(turns, w.Turns)
		job.CostUSD = s.models.tasks.Cost(llm.Extract, job.Tokens, job.Tokens/10)
		out.Sessions = append(out.Sessions, job)
	}
	return out, nil
}

// noteTurns makes the closed turns of a session known that are not, whatever
// their age: somebody asked for them.
func (s *Service) noteTurns(ctx context.Context, session string) error {
	src, sess, err := s.findSession(ctx, session)
	if err != nil {
		return err
	}
	place, err := s.placeOf(ctx, sess.Dir)
	if err != nil {
		return err
	}
	if !place.Enabled {
		return codememory.Errorf(codememory.Forbidden, "nothing is captured in %s, so no model reads it either", sess.Dir)
	}
	turns, err := distillHost{s}.Turns(ctx, src.Agent(), session)
	if err != nil {
		return err
	}
	for _, t := range turns {
		if _, _, err := s.models.queue.AddTurn(ctx, distill.Session{Agent: src.Agent(), ID: session, Project: place.Project.ID}, t.ID, t.EndedAt); err != nil {
			return err
		}
	}
	return nil
}

// findSession looks for a session in the records of all agents.
func (s *Service) findSession(ctx context.Context, id string) (codememory.Transcripts, codememory.AgentSession, error) {
	for _, src := range s.agents.sources {
		sess, err := src.Session(ctx, id)
		if err == nil {
			return src, sess, nil
		}
		if code := codememory.CodeOf(err); code != codememory.NotFound && code != codememory.Unavailable && code != codememory.Invalid {
			return nil, sess, err
		}
	}
	return nil, codememory.AgentSession{}, codememory.Errorf(codememory.NotFound, "no agent has a session %s: codememory sessions lists those that were captured", id)
}

// Arc implements codememory.LLMService.
func (s *Service) Arc(ctx context.Context, r codememory.ArcRequest) (codememory.Arc, error) {
	none := codememory.Arc{Session: r.Session}
	if s.models.queue == nil {
		return none, nil
	}
	for _, src := range s.agents.sources {
		if arc, err := s.models.queue.Arc(ctx, src.Agent(), r.Session); err != nil || arc.Text != "" {
			return arc, err
		}
	}
	return none, nil
}

// GenerateArc implements codememory.LLMService.
func (s *Service) GenerateArc(ctx context.Context, r codememory.ArcRequest) error {
	if s.models.worker == nil || !s.models.tasks.Has(llm.Arc) {
		why := s.llmOff()
		if why == "" {
			why = "no language model is configured for the role arc"
		}
		return codememory.Errorf(codememory.Unavailable, "%s", why)
	}
	src, sess, err := s.findSession(ctx, r.Session)
	if err != nil {
		return err
	}
	place, err := s.placeOf(ctx, sess.Dir)
	if err != nil {
		return err
	}
	return s.models.worker.Request(ctx, distill.ArcJob, distill.Session{Agent: src.Agent(), ID: r.Session, Project: place.Project.ID})
}

// distillHost is the service as distilling sees it.
type distillHost struct{ *Service }

// Turns implements distill.Host: the closed turns of a session, redacted.
func (h distillHost) Turns(ctx context.Context, agent, session string) ([]codememory.Turn, error) {
	const output = 4 << 10 // of a tool: enough to find a fact again
	for _, src := range h.agents.sources {
		if src.Agent() != agent {
			continue
		}
		turns, err := src.Turns(ctx, session, output)
		if err != nil {
			return nil, err
		}
		var out []codememory.Turn
		for _, t := range turns {
			if t.State != codememory.TurnOpen {
				out = append(out, capture.Redacted(t, h.redactor.String))
			}
		}
		return out, nil
	}
	return nil, codememory.Errorf(codememory.NotFound, "the records of %s are not read here", agent)
}

// Wanted implements distill.Host.
func (h distillHost) Wanted(ctx context.Context, ref string) bool {
	p, err := h.find(ctx, ref)
	if err != nil {
		return false
	}
	c := h.configFor(p)
	return c.LLM.Enabled && !c.Disable && c.Capture.Enabled
}

// SaveSummary implements distill.Host. A summary grows with its session: its
// earlier wordings are of no interest, unless somebody else wrote them.
func (h distillHost) SaveSummary(ctx context.Context, sess distill.Session, memory, text string, turns []string, at time.Time) (string, error) {
	p, err := h.find(ctx, sess.Project)
	if err != nil {
		return "", err
	}
	st, release, err := h.storeOf(ctx, p)
	if err != nil {
		return "", err
	}
	defer release()
	if memory != "" {
		_, err := st.Update(ctx, memory, func(m *codememory.Memory) error {
			if m.Forgotten != nil || m.Source.Author != codememory.AuthorExtractor {
				return errNotOurs
			}
			m.Text, m.UpdatedAt, m.Archived = memfile.CleanText(text), at, false
			m.Source.Turns = lastOf(append(slices.Clone(m.Source.Turns), turns...), 50)
			return nil
		})
		switch {
		case err == nil:
			h.backlog.wake()
			return memory, nil
		case errors.Is(err, errNotOurs):
			return memory, nil // somebody threw it away, or made it his own
		case codememory.CodeOf(err) != codememory.NotFound:
			return "", err
		}
	}
	res, err := h.Add(ctx, codememory.AddRequest{
		Project: p.ID, Type: codememory.SessionSummary, Text: text, Verbatim: true, CreatedAt: at,
		Source: codememory.Source{Agent: sess.Agent, Session: sess.ID, Turns: lastOf(turns, 50), Author: codememory.AuthorExtractor, Class: codememory.ClassAgent, Rule: distill.RuleOf(llm.Summarise)},
	})
	if err != nil {
		return "", err
	}
	_, err = h.age(ctx, st, false)
	return res.Memory.ID, err
}

var errNotOurs = errors.New("it is not ours to change")

func lastOf(list []string, most int) []string { return list[max(0, len(list)-most):] }

// shortened returns the end of a text.
func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-most:], "")
}
