package codememory

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// AgentService is what the integrations with agents need besides memories:
// capture of their sessions, their history, and the tools that models call.
type AgentService interface {
	// Poke says that something happened in a session, so that its records are
	// read soon. It never waits for that.
	Poke(ctx context.Context, p Poke) error
	// Note keeps what the user asked to remember until a memory says it.
	Note(ctx context.Context, n Note) error
	// BeforeTool says what is known about something that the agent is about to
	// do, once a session, and whether the user wants a checkpoint first.
	BeforeTool(ctx context.Context, u ToolUse) (Advice, error)
	// Compaction returns what a compacted conversation must not lose.
	Compaction(ctx context.Context, r CompactionRequest) (CompactionAnswer, error)
	// Tool answers the call of a tool by a model. Mistakes of the model are
	// part of the answer.
	Tool(ctx context.Context, r ToolRequest) (string, error)
	// Backfill imports sessions that are older than the installation.
	Backfill(ctx context.Context, r BackfillRequest) (BackfillReport, error)
	// Journal returns the journal of a project: one day, or the newest.
	Journal(ctx context.Context, project, day string) (JournalDay, error)
	// Sessions lists the records of sessions, newest first, or those that
	// answer a question, best first. Asked for one, it fails with NotFound.
	Sessions(ctx context.Context, r SessionsRequest) ([]SessionEntry, error)
	// SessionText returns the record of a session as the markdown that people
	// read or, with Handoff, what another agent needs to go on with it, framed
	// as data for a model. It fails with NotFound.
	SessionText(ctx context.Context, r SessionTextRequest) (string, error)
	// Checkpoint adds what an agent says about its session to the record. It
	// fails with Invalid, naming the field, and then nothing is stored.
	Checkpoint(ctx context.Context, r CheckpointRequest) (SessionEntry, error)
	// Agents says of each agent where its records are and how capture stands.
	Agents(ctx context.Context) ([]AgentStatus, error)
}

// AgentName unifies the names that one agent goes by, however they are written.
func AgentName(name string) string {
	switch name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-"); name {
	case "claude", "claudecode":
		return "claude-code"
	case "gemini-cli":
		return "gemini"
	case "open-code":
		return "opencode"
	case "github-copilot", "copilot-cli":
		return "copilot"
	}
	return name
}

// Poke is something that happened in an agent's session.
type Poke struct {
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session"`
	Dir     string `json:"dir"`
	Event   string `json:"event"` // created, prompt, tool, idle (a turn is over), compacted, ended (the agent left), deleted
	// Said is what the hook knows of the turn, for agents whose own records
	// cannot be read.
	Said *TurnEvent `json:"said,omitempty"`
}

// TurnEvent is what a hook tells of a turn.
type TurnEvent struct {
	Turn   string    `json:"turn,omitempty"` // the agent's own id of the turn, where it has one
	Model  string    `json:"model,omitempty"`
	Prompt string    `json:"prompt,omitempty"` // what the user said, which opens a turn
	Text   string    `json:"text,omitempty"`   // what the agent said
	Tool   *ToolCall `json:"tool,omitempty"`
	Ended  string    `json:"ended,omitempty"` // how the turn ended, in the agent's words
	Error  string    `json:"error,omitempty"`
}

// Note is a message in which the user asked to remember something.
type Note struct {
	Project string `json:"project"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Text    string `json:"text"`
}

// ToolUse is what an agent is about to do with a tool.
type ToolUse struct {
	Project string `json:"project"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session"`
	Target  string `json:"target"`            // a file or a command
	Command bool   `json:"command,omitempty"` // Target is a command
	Changes bool   `json:"changes,omitempty"` // it may change something
}

// Advice is what to put before the model at that point; mostly nothing.
type Advice struct {
	Text   string `json:"text,omitempty"`
	Refuse string `json:"refuse,omitempty"` // why the agent must not do it yet
}

