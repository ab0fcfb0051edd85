package codememory

import (
	"context"
	"time"
)

// ViewService is what a person who looks at CodeMemory needs besides the
// memories: the conversations behind them, how they hang together, what models
// were shown, and the switches.
type ViewService interface {
	// Transcript returns turns of a session as the agent recorded them,
	// without secrets. It fails with NotFound.
	Transcript(ctx context.Context, r TranscriptRequest) (Transcript, error)
	// SessionRecord returns what is known of a session, field by field. It
	// fails with NotFound.
	SessionRecord(ctx context.Context, project, session string) (SessionRecord, error)
	// SearchTurns finds turns of all agents by words, best first.
	SearchTurns(ctx context.Context, q TurnQuery) ([]TurnHit, error)
	// Graph returns memories and the entities they share.
	Graph(ctx context.Context, r GraphRequest) (Graph, error)
	// RecentEvents returns what happened lately in this process, newest first.
	RecentEvents(ctx context.Context) ([]Event, error)
	// Injections says what was put before models lately.
	Injections(ctx context.Context, limit int) (InjectionReport, error)
	// Suppress keeps a memory away from prompts like this one.
	Suppress(ctx context.Context, r SuppressRequest) (Suppression, error)
	Suppressions(ctx context.Context) ([]Suppression, error)
	// Unsuppress takes a suppression back. It fails with NotFound.
	Unsuppress(ctx context.Context, id string) error
	CaptureState(ctx context.Context) (CaptureState, error)
	// PauseCapture stops or resumes the recording of agents' turns, everywhere
	// or in one project. Turns of a pause are not recorded later either.
	PauseCapture(ctx context.Context, r PauseRequest) (CaptureState, error)
	// Settings lists every setting and every address that is called.
	Settings(ctx context.Context) (SettingsReport, error)
}

// TranscriptRequest asks for the turns of a session.
type TranscriptRequest struct {
	Agent   string   `json:"agent,omitempty"` // empty: whichever knows the session
	Session string   `json:"session"`
	Turns   []string `json:"turns,omitempty"` // only these, by id; empty: all
	Offset  int      `json:"offset,omitempty"`
	Limit   int      `json:"limit,omitempty"`  // most turns; default 50
	Output  int      `json:"output,omitempty"` // most bytes of a tool's output; default 4000
}

// Transcript is a part of a conversation.
type Transcript struct {
	Session AgentSession `json:"session"`
	Turns   []Turn       `json:"turns"`
	Total   int          `json:"total"` // turns of the whole session
}

// SessionRecord is the record of a session, field by field.
type SessionRecord struct {
	SessionEntry
	Completed []string   `json:"work_completed,omitempty"`
	Summary   []string   `json:"work_summary,omitempty"`
	Decisions []string   `json:"decisions,omitempty"`
	GitStart  string     `json:"git_sha_start,omitempty"`
	GitEnd    string     `json:"git_sha_end,omitempty"`
	DiffStat  string     `json:"diff_stat,omitempty"`
	DiffNote  string     `json:"diff_note,omitempty"`
	Turns     []TurnNote `json:"turns,omitempty"` // the last few in a few words, oldest first
}

// TurnNote is one turn in a few words.
type TurnNote struct {
	ID    string    `json:"id,omitempty"`
	At    time.Time `json:"at,omitzero"`
	Asked string    `json:"asked"`
	Done  string    `json:"done,omitempty"`
	Open  string    `json:"open,omitempty"` // what it left unfinished
}

// TurnQuery asks for turns by words.
type TurnQuery struct {
	Text    string `json:"text"`
	Project string `json:"project,omitempty"` // empty: all
	Agent   string `json:"agent,omitempty"`
	Limit   int    `json:"limit,omitempty"` // default 10
}

