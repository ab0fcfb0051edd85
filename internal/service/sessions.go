package service

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"

	"codememory"
	"codememory/internal/capture"
	"codememory/internal/render"
	"codememory/internal/session"
)

// sessionStores are the records of sessions, by the folder of their store.
type sessionStores struct {
	mu   sync.Mutex
	open map[string]*session.Store
}

func (s *Service) sessionsIn(dir string) *session.Store {
	ss := &s.sessions
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.open == nil {
		ss.open = map[string]*session.Store{}
	}
	st := ss.open[dir]
	if st == nil {
		st = session.Open(filepath.Join(dir, session.Folder), s.opts.Config.Config.Location())
		ss.open[dir] = st
	}
	return st
}

// recordTurn brings the record of a session up to date with a turn of it: what
// was asked, done, touched and left open, whether or not the model ever says so.
func (s *Service) recordTurn(ctx context.Context, c capture.Captured) error {
	_, err := s.sessionsIn(c.Place.Store).Update(c.Turn.Session, func(r *session.Record) error {
		// A checkpoint may have come first, from a client that did not say whose it is.
		r.Agent, r.Project = c.Turn.Agent, c.Place.Project.Name
		if !c.Place.Project.Shared { // a path of this machine means nothing to others
			r.Dir = cmp.Or(r.Dir, c.Turn.Dir)
		}
		r.Observe(c.Turn, session.ObserveOptions{Root: c.Place.Project.Root, Redact: s.redactor.String})
		facts, err := session.ReadGit(ctx, c.Turn.Dir, r.GitStart)
		if err == nil {
			if len(r.Files) == 0 && !usedTools(c.Turn) { // what git sees was there before
				facts = session.GitFacts{Head: facts.Head}
			}
			r.NoteGit(facts)
		}
		return nil
	})
	if codememory.CodeOf(err) == codememory.Conflict {
		s.opts.Log.Warn("record of a session not written", "session", c.Turn.Session, "err", err)
		return nil // a person is working on the file
	}
	return err
}

// retractTurns takes undone turns out of the record of their session.
func (s *Service) retractTurns(u capture.Undone) error {
	records := s.sessionsIn(u.Place.Store)
	saved, err := records.Get(u.Session)
	if codememory.CodeOf(err) == codememory.NotFound || err == nil && saved.Record.ID != u.Session {
		return nil
	}
	if err != nil {
		return err
	}
	if rest := saved.Record; rest.Retract(u.Turns, u.Left, u.Place.Project.Root) && rest.SaysNothing() {
		return records.Remove(u.Session)
	}
	_, err = records.Update(u.Session, func(r *session.Record) error {
		r.Retract(u.Turns, u.Left, u.Place.Project.Root)
		return nil
	})
	return err
}

// left closes the record of a session that its agent left. A record that the
// model froze or closed stays as it is, and the next turn opens it again.
func (s *Service) left(_ context.Context, place capture.Place, _, id string) {
	records := s.sessionsIn(place.Store)
	saved, err := records.Get(id)
	if err != nil || saved.Record.ID != id || saved.Record.Status != session.StatusOpen {
		return // nothing of it was worth a record
	}
	if _, err := records.Update(id, func(r *session.Record) error {
		r.End(s.opts.Now())
		return nil
	}); err != nil {
		s.opts.Log.Warn("record of a session not closed", "session", id, "err", err)
	}
}

// usedTools reports whether the agent did anything but talk.
func usedTools(t codememory.Turn) bool {
	for _, s := range t.Steps {
		if s.Tool != nil {
			return true
		}
	}
	return t.Kind == codememory.ShellTurn
}

const defaultSessions = 10

// Sessions implements codememory.AgentService.
func (s *Service) Sessions(ctx context.Context, r codememory.SessionsRequest) ([]codememory.SessionEntry, error) {
	if r.Session != "" {
		p, saved, err := s.savedSession(ctx, r.Project, r.Session)
		if err != nil {
			return nil, err
		}
		return []codememory.SessionEntry{entryOf(p, saved.Record, saved.Path, 0)}, nil
	}
	reach := codememory.ReachProject
	if r.All {
		reach = codememory.ReachAll
	}
	ps, err := s.reach(ctx, r.Project, reach, reach)
	if err != nil {
		return nil, err
	}
	var out []codememory.SessionEntry
	for _, p := range ps {
		found, err := s.sessionsOf(p, r)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortStableFunc(out, func(a, b codememory.SessionEntry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.ActiveAt.Compare(a.ActiveAt))
	})
	limit := r.Limit
	if limit <= 0 {
		limit = defaultSessions
	}
	return out[:min(len(out), limit)], nil
}

