package mcpserver

import (
	"context"
	"time"

	"codememory"
)

// Checkpoints keeps what agents say about the state of their sessions. Texts
// that it returns have lost their secrets and whatever could pose as structure
// before a model. A session that is not known is NotFound.
type Checkpoints interface {
	// Checkpoint adds to the record of a session, which is made when there is none.
	Checkpoint(ctx context.Context, c Checkpoint) (CheckpointSaved, error)
	// SearchSessions returns the best sessions first.
	SearchSessions(ctx context.Context, q SessionSearch) ([]SessionHit, error)
	// ListSessions returns the newest sessions first.
	ListSessions(ctx context.Context, q SessionList) ([]SessionRecord, error)
	// SessionFiles returns created, then modified, then deleted files, each by path.
	SessionFiles(ctx context.Context, project, session string) ([]codememory.FileChange, error)
}

// Checkpoint is what an agent says about its session. Lists but WorkPending add
// to what is recorded; WorkPending and the single texts replace it unless empty.
type Checkpoint struct {
	Project       string
	Session       string
	Agent         string
	Slug          string // names the file, once
	Goal          string
	Status        string // active, closed
	WorkCompleted []string
	WorkPending   []string
	WorkSummary   []string
	Decisions     []string
	PlanFiles     []PlanFile
	References    []Reference
}

// PlanFile is a plan that the session works by.
type PlanFile struct {
	Path, Header string
}

// Reference is a page that the session used.
type Reference struct {
	URL, Title string
}

// CheckpointSaved says where a checkpoint is.
type CheckpointSaved struct {
	Session string `json:"session_id"`
	File    string `json:"markdown_path"` // absolute
	Status  string `json:"status"`
}

// SessionSearch asks for sessions by what was done in them.
type SessionSearch struct {
	Project string
	Query   string
	Limit   int
	Global  bool   // in all projects
	Agent   string // of this agent only
}

// SessionHit is a session that answers a search.
type SessionHit struct {
	Rank     int       `json:"rank"`
	Score    float64   `json:"score"`
	Session  string    `json:"session_id"`
	Goal     string    `json:"goal"`
	Date     time.Time `json:"date"`
	Agent    string    `json:"tool"`
	TopFiles []string  `json:"top_files"` // at most three
	File     string    `json:"markdown_path"`
}

// SessionList asks for recent sessions.
type SessionList struct {
	Project string
	Limit   int
	Agent   string // of this agent only
}

// SessionRecord is a session with a checkpoint.
type SessionRecord struct {
	Session string    `json:"session_id"`
	Goal    string    `json:"goal"`
	Date    time.Time `json:"date"`
	Agent   string    `json:"tool"`
	Status  string    `json:"status"`
	File    string    `json:"markdown_path"`
}