// TurnHit is a turn found.
type TurnHit struct {
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Turn    string    `json:"turn"`
	Project string    `json:"project,omitempty"`
	At      time.Time `json:"at"`
	Score   float64   `json:"score"`             // compares within one answer
	Prompt  string    `json:"prompt,omitempty"`  // its beginning
	Excerpt string    `json:"excerpt,omitempty"` // of what the agent answered, around the words
}

// GraphRequest asks for a picture of a project's memories.
type GraphRequest struct {
	Project string `json:"project,omitempty"` // empty: the user's store
	All     bool   `json:"all,omitempty"`     // every project
	Entity  string `json:"entity,omitempty"`  // only around this one
	Limit   int    `json:"limit,omitempty"`   // most nodes; default 300
}

// Graph is memories and entities with the relations between them.
type Graph struct {
	Nodes []GraphNode `json:"nodes"`
	Edges []GraphEdge `json:"edges"`
	Left  int         `json:"left"` // memories that did not fit
}

// GraphNode is a memory or an entity.
type GraphNode struct {
	ID     string  `json:"id"`   // of the memory, or "entity:" and the name
	Kind   string  `json:"kind"` // memory or entity
	Label  string  `json:"label"`
	Type   string  `json:"type"`
	Weight float64 `json:"weight"` // importance of a memory, number of memories of an entity
}

// GraphEdge is a link between memories, or "mentions" between a memory and an entity.
type GraphEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// Injection is one text that was put before a model. It never holds the text.
type Injection struct {
	At           time.Time `json:"at"`
	Project      string    `json:"project"`
	Agent        string    `json:"agent,omitempty"`
	Session      string    `json:"session,omitempty"`
	StableTokens int       `json:"stable_tokens,omitempty"`
	HUDTokens    int       `json:"hud_tokens,omitempty"`
	Memories     []string  `json:"memories,omitempty"` // ids of those in the HUD
}

// InjectionReport is what models were shown lately and how many tokens it took.
type InjectionReport struct {
	Today  InjectionTotal `json:"today"`
	Week   InjectionTotal `json:"week"` // the last seven days, today included
	Recent []Injection    `json:"recent"`
}

// InjectionTotal counts calls and tokens.
type InjectionTotal struct {
	Calls        int `json:"calls"`
	StableTokens int `json:"stable_tokens"`
	HUDTokens    int `json:"hud_tokens"`
}

// SuppressRequest says that a memory was of no use for a prompt.
type SuppressRequest struct {
	Project string `json:"project,omitempty"`
	Memory  string `json:"memory"` // id or prefix
	Prompt  string `json:"prompt"`
}

// Suppression keeps a memory away from prompts like the one it names.
type Suppression struct {
	ID     string    `json:"id"`
	Memory string    `json:"memory"`
	Prompt string    `json:"prompt"` // redacted
	At     time.Time `json:"at"`
}

// PauseRequest stops or resumes capture.
type PauseRequest struct {
	Project string `json:"project,omitempty"` // empty: everywhere
	Paused  bool   `json:"paused"`
}

// CaptureState says where agents' turns are recorded.
type CaptureState struct {
	Enabled bool           `json:"enabled"` // as configured
	Paused  bool           `json:"paused"`  // everywhere
	Since   time.Time      `json:"since,omitzero"`
	Pauses  []ProjectPause `json:"projects"` // projects in which it is paused
}

// ProjectPause is a project in which nothing is recorded.
type ProjectPause struct {
	Project string    `json:"project"` // id
	Name    string    `json:"name"`
	Since   time.Time `json:"since"`
}

// SettingsReport is every setting and what follows from them.
type SettingsReport struct {
	File     string    `json:"file"` // the user's settings file
	Data     string    `json:"data"` // the data directory
	Settings []Setting `json:"settings"`
	Outbound []string  `json:"outbound"` // every address outside this machine or process that is called
}

// Setting is one setting as it holds now.
type Setting struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // secrets are hidden
	Default string `json:"default"`
	From    string `json:"from"` // which layer decided: default, user, environment, …
	Doc     string `json:"doc"`
}