func (s *Service) sessionsOf(p codememory.Project, r codememory.SessionsRequest) ([]codememory.SessionEntry, error) {
	dir, err := s.storeDir(p)
	if err != nil {
		return nil, err
	}
	st, filter := s.sessionsIn(dir), session.Filter{Agent: r.Agent}
	var out []codememory.SessionEntry
	if r.Query == "" {
		saved, err := st.List(filter)
		for _, x := range saved {
			out = append(out, entryOf(p, x.Record, x.Path, 0))
		}
		return out, err
	}
	hits, err := st.Search(r.Query, s.opts.Now().In(s.opts.Config.Config.Location()), filter)
	for _, h := range hits {
		out = append(out, entryOf(p, h.Record, h.Path, h.Score))
	}
	return out, err
}

func entryOf(p codememory.Project, r session.Record, path string, score float64) codememory.SessionEntry {
	return codememory.SessionEntry{
		ID: r.ID, Agent: r.Agent, Project: p.Name, Goal: r.Title(), Status: string(r.Status), StartedAt: r.StartedAt, ActiveAt: r.ActiveAt(),
		Pending: r.LeftOpen(), Files: r.Files, TopFiles: r.TopFiles(), Path: path, Score: score,
	}
}

// savedSession finds the record of a session in a project or in the user's own
// store.
func (s *Service) savedSession(ctx context.Context, project, key string) (codememory.Project, session.Saved, error) {
	ps, err := s.places(ctx, project)
	if err != nil {
		return codememory.Project{}, session.Saved{}, err
	}
	for _, p := range ps {
		dir, err := s.storeDir(p)
		if err != nil {
			return p, session.Saved{}, err
		}
		saved, err := s.sessionsIn(dir).Get(key)
		if codememory.CodeOf(err) != codememory.NotFound {
			return p, saved, err
		}
	}
	return codememory.Project{}, session.Saved{}, codememory.Errorf(codememory.NotFound, "no session %s in %s: codememory sessions lists those that are here", key, placesSearched(ps))
}

// handoffChars is how much of one stored text is handed over.
const handoffChars = 600

// SessionText implements codememory.AgentService.
func (s *Service) SessionText(ctx context.Context, r codememory.SessionTextRequest) (string, error) {
	_, saved, err := s.savedSession(ctx, r.Project, r.Session)
	if err != nil {
		return "", err
	}
	if !r.Handoff {
		return session.Render(saved.Record), nil
	}
	line := func(text string) string { return render.Line(text, handoffChars) }
	return render.Handoff(session.Handoff(saved.Record.Map(line), line(r.To))), nil
}

// Checkpoint implements codememory.AgentService.
func (s *Service) Checkpoint(ctx context.Context, r codememory.CheckpointRequest) (codememory.SessionEntry, error) {
	var none codememory.SessionEntry
	c, err := session.DecodeCheckpoint(r.Data)
	if err != nil {
		return none, err
	}
	c.Session, c.Agent = cmp.Or(c.Session, r.Session), cmp.Or(c.Agent, r.Agent)
	if c.Session == r.Session { // else the caller means another than its own
		c.Session = s.successors.of(r.Agent, c.Session)
	}
	if c.Session == "" {
		return none, codememory.Errorf(codememory.Invalid, "session_id is missing: pass the id of the conversation")
	}
	p, err := s.projectOfSession(ctx, r.Project, c)
	if err != nil {
		return none, err
	}
	dir, err := s.storeDir(p)
	if err != nil {
		return none, err
	}
	c.At = s.opts.Now()
	saved, err := s.sessionsIn(dir).Update(c.Session, func(rec *session.Record) error {
		if rec.Agent == "" {
			rec.Agent, rec.Project, rec.StartedAt = cmp.Or(c.Agent, "unknown"), p.Name, c.At
		}
		facts, err := session.ReadGit(ctx, p.Root, rec.GitStart)
		if err == nil {
			rec.NoteGit(facts)
		}
		return rec.Apply(c.Map(s.redactor.String))
	})
	if err != nil {
		return none, err
	}
	s.gates.pass(c.Session)
	s.keepDecisions(ctx, p, c)
	s.events.send(codememory.Event{Kind: "session.checkpoint", Project: p.ID, ID: c.Session})
	return entryOf(p, saved.Record, saved.Path, 0), nil
}

// projectOfSession tells in whose record a checkpoint belongs: where capture
// writes the session, and else where the caller says it is. A guess would leave
// two records of one session.
func (s *Service) projectOfSession(ctx context.Context, ref string, c session.Checkpoint) (codememory.Project, error) {
	var agents []string
	for _, src := range s.agents.sources {
		agents = append(agents, src.Agent())
	}
	known, err := s.agents.history.ProjectOf(ctx, agents, c.Session)
	if err != nil {
		return codememory.Project{}, err
	}
	if known != "" {
		if p, err := s.find(ctx, known); err == nil {
			return p, nil
		}
	}
	if ref == "" {
		return codememory.Project{}, codememory.Errorf(codememory.Invalid, "project is missing: pass the absolute path of the folder that session %s works in", c.Session)
	}
	return s.find(ctx, ref)
}
