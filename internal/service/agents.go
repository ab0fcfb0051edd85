package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent/jsonl"
	"codememory/internal/agent/told"
	"codememory/internal/capture"
	"codememory/internal/history"
	"codememory/internal/journal"
	"codememory/internal/render"
	"codememory/internal/store"
	"codememory/internal/timerange"
	"codememory/internal/tool"
)

// agents is capture of the agents' sessions and what is made of it. It is
// opened with the first need of it.
type agents struct {
	history  *history.DB
	capturer *capture.Capturer
	sources  []codememory.Transcripts
	recorder *told.Recorder
	router   *tool.Router
	turns    turnIndex
	cancel   context.CancelFunc
	done     chan struct{}
}

var _ codememory.AgentService = (*Service)(nil)

// openAgents opens the history and, in a process that stays, starts to follow
// the transcripts.
func (s *Service) openAgents(ctx context.Context) error {
	h, err := history.Open(ctx, s.opts.Layout.HistoryDB())
	if err != nil {
		return err
	}
	a := &s.agents
	kept := filepath.Join(s.opts.Layout.Data, "told")
	a.history, a.sources = h, slices.Concat(s.opts.Transcripts, told.Transcripts(kept, jsonl.Options{Now: s.opts.Now, Strip: render.Strip}))
	a.recorder = &told.Recorder{Dir: kept, Redact: s.redactor.String, Now: s.opts.Now}
	a.capturer = capture.New(capture.Options{
		History: h, Sources: a.sources, Place: s.placeOf, Redact: s.redactor.String, Location: s.opts.Config.Config.Location(),
		Done: s.captured, Undone: s.undone, Left: s.left, Log: s.opts.Log, Now: s.opts.Now,
	})
	a.turns.s = s
	a.router = s.newRouter()
	if !s.opts.Watch || len(a.sources) == 0 {
		return nil
	}
	run, cancel := context.WithCancel(context.Background())
	a.cancel, a.done = cancel, make(chan struct{})
	go func() {
		defer close(a.done)
		a.capturer.Run(run)
	}()
	return nil
}

