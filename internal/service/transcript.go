package service

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"codememory"
	"codememory/internal/capture"
	"codememory/internal/history"
	"codememory/internal/text"
)

const (
	defaultTurns  = 50
	defaultOutput = 4000
)

// Transcript implements codememory.ViewService.
func (s *Service) Transcript(ctx context.Context, r codememory.TranscriptRequest) (codememory.Transcript, error) {
	out := codememory.Transcript{Turns: []codememory.Turn{}}
	src, sess, err := s.recordsOf(ctx, r.Agent, r.Session)
	if err != nil {
		return out, err
	}
	out.Session = sess
	out.Session.Title = s.redactor.String(sess.Title)
	turns, err := src.Turns(ctx, sess.ID, orDefault(r.Output, defaultOutput))
	if err != nil {
		return out, err
	}
	out.Total = len(turns)
	if len(r.Turns) > 0 {
		turns = slices.DeleteFunc(turns, func(t codememory.Turn) bool { return !slices.Contains(r.Turns, t.ID) })
	} else {
		turns = turns[min(max(r.Offset, 0), len(turns)):]
		turns = turns[:min(len(turns), orDefault(r.Limit, defaultTurns))]
	}
	for _, t := range turns {
		out.Turns = append(out.Turns, capture.Redacted(t, s.redactor.String))
	}
	return out, nil
}

// recordsOf finds the agent whose records hold a session.
func (s *Service) recordsOf(ctx context.Context, agent, id string) (codememory.Transcripts, codememory.AgentSession, error) {
	for _, src := range s.agents.sources {
		if agent != "" && src.Agent() != agent {
			continue
		}
		sess, err := src.Session(ctx, id)
		switch code := codememory.CodeOf(err); {
		case err == nil:
			return src, sess, nil
		case code != codememory.NotFound:
			return nil, sess, err
		}
	}
	return nil, codememory.AgentSession{}, codememory.Errorf(codememory.NotFound, "no agent on this machine has records of session %q: they may have been deleted, or be on another machine", id)
}

// SessionRecord implements codememory.ViewService.
func (s *Service) SessionRecord(ctx context.Context, project, id string) (codememory.SessionRecord, error) {
	var none codememory.SessionRecord
	p, saved, err := s.savedSession(ctx, project, id)
	if err != nil {
		return none, err
	}
	r := saved.Record
	out := codememory.SessionRecord{
		SessionEntry: entryOf(p, r, saved.Path, 0), Completed: r.Completed, Summary: r.Summary, Decisions: r.Decisions,
		GitStart: r.GitStart, GitEnd: r.GitEnd, DiffStat: r.DiffStat, DiffNote: r.DiffNote,
	}
	for _, t := range r.Turns {
		out.Turns = append(out.Turns, codememory.TurnNote{ID: t.ID, At: t.At, Asked: t.Asked, Done: t.Done, Open: t.Open})
	}
	return out, nil
}

// SearchTurns implements codememory.ViewService.
func (s *Service) SearchTurns(ctx context.Context, q codememory.TurnQuery) ([]codememory.TurnHit, error) {
	query := history.Query{Text: q.Text, Agent: q.Agent, Limit: orDefault(q.Limit, 10)}
	if q.Project != "" {
		p, err := s.find(ctx, q.Project)
		if err != nil {
			return nil, err
		}
		query.Project = p.ID
	}
	hits, err := s.agents.turns.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	read := map[string][]codememory.Turn{} // by agent and session: several hits are often of one
	out := []codememory.TurnHit{}
	for _, h := range hits {
		key := h.Agent + "\x00" + h.Session
		turns, ok := read[key]
		if !ok {
			if src, sess, err := s.recordsOf(ctx, h.Agent, h.Session); err == nil {
				if turns, err = src.Turns(ctx, sess.ID, 1); err != nil {
					turns = nil // listed without its text
				}
			}
			read[key] = turns
		}
		out = append(out, s.turnHit(h, turns, q.Text))
	}
	return out, nil
}

// turnHit describes a turn in a line or two.
func (s *Service) turnHit(h history.Hit, turns []codememory.Turn, question string) codememory.TurnHit {
	hit := codememory.TurnHit{Agent: h.Agent, Session: h.Session, Turn: h.Turn, Project: h.Project, At: h.Started, Score: h.Score}
	i := slices.IndexFunc(turns, func(t codememory.Turn) bool { return t.ID == h.Turn })
	if i < 0 {
		return hit
	}
	const most = 240
	t := capture.Redacted(turns[i], s.redactor.String)
	hit.Prompt = around(t.Prompt, question, most)
	for _, step := range t.Steps {
		if e := around(step.Text, question, most); hit.Excerpt == "" || holdsWord(e, question) && !holdsWord(hit.Excerpt, question) {
			hit.Excerpt = e
		}
	}
	return hit
}

// around cuts a text to a window in which a word of the question stands, or to
// its beginning.
func around(s, question string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	start := 0
	if at := firstWord(s, question); at > most/2 {
		start = at - most/3
	}
	end := min(len(s), start+most)
	for start > 0 && !utf8.RuneStart(s[start]) {
		start--
	}
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	cut := s[start:end]
	if start > 0 {
		cut = "…" + cut
	}
	if end < len(s) {
		cut += "…"
	}
	return cut
}

func holdsWord(s, question string) bool { return firstWord(s, question) >= 0 }

// firstWord returns where the first word of the question stands in s, or -1.
func firstWord(s, question string) int {
	lower := strings.ToLower(s)
	if len(lower) != len(s) { // some letters change their length: positions would be wrong
		return -1
	}
	for _, t := range text.AnalyzeQuery(question) {
		if text.IsStopWord(t.Text) {
			continue
		}
		if at := strings.Index(lower, t.Text); at >= 0 {
			return at
		}
	}
	return -1
}
