package service

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"codememory"
	"codememory/internal/extract"
	"codememory/internal/store"
)

// passes is what is known of one kind of command of a project. It changes with
// every run, so it is in the history database and not in the memory.
type passes struct {
	ID      string    `json:"id"`      // the memory
	Command string    `json:"command"` // which one it names
	Passed  int       `json:"passed"`
	Last    time.Time `json:"last"`
	Noted   time.Time `json:"noted"` // the day that the memory names
	Rival   string    `json:"rival,omitempty"`
	Wins    int       `json:"wins,omitempty"` // how often the rival passed since Last
}

const (
	// takeOver is how often another command has to pass, and the known one
	// not, until it takes its place. One run may be an experiment.
	takeOver = 2
	// renoteAfter is how old the day in the text may get: a file that changed
	// with every run of the tests would be noise in every commit.
	renoteAfter = 14 * 24 * time.Hour
	// corroborated is how often a command has to pass to count more.
	corroborated = 3
)

// keepCommand notes that a command passed: the first of its kind becomes a
// memory, the same again confirms it, another one has to prove itself.
func (k keeper) keepCommand(ctx context.Context, c extract.Candidate, r codememory.AddRequest) error {
	key := "passes:" + k.project.ID + ":" + c.Key
	p, err := k.passes(ctx, key, c)
	if err != nil || !k.at.After(p.Last) && p.Command != "" {
		return err // told twice, or from an older session
	}
	switch {
	case p.ID == "":
		res, err := k.s.Add(ctx, r)
		if err != nil {
			return err
		}
		p = passes{ID: res.Memory.ID, Command: c.Value, Passed: 1, Last: k.at, Noted: k.at}
	case p.Command == c.Value:
		p.Passed++
		p.Last, p.Rival, p.Wins = k.at, "", 0
		if k.at.Sub(p.Noted) >= renoteAfter || p.Passed == corroborated {
			if err := k.renote(ctx, p, r); err != nil {
				return err
			}
			p.Noted = k.at
		}
	default:
		if p.Rival != c.Value {
			p.Rival, p.Wins = c.Value, 0
		}
		if p.Wins++; p.Wins >= takeOver {
			if err := k.replaceCommand(ctx, p, r); err != nil {
				return err
			}
			p = passes{ID: p.ID, Command: c.Value, Passed: p.Wins, Last: k.at, Noted: k.at}
		}
	}
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return k.s.agents.history.SetMeta(ctx, key, string(b))
}

// passes reads what is known; when the database was lost, from the memories.
func (k keeper) passes(ctx context.Context, key string, c extract.Candidate) (passes, error) {
	var p passes
	v, err := k.s.agents.history.Meta(ctx, key)
	if err != nil {
		return p, err
	}
	if v != "" && json.Unmarshal([]byte(v), &p) == nil {
		err := k.in(ctx, func(st *store.Store) error { _, err := st.Get(ctx, p.ID); return err })
		if codememory.CodeOf(err) != codememory.NotFound {
			return p, err
		}
		p = passes{} // purged
	}
	known, err := k.made(ctx, func(old extract.Candidate) bool { return old.Key == c.Key })
	if err != nil || len(known) == 0 {
		return passes{}, err
	}
	m := known[0]
	return passes{ID: m.ID, Command: extract.CandidateOf(m).Value, Passed: 1, Last: m.CreatedAt, Noted: m.UpdatedAt}, nil
}

// renote brings the day in the text up to date. That is no new wording.
func (k keeper) renote(ctx context.Context, p passes, r codememory.AddRequest) error {
	return k.update(ctx, p.ID, func(m *codememory.Memory) error {
		if m.State() != codememory.Active || len(m.Revisions) > 0 && m.Revisions[len(m.Revisions)-1].Reason == "" {
			return nil // hidden, or a person worded it
		}
		m.Text, m.UpdatedAt = r.Text, k.at
		if p.Passed >= corroborated {
			m.Importance = max(m.Importance, codememory.DefaultImportance(m.Type, m.Category)+0.1)
		}
		return nil
	})
}

// replaceCommand rewords the memory of a command that another one took over from.
func (k keeper) replaceCommand(ctx context.Context, p passes, r codememory.AddRequest) error {
	return k.update(ctx, p.ID, func(m *codememory.Memory) error {
		if m.Forgotten != nil {
			return nil
		}
		m.Revisions = append(slices.Clone(m.Revisions), codememory.Revision{Text: m.Text, Until: k.at, Reason: fmt.Sprintf("another command passed %d times since", p.Wins)})
		m.Text, m.UpdatedAt, m.Source, m.Metadata = r.Text, k.at, r.Source, r.Metadata
		return nil
	})
}

func (k keeper) update(ctx context.Context, id string, fn func(*codememory.Memory) error) error {
	defer k.s.backlog.wake() // its vector is of the old text
	return k.in(ctx, func(st *store.Store) error {
		_, err := st.Update(ctx, id, fn)
		return err
	})
}
