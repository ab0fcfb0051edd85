package service

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
)

// pauses remembers when capture was paused, and where. Ended pauses are kept:
// a session that goes on after one must not bring its turns in later.
type pauses struct {
	file string

	mu   sync.Mutex
	said pauseFile
}

type pauseFile struct {
	All      []span            `json:"all,omitempty"`
	Projects map[string][]span `json:"projects,omitempty"` // by id
}

// span is one pause; Until is zero while it lasts.
type span struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until,omitzero"`
}

func (s span) overlaps(from, until time.Time) bool {
	return !until.Before(s.From) && (s.Until.IsZero() || from.Before(s.Until))
}

// current returns the pause that lasts, if one does.
func current(list []span) (span, bool) {
	if n := len(list); n > 0 && list[n-1].Until.IsZero() {
		return list[n-1], true
	}
	return span{}, false
}

func (p *pauses) load(dir string) error {
	p.file = filepath.Join(dir, "pauses.json")
	data, err := os.ReadFile(p.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p.said)
	}
	if err != nil {
		// Recording what somebody wanted unrecorded is worse than not starting.
		return codememory.Errorf(codememory.Internal, "read when capture was paused: %s: %w: repair or delete that file", p.file, err)
	}
	return nil
}

// during reports whether capture was paused in a project at some time of a span.
func (p *pauses) during(project string, from, until time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.Before(from) {
		until = from
	}
	over := func(s span) bool { return s.overlaps(from, until) }
	return slices.ContainsFunc(p.said.All, over) || slices.ContainsFunc(p.said.Projects[project], over)
}

// set begins or ends a pause and keeps that on disk.
func (p *pauses) set(project string, paused bool, now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := pauseFile{All: slices.Clone(p.said.All), Projects: map[string][]span{}}
	for id, list := range p.said.Projects {
		next.Projects[id] = slices.Clone(list)
	}
	if project == "" {
		next.All = switched(next.All, paused, now)
	} else {
		next.Projects[project] = switched(next.Projects[project], paused, now)
	}
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(p.file, append(data, '\n'), 0o600); err != nil {
		return err
	}
	p.said = next
	return nil
}

func switched(list []span, paused bool, now time.Time) []span {
	_, lasts := current(list)
	switch {
	case paused && !lasts:
		return append(list, span{From: now.UTC()})
	case !paused && lasts:
		list[len(list)-1].Until = now.UTC()
	}
	return list
}

// CaptureState implements codememory.ViewService.
func (s *Service) CaptureState(ctx context.Context) (codememory.CaptureState, error) {
	c := s.opts.Config.Config
	out := codememory.CaptureState{Enabled: c.Capture.Enabled && !c.Disable, Pauses: []codememory.ProjectPause{}}
	p := &s.pauses
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, ok := current(p.said.All); ok {
		out.Paused, out.Since = true, at.From
	}
	for id, list := range p.said.Projects {
		at, ok := current(list)
		if !ok {
			continue
		}
		name := id
		if found, err := s.find(ctx, id); err == nil {
			name = found.Name
		}
		out.Pauses = append(out.Pauses, codememory.ProjectPause{Project: id, Name: name, Since: at.From})
	}
	slices.SortFunc(out.Pauses, func(a, b codememory.ProjectPause) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// PauseCapture implements codememory.ViewService.
func (s *Service) PauseCapture(ctx context.Context, r codememory.PauseRequest) (codememory.CaptureState, error) {
	id := ""
	if r.Project != "" {
		p, err := s.find(ctx, r.Project)
		if err != nil {
			return codememory.CaptureState{}, err
		}
		id = p.ID
	}
	if err := s.pauses.set(id, r.Paused, s.opts.Now()); err != nil {
		return codememory.CaptureState{}, err
	}
	kind := "capture.resumed"
	if r.Paused {
		kind = "capture.paused"
	}
	s.events.send(codememory.Event{Kind: kind, Project: id})
	s.agents.capturer.Wake()
	return s.CaptureState(ctx)
}