// CompactionRequest asks for what to hand to a compaction.
type CompactionRequest struct {
	Project string `json:"project"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
}

// CompactionAnswer holds text to add to a compaction's prompt and, if
// configured, a prompt to use instead.
type CompactionAnswer struct {
	Context string `json:"context"`
	Prompt  string `json:"prompt"`
}

// ToolRequest is a model's call of one of our tools.
type ToolRequest struct {
	Tool    string         `json:"tool"`
	Args    map[string]any `json:"args"`
	Project string         `json:"project,omitempty"`
	Agent   string         `json:"agent,omitempty"`
	Session string         `json:"session,omitempty"`
	Model   ModelLimits    `json:"model,omitzero"`
}

// ModelLimits are the limits of the model that calls, in tokens.
type ModelLimits struct {
	Provider string `json:"provider,omitempty"`
	ID       string `json:"id,omitempty"`
	Context  int    `json:"context,omitempty"`
	Input    int    `json:"input,omitempty"`
	Output   int    `json:"output,omitempty"`
}

// BackfillRequest says which older sessions to import.
type BackfillRequest struct {
	Agent   string    `json:"agent,omitempty"`   // empty: all
	Project string    `json:"project,omitempty"` // empty: all
	Since   time.Time `json:"since,omitzero"`
	DryRun  bool      `json:"dry_run,omitempty"`
}

// BackfillReport counts what was, or would be, imported.
type BackfillReport struct {
	Sessions int `json:"sessions"`
	Turns    int `json:"turns"`   // written to journals
	Indexed  int `json:"indexed"` // searchable only
	Failed   int `json:"failed"`  // sessions that could not be read
}

// JournalDay is one day of a project's journal.
type JournalDay struct {
	Day  string   `json:"day"`
	Text string   `json:"text"`
	Days []string `json:"days"` // all there are, newest first
}

// SessionsRequest asks for records of sessions.
type SessionsRequest struct {
	Project string `json:"project,omitempty"`
	Session string `json:"session,omitempty"` // only this one: its id, its file or a unique prefix
	All     bool   `json:"all,omitempty"`     // of every project on this machine
	Query   string `json:"query,omitempty"`   // in plain words, "last week" and "in codex" included
	Agent   string `json:"agent,omitempty"`
	Limit   int    `json:"limit,omitempty"` // default 10
}

// SessionEntry is the record of a session in a listing.
type SessionEntry struct {
	ID        string       `json:"session_id"`
	Agent     string       `json:"agent"`
	Project   string       `json:"project,omitempty"`
	Goal      string       `json:"goal"`
	Status    string       `json:"status"`
	StartedAt time.Time    `json:"started_at"`
	ActiveAt  time.Time    `json:"active_at"`
	Pending   []string     `json:"work_pending,omitempty"`
	Files     []FileChange `json:"files,omitempty"`     // created, modified, deleted, each by path
	TopFiles  []string     `json:"top_files,omitempty"` // the few that tell most
	Path      string       `json:"markdown_path"`
	Score     float64      `json:"score,omitempty"` // of a search; compares within one answer
}

// SessionTextRequest names a session by its id, its file or a unique prefix.
type SessionTextRequest struct {
	Project string `json:"project,omitempty"`
	Session string `json:"session"`
	Handoff bool   `json:"handoff,omitempty"`
	To      string `json:"to,omitempty"` // the agent that goes on
}

// CheckpointRequest is a checkpoint as an agent or a hook writes it in JSON. The
// project may be left out when the session is known.
type CheckpointRequest struct {
	Project string          `json:"project"`
	Agent   string          `json:"agent,omitempty"`
	Session string          `json:"session,omitempty"` // when the checkpoint does not say it
	Data    json.RawMessage `json:"data"`
}

// AgentStatus says how capture of one agent stands.
type AgentStatus struct {
	Agent    string `json:"agent"`
	Found    bool   `json:"found"`
	Where    string `json:"where"`             // one line about its records
	Problem  string `json:"problem,omitempty"` // what keeps them from being read
	Sessions int    `json:"sessions"`          // captured so far
	Today    int    `json:"turns_today"`       // turns of today that are in a journal
	// EventAt and Event are the last that its hooks or plugin announced.
	EventAt time.Time `json:"event_at,omitzero"`
	Event   string    `json:"event,omitempty"`
}