func (a *agents) close() error {
	if a.cancel != nil {
		a.cancel()
		<-a.done
	}
	a.turns.close()
	var errs []error
	for _, src := range a.sources {
		if c, ok := src.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	if a.history != nil {
		errs = append(errs, a.history.Close())
	}
	return errors.Join(errs...)
}

// placeOf tells where the turns of a session belong, and whether they are
// wanted at all.
func (s *Service) placeOf(ctx context.Context, dir string) (capture.Place, error) {
	if _, err := os.Stat(dir); err != nil {
		// The folder is gone; what happened there is still worth knowing.
		if p, err := s.registry.Lookup(dir); err == nil {
			return s.place(p)
		}
		p, err := s.find(ctx, codememory.UserProject)
		if err != nil {
			return capture.Place{}, err
		}
		return s.place(p)
	}
	p, err := s.find(ctx, dir)
	if err != nil {
		return capture.Place{}, err
	}
	place, err := s.place(p)
	place.Enabled = place.Enabled && !s.ignored(dir)
	return place, err
}

func (s *Service) place(p codememory.Project) (capture.Place, error) {
	dir, err := s.storeDir(p)
	c := s.configFor(p)
	return capture.Place{
		Project: p, Store: dir, Enabled: c.Capture.Enabled && !c.Disable,
		Paused: func(from, until time.Time) bool { return s.pauses.during(p.ID, from, until) },
	}, err
}

// ignored reports whether the user wants nothing captured in a folder.
func (s *Service) ignored(dir string) bool {
	return slices.ContainsFunc(s.opts.Config.Config.Projects.Ignore, func(glob string) bool {
		for at := dir; ; at = filepath.Dir(at) {
			if ok, err := filepath.Match(glob, at); err == nil && ok {
				return true
			}
			if at == filepath.Dir(at) {
				return false
			}
		}
	})
}

// undone forgets what was taken from turns that the user took back.
func (s *Service) undone(ctx context.Context, u capture.Undone) {
	st, release, err := s.storeOf(ctx, u.Place.Project)
	if err == nil {
		defer release()
		err = s.forgetFrom(ctx, st, u.Agent, u.Session, u.Turns)
	}
	if err = errors.Join(err, s.retractTurns(u), s.undistil(ctx, u.Agent, u.Session, u.Turns)); err != nil {
		s.opts.Log.Warn("not everything of an undone turn was taken back", "project", u.Place.Project.ID, "session", u.Session, "err", err)
	}
}

// forgetFrom forgets memories that nobody wrote himself and that come from the
// given turns alone.
func (s *Service) forgetFrom(ctx context.Context, st *store.Store, agent, session string, turns []string) error {
	page := codememory.PageRequest{Limit: 200}
	for {
		got, err := st.List(ctx, codememory.Filter{Agents: []string{agent}}, page)
		if err != nil {
			return err
		}
		for _, m := range got.Memories {
			from := m.Source
			if from.Session != session || len(from.Turns) == 0 || slices.ContainsFunc(from.Turns, func(t string) bool { return !slices.Contains(turns, t) }) {
				continue
			}
			if _, err := st.Update(ctx, m.ID, func(m *codememory.Memory) error {
				if len(m.Seen) > 0 { // others said it too
					m.Source, m.Seen = m.Seen[0], m.Seen[1:]
					return nil
				}
				now := s.opts.Now()
				m.Forgotten = &now
				if m.Metadata == nil {
					m.Metadata = map[string]any{}
				}
				m.Metadata[forgetReason] = "the user undid the turn it came from"
				return nil
			}); err != nil {
				return err
			}
		}
		if got.Next == "" {
			return nil
		}
		page.Cursor = got.Next
	}
}

// captured is told about every captured turn.
func (s *Service) captured(ctx context.Context, c capture.Captured) {
	s.events.send(codememory.Event{Kind: "turn.captured", Project: c.Place.Project.ID, ID: c.Turn.Session})
	err := s.recordTurn(ctx, c)
	switch c.Turn.Kind {
	case codememory.PromptTurn:
		// What was found first: a note that it says need not be kept twice.
		err = errors.Join(err, s.keepFound(ctx, c), s.settleNotes(ctx, c))
	case codememory.CompactionTurn:
		s.given.compacted(c.Turn)
		err = errors.Join(err, s.keepSummary(ctx, c))
	case codememory.ShellTurn:
		err = errors.Join(err, s.keepFound(ctx, c))
	}
	s.redescribe(ctx, c)
	if err = errors.Join(err, s.distil(ctx, c)); err != nil {
		s.opts.Log.Warn("not everything of a turn was kept", "project", c.Place.Project.ID, "session", c.Turn.Session, "err", err)
	}
}

// keepSummary stores the summary that an agent wrote when it compacted a
// conversation, and condenses older ones.
func (s *Service) keepSummary(ctx context.Context, c capture.Captured) error {
	const least = 100 // shorter ones say nothing
	text := render.Strip(c.Turn.Answer())
	if len(text) < least {
		return nil
	}
	if len(text) > codememory.MaxTextBytes {
		text = strings.ToValidUTF8(text[:codememory.MaxTextBytes-100], "") + "\n…"
	}
	st, release, err := s.storeOf(ctx, c.Place.Project)
	if err != nil {
		return err
	}
	defer release()
	if id, _, err := st.FindText(ctx, text); err != nil || id != "" {
		return err // read again
	}
	if _, err := s.Add(ctx, codememory.AddRequest{
		Project: c.Place.Project.ID, Type: codememory.SessionSummary, Text: text, Verbatim: true, CreatedAt: c.Turn.StartedAt,
		Source: codememory.Source{Agent: c.Turn.Agent, Session: c.Turn.Session, Turns: []string{c.Turn.ID}, Author: codememory.AuthorAgent},
	}); err != nil {
		return err
	}
	_, err = s.age(ctx, st, false)
	return err
}

// Poke implements codememory.AgentService.
func (s *Service) Poke(ctx context.Context, p codememory.Poke) error {
	s.successors.heard(p, s.opts.Now())
	err := s.keepSaid(ctx, p)
	s.agents.capturer.Heard(p)
	return errors.Join(err, s.noteEvent(ctx, p), s.distilPoke(ctx, p))
}

// keepSaid keeps what a hook tells of an agent without records of its own,
// where the user wants sessions captured.
func (s *Service) keepSaid(ctx context.Context, p codememory.Poke) error {
	if p.Said == nil {
		return nil
	}
	place, err := s.placeOf(ctx, p.Dir)
	if now := s.opts.Now(); err != nil || !place.Enabled || place.Paused(now, now) {
		return err
	}
	return s.agents.recorder.Add(p)
}

// Note implements codememory.AgentService.
func (s *Service) Note(ctx context.Context, n codememory.Note) error {
	p, err := s.find(ctx, n.Project)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(s.redactor.String(render.Strip(n.Text)))
	if text == "" {
		return codememory.Errorf(codememory.Invalid, "the note is empty")
	}
	return s.agents.history.AddNote(ctx, history.Note{Project: p.ID, Agent: n.Agent, Session: n.Session, At: s.opts.Now(), Text: text})
}

// Journal implements codememory.AgentService.
func (s *Service) Journal(ctx context.Context, ref, day string) (codememory.JournalDay, error) {
	var out codememory.JournalDay
	p, err := s.find(ctx, ref)
	if err != nil {
		return out, err
	}
	dir, err := s.storeDir(p)
	if err != nil {
		return out, err
	}
	j := journal.Open(dir, s.opts.Config.Config.Location())
	if out.Days, err = j.Days(); err != nil {
		return out, err
	}
	if day == "" {
		if len(out.Days) == 0 {
			return out, codememory.Errorf(codememory.NotFound, "the journal of %s is empty: it begins with the next session of an agent", p.Name)
		}
		day = out.Days[0]
	}
	out.Day = day
	out.Text, err = j.Day(day)
	return out, err
}

// Backfill implements codememory.AgentService.
func (s *Service) Backfill(ctx context.Context, r codememory.BackfillRequest) (codememory.BackfillReport, error) {
	req := capture.BackfillRequest{Agent: r.Agent, Since: r.Since, DryRun: r.DryRun}
	if r.Project != "" {
		p, err := s.find(ctx, r.Project)
		if err != nil {
			return codememory.BackfillReport{}, err
		}
		req.Dir = p.Root
	}
	rep, err := s.agents.capturer.Backfill(ctx, req, func(done, total int) {
		s.events.send(codememory.Event{Kind: "job.progress", Job: "backfill", Done: done, Total: total})
	})
	s.events.send(codememory.Event{Kind: "job.done", Job: "backfill", Done: rep.Sessions, Total: rep.Sessions})
	return codememory.BackfillReport{Sessions: rep.Sessions, Turns: rep.Turns, Indexed: rep.Indexed, Failed: rep.Failed}, err
}

// Agents implements codememory.AgentService.
func (s *Service) Agents(ctx context.Context) ([]codememory.AgentStatus, error) {
	midnight := timerange.StartOfDay(s.opts.Now().In(s.opts.Config.Config.Location()))
	today, err := s.agents.history.TurnsSince(ctx, midnight)
	if err != nil {
		return nil, err
	}
	var out []codememory.AgentStatus
	for _, src := range s.agents.sources {
		st := codememory.AgentStatus{Agent: src.Agent(), Today: today[src.Agent()]}
		where, err := src.Check(ctx)
		switch codememory.CodeOf(err) {
		case codememory.NotFound:
			st.Where = err.Error()
		default:
			st.Found, st.Where = true, where
			if err != nil {
				st.Problem = err.Error()
			}
		}
		n, err := s.agents.history.Sessions(ctx, src.Agent())
		if err != nil {
			return nil, err
		}
		st.Sessions = n
		if st.EventAt, st.Event, err = s.heard(ctx, src.Agent()); err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// Compaction implements codememory.AgentService: what a compacted conversation
// must not lose is what was decided and what is still open.
func (s *Service) Compaction(ctx context.Context, r codememory.CompactionRequest) (codememory.CompactionAnswer, error) {
	var out codememory.CompactionAnswer
	ans, err := s.Context(ctx, codememory.ContextRequest{Project: r.Project, Session: r.Session, Agent: r.Agent, Parts: []codememory.Part{codememory.StablePart}})
	if err != nil {
		return out, err
	}
	var b strings.Builder
	if notes, err := s.agents.history.Notes(ctx, r.Session); err != nil {
		return out, err
	} else if r.Session != "" && len(notes) > 0 {
		b.WriteString("The user asked to remember, in this conversation (keep these in the summary word for word):\n")
		for _, n := range notes {
			fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(n.Text), " "))
		}
	}
	if recorded, err := s.agents.history.Session(ctx, r.Agent, r.Session); err == nil && len(recorded.Files) > 0 {
		b.WriteString("Files changed in this session so far: ")
		for i, f := range recorded.Files[:min(len(recorded.Files), 30)] {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s (%s)", f.Path, f.Change)
		}
		b.WriteString("\n")
	}
	if ans.Stable != "" {
		b.WriteString("Remembered from earlier sessions and given to you again after this summary; refer to it, do not copy it:\n" + ans.Stable + "\n")
	}
	out.Context = strings.TrimSpace(b.String())
	out.Prompt = strings.TrimSpace(continuityPrompt + "\n\n" + out.Context)
	return out, nil
}

// continuityPrompt is for agents that let the prompt of a compaction be
// replaced: the summary is for the model itself, which goes on with the work.
const continuityPrompt = `Summarise the conversation for yourself: you continue this very work and will see nothing of it but your summary. Keep exact names, paths, commands, numbers and error texts; leave out pleasantries and what turned out to be irrelevant. Use these sections, each with short bullets:

## Goal
What the user wants in the end, in their own terms.
## Instructions
What the user asked for or ruled out along the way, word for word where the wording matters.
## Discoveries
What you found out that was not obvious: causes, constraints, how things really work.
## Accomplished
What is done and verified, what is done but not verified, and what is half done.
## Relevant files / directories
Paths that matter next, with what each is for.
## Notes
The next step, open questions, and anything you would be annoyed to have forgotten.`

// settleNotes deals with what the user asked to remember in a turn that is
// over: the model saved it, or it becomes a memory in the user's own words.
func (s *Service) settleNotes(ctx context.Context, c capture.Captured) error {
	notes, err := s.agents.history.Notes(ctx, c.Turn.Session)
	if err != nil || len(notes) == 0 || c.Turn.Session == "" {
		return err
	}
	for _, n := range notes {
		saved, err := s.savedSince(ctx, n)
		if err != nil {
			return err
		}
		if !saved {
			_, err := s.Add(ctx, codememory.AddRequest{
				Project: n.Project, Text: wordsToKeep(n.Text), Source: codememory.Source{Agent: n.Agent, Session: n.Session, Turns: []string{c.Turn.ID}, Author: codememory.AuthorUser},
			})
			if err != nil && codememory.CodeOf(err) != codememory.Invalid {
				return err
			}
		}
		if err := s.agents.history.DropNote(ctx, n.N); err != nil {
			return err
		}
	}
	return nil
}

// savedSince reports whether the session saved a memory after the note was made.
func (s *Service) savedSince(ctx context.Context, n history.Note) (bool, error) {
	p, err := s.find(ctx, n.Project)
	if err != nil {
		return false, err
	}
	found := false
	err = s.inBoth(ctx, p, func(st *store.Store) error {
		page, err := st.List(ctx, codememory.Filter{Since: n.At}, codememory.PageRequest{Limit: 50})
		for _, m := range page.Memories {
			found = found || m.Source.Session == n.Session && m.Source.Class != codememory.ClassTool // what a tool showed is not what was asked for
		}
		return err
	})
	return found, err
}

// wordsToKeep bounds a note to what fits into a memory.
func wordsToKeep(text string) string {
	const most = 800
	if len(text) <= most {
		return text
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[:most], "")) + "…"
}
