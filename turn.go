package codememory

import (
	"context"
	"encoding/json"
	"time"
)

// Turn is one message of the user and all that the agent did until it stopped,
// whatever the agent. Text that CodeMemory itself put into the conversation is
// not in it.
type Turn struct {
	Agent     string     `json:"agent"`
	Session   string     `json:"session"`          // the agent's own id of the conversation
	Parent    string     `json:"parent,omitempty"` // the session that started this one as a subagent
	ID        string     `json:"id"`               // the agent's id of the message that opened the turn
	Index     int        `json:"index"`            // 1 is the first of the session
	Dir       string     `json:"dir"`              // the folder the session works in
	Kind      TurnKind   `json:"kind"`
	State     TurnState  `json:"state"`
	Error     string     `json:"error,omitempty"` // why it failed or was aborted
	StartedAt time.Time  `json:"started_at"`
	EndedAt   time.Time  `json:"ended_at,omitzero"`
	Model     string     `json:"model,omitempty"`
	Prompt    string     `json:"prompt"`          // the user's own words
	Steps     []Step     `json:"steps"`           // what the agent said and did, in order
	Tokens    TokenCount `json:"tokens,omitzero"` // of its last call of a model
}

// TurnKind says what opened a turn.
type TurnKind string

// The kinds. A compaction's only step is the summary that the agent wrote.
const (
	PromptTurn     TurnKind = "prompt"
	CompactionTurn TurnKind = "compaction"
	ShellTurn      TurnKind = "shell" // a command that the user ran through the agent
)

// TurnState says whether a turn is over, by the agent's own rule.
type TurnState string

// The states. Only an open turn may still change.
const (
	TurnOpen    TurnState = "open"
	TurnDone    TurnState = "done"
	TurnAborted TurnState = "aborted"
	TurnFailed  TurnState = "failed"
)

// Step is something the agent said, or a tool it used.
type Step struct {
	At      time.Time `json:"at"`
	Message string    `json:"message"`        // the agent's id of the message it is part of
	Text    string    `json:"text,omitempty"` // empty for a tool
	Tool    *ToolCall `json:"tool,omitempty"`
}

// ToolCall is one use of a tool with its outcome.
type ToolCall struct {
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input,omitempty"`
	Target  string          `json:"target,omitempty"` // the file, command or pattern it was about
	Title   string          `json:"title,omitempty"`  // the agent's own short description
	Output  string          `json:"output,omitempty"`
	Error   string          `json:"error,omitempty"`
	Exit    *int            `json:"exit,omitempty"` // of a command
	Running bool            `json:"running,omitempty"`
	Changed []FileChange    `json:"changed,omitempty"`
	Child   string          `json:"child,omitempty"` // the session of the subagent it started
}

// FileChange says what happened to a file.
type FileChange struct {
	Path   string     `json:"path"`
	Change ChangeKind `json:"change"`
}

// ChangeKind is created, modified or deleted.
type ChangeKind string

// The kinds of change.
const (
	FileCreated  ChangeKind = "created"
	FileModified ChangeKind = "modified"
	FileDeleted  ChangeKind = "deleted"
)

// TokenCount is how many tokens one call of a model took, as the agent counts.
type TokenCount struct {
	Total      int `json:"total"` // what fills the context window
	Input      int `json:"input"`
	Output     int `json:"output"`
	Reasoning  int `json:"reasoning,omitempty"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
}

// Answer returns the last thing the agent said in the turn.
func (t Turn) Answer() string {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if t.Steps[i].Text != "" {
			return t.Steps[i].Text
		}
	}
	return ""
}

// Hash identifies what was said, apart from ids and times: a forked session
// repeats the turns of its origin under new ids.
func (t Turn) Hash() string {
	return TextHash(string(t.Kind) + "\x00" + t.Prompt + "\x00" + t.Answer())
}

// AgentSession is one conversation of an agent as its own records show it.
type AgentSession struct {
	Agent     string    `json:"agent"`
	ID        string    `json:"id"`
	Parent    string    `json:"parent,omitempty"`
	Dir       string    `json:"dir"`
	Title     string    `json:"title,omitempty"`
	Model     string    `json:"model,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	ActiveAt  time.Time `json:"active_at"` // of its last change
	Archived  bool      `json:"archived,omitempty"`
	Messages  int       `json:"messages"`
}

// SessionQuery narrows a listing of sessions, last active first.
type SessionQuery struct {
	Dir      string    // in this folder or below; empty: anywhere
	Parent   string    // subagents of this session; empty: main sessions only, unless Children is set
	Children bool      // subagents too
	Since    time.Time // active at or after
	Limit    int       // 0: all
}

// Transcripts reads one agent's own records. It never writes to them, survives
// records it does not know, and is safe for concurrent use.
type Transcripts interface {
	Agent() string
	// Check says in one line where the records are and what is wrong with
	// them, for codememory doctor. It fails with NotFound when the agent has
	// none, and with Unavailable when they cannot be read.
	Check(ctx context.Context) (string, error)
	Sessions(ctx context.Context, q SessionQuery) ([]AgentSession, error)
	// Session fails with NotFound when there is no such session.
	Session(ctx context.Context, id string) (AgentSession, error)
	// Turns returns the turns of a session in order, without those that the
	// user undid. Output of tools is cut to maxOutput bytes each, 0 means all.
	Turns(ctx context.Context, session string, maxOutput int) ([]Turn, error)
	// Changed returns the sessions that changed after the mark, oldest change
	// first, and the mark to ask with next time. An empty mark means from the
	// beginning. Sessions that were deleted are reported too.
	Changed(ctx context.Context, mark string) (changed, deleted []string, next string, err error)
	// Watched lists the files whose change means new records.
	Watched() []string
}

// TurnListener is implemented by Transcripts of agents that do not record when
// a turn or a session is over. Their hooks know it.
type TurnListener interface {
	// TurnEnded says that the agent was done with its turn at this time.
	TurnEnded(session string, at time.Time)
	// SessionEnded says that the agent left the session at this time.
	SessionEnded(session string, at time.Time)
}
