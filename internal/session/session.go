// Package session keeps the record of each conversation with an agent: what it
// was for, what was done, decided, touched and left open. A record is one
// markdown file, in the layout of openCodeMemory, that people read and edit;
// the files alone are the truth, and whatever is asked is answered from them.
//
// Two sources fill a record. The model states things with a checkpoint (Apply);
// capture adds what it sees of the turns (Observe) and what git knows
// (NoteGit), and never overwrites what was stated.
package session

import (
	"slices"
	"strings"
	"time"

	"codememory"
)

// Record is one session of one agent.
type Record struct {
	ID      string `json:"id"` // the agent's own id of the conversation
	Agent   string `json:"agent"`
	Project string `json:"project,omitempty"`
	Dir     string `json:"dir,omitempty"`    // where it works; leave it empty in a store that is shared
	Parent  string `json:"parent,omitempty"` // the session that started it as a subagent
	Slug    string `json:"slug,omitempty"`   // a few hyphenated words, for the file name
	Goal    string `json:"goal,omitempty"`
	Status  Status `json:"status"`
	Trigger string `json:"trigger,omitempty"` // what led to the last checkpoint

	StartedAt time.Time `json:"started_at"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"` // zero while it is not closed

	GitStart string `json:"git_sha_start,omitempty"`
	GitEnd   string `json:"git_sha_end,omitempty"`
	DiffStat string `json:"diff_stat,omitempty"` // git diff --stat since GitStart
	DiffNote string `json:"diff_note,omitempty"` // one line about it

	Completed  []string    `json:"work_completed,omitempty"`
	Pending    []string    `json:"work_pending,omitempty"`
	Summary    []string    `json:"work_summary,omitempty"`
	Decisions  []string    `json:"decisions,omitempty"`
	Plans      []PlanFile  `json:"plan_files,omitempty"`
	References []Reference `json:"references,omitempty"`

	// Files holds the net effect of the session, with paths relative to the
	// project where they are in it.
	Files        []codememory.FileChange `json:"files,omitempty"`
	FilesFromGit bool                    `json:"files_from_git,omitempty"` // no tool named any, so they are git's
	// Turns are the last few turns as capture saw them, oldest first.
	Turns []TurnNote `json:"turns,omitempty"`

	Extra     []Section   `json:"extra,omitempty"`      // sections that somebody added by hand
	ExtraHead []HeadField `json:"extra_head,omitempty"` // the same of the head
}

// Status says whether a session goes on.
type Status string

// The statuses. A frozen session is set aside with its context used up; new
// turns open it again, as they do a closed one.
const (
	StatusOpen   Status = "open"
	StatusFrozen Status = "frozen"
	StatusClosed Status = "closed"
)

// The usual triggers of a checkpoint. A caller may name others.
const (
	TriggerManual     = "manual"
	TriggerAuto       = "auto"
	TriggerCompaction = "compaction"
	TriggerEnd        = "end"
)

// PlanFile is a document that the session worked by.
type PlanFile struct {
	Path   string `json:"path"`
	Header string `json:"header,omitempty"` // its first heading
}

// Reference is something that was consulted.
type Reference struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
}

// TurnNote is one turn in a few words.
type TurnNote struct {
	ID     string    `json:"id,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Asked  string    `json:"asked"`
	Done   string    `json:"done,omitempty"`
	Failed string    `json:"failed,omitempty"` // commands that did not succeed to the end
	Open   string    `json:"open,omitempty"`   // what it left unfinished
}

// Section is a part of the file that the record has no field for. The one
// without a title stands before all others.
type Section struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

// HeadField is an entry of the head that the record has no field for.
type HeadField struct {
	Key  string `json:"key"`
	YAML string `json:"yaml"` // the whole entry
}

// ActiveAt is when something last happened in the session.
func (r Record) ActiveAt() time.Time {
	at := r.StartedAt
	for _, t := range []time.Time{r.UpdatedAt, r.EndedAt} {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// Title names the session in one line.
func (r Record) Title() string {
	if line, _, _ := strings.Cut(r.Goal, "\n"); line != "" {
		return line
	}
	for _, t := range r.Turns {
		if t.Asked != "" && t.Asked != noText {
			return t.Asked
		}
	}
	if r.Slug != "" {
		return strings.ReplaceAll(r.Slug, "-", " ")
	}
	return r.ID
}

// LeftOpen lists what remains to be done: what the model stated, or else what
// the last turn left unfinished.
func (r Record) LeftOpen() []string {
	if len(r.Pending) > 0 {
		return r.Pending
	}
	if len(r.Turns) > 0 {
		if last := r.Turns[len(r.Turns)-1]; last.Open != "" {
			return []string{last.Open}
		}
	}
	return nil
}

// clone returns a copy that shares nothing that changes.
func (r Record) clone() Record {
	r.Completed, r.Pending = slices.Clone(r.Completed), slices.Clone(r.Pending)
	r.Summary, r.Decisions = slices.Clone(r.Summary), slices.Clone(r.Decisions)
	r.Plans, r.References = slices.Clone(r.Plans), slices.Clone(r.References)
	r.Files, r.Turns = slices.Clone(r.Files), slices.Clone(r.Turns)
	r.Extra, r.ExtraHead = slices.Clone(r.Extra), slices.Clone(r.ExtraHead)
	return r
}
