package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"codememory"
)

// The limits of the log of injections: what is kept in memory, and the size at
// which the file begins anew, with the one before it kept.
const (
	recentInjections  = 200
	maxInjectionBytes = 4 << 20
	injectionDays     = 7
)

// injections is a log of what was put before models: numbers and ids, no text.
// It is for people to look at, so a failure to write it is not worth an error.
type injections struct {
	file string
	loc  *time.Location

	once   sync.Once
	mu     sync.Mutex
	recent []codememory.Injection // oldest first
	days   map[string]codememory.InjectionTotal
}

func (j *injections) day(at time.Time) string { return at.In(j.loc).Format(time.DateOnly) }

// load reads what earlier processes wrote.
func (j *injections) load() {
	j.days = map[string]codememory.InjectionTotal{}
	for _, file := range []string{j.file + ".1", j.file} {
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var i codememory.Injection
			if json.Unmarshal(lines.Bytes(), &i) == nil && !i.At.IsZero() {
				j.count(i)
			}
		}
		_ = f.Close()
	}
}

func (j *injections) count(i codememory.Injection) {
	day := j.days[j.day(i.At)]
	day.Calls++
	day.StableTokens += i.StableTokens
	day.HUDTokens += i.HUDTokens
	j.days[j.day(i.At)] = day
	j.recent = append(j.recent, i)
	if len(j.recent) > 2*recentInjections {
		j.recent = slices.Clone(j.recent[len(j.recent)-recentInjections:])
	}
}

func (j *injections) add(i codememory.Injection) error {
	j.once.Do(j.load)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.count(i)
	line, err := json.Marshal(i)
	if err != nil {
		return err
	}
	if info, err := os.Stat(j.file); err == nil && info.Size() > maxInjectionBytes {
		if err := os.Rename(j.file, j.file+".1"); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(j.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(j.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func (j *injections) report(now time.Time, limit int) codememory.InjectionReport {
	j.once.Do(j.load)
	j.mu.Lock()
	defer j.mu.Unlock()
	out := codememory.InjectionReport{Today: j.days[j.day(now)], Recent: []codememory.Injection{}}
	for back := range injectionDays {
		day := j.days[j.day(now.AddDate(0, 0, -back))]
		out.Week.Calls += day.Calls
		out.Week.StableTokens += day.StableTokens
		out.Week.HUDTokens += day.HUDTokens
	}
	for _, i := range slices.Backward(j.recent) {
		if len(out.Recent) == limit {
			break
		}
		out.Recent = append(out.Recent, i)
	}
	return out
}

// noteInjection logs what a model is about to be shown.
func (s *Service) noteInjection(p codememory.Project, r codememory.ContextRequest, ans codememory.ContextAnswer) {
	if r.Preview || ans.StableTokens+ans.HUDTokens == 0 {
		return
	}
	i := codememory.Injection{
		At: s.opts.Now().UTC(), Project: p.ID, Agent: r.Agent, Session: r.Session, StableTokens: ans.StableTokens, HUDTokens: ans.HUDTokens,
	}
	for _, h := range ans.Memories {
		i.Memories = append(i.Memories, h.Memory.ID)
	}
	if err := s.injections.add(i); err != nil {
		s.opts.Log.Debug("injection not logged", "err", err)
	}
	s.events.send(codememory.Event{Kind: "context.injected", Project: p.ID, ID: r.Session, Done: ans.StableTokens + ans.HUDTokens})
}

// Injections implements codememory.ViewService.
func (s *Service) Injections(_ context.Context, limit int) (codememory.InjectionReport, error) {
	if limit <= 0 || limit > recentInjections {
		limit = 50
	}
	return s.injections.report(s.opts.Now(), limit), nil
}
