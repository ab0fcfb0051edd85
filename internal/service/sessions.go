package service

import (
	"context"
	"path/filepath"
	"sync"

	"codememory"
	"codememory/internal/capture"
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
		if r.Agent == "" {
			r.Agent, r.Project, r.StartedAt = c.Turn.Agent, c.Place.Project.Name, c.Turn.StartedAt
			r.Status, r.Trigger = session.StatusOpen, session.TriggerAuto
			if !c.Place.Project.Shared { // a path of this machine means nothing to others
				r.Dir = c.Turn.Dir
			}
		}
		r.Observe(c.Turn, session.ObserveOptions{Root: c.Place.Project.Root, Redact: s.redactor.String})
		facts, err := session.ReadGit(ctx, c.Turn.Dir, r.GitStart)
		if err == nil {
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
