package codememory

import (
	"context"
	"time"
)

// Service is all that a surface (CLI, HTTP, MCP, plugin) can ask of CodeMemory.
// It is implemented in process by internal/service and over HTTP by
// internal/client, so that every surface works with either.
//
// Wherever a project is named, the reference may be a folder, an id or unique
// prefix, a name, a container tag, a collection name, or UserProject.
type Service interface {
	MemoryService
	SearchService
	ProjectService
	MaintenanceService
}

// MemoryService changes and reads single memories.
type MemoryService interface {
	// Add stores one memory. Secrets are redacted first; a text that is
	// already known is not stored twice (see AddResult.Event).
	Add(ctx context.Context, r AddRequest) (AddResult, error)
	// AddMany stores a batch; the results stand in the order of rs. The first
	// invalid request fails the whole batch before anything is written.
	AddMany(ctx context.Context, rs []AddRequest) ([]AddResult, error)
	// Get returns one memory with its links in both directions.
	Get(ctx context.Context, ref Ref) (Memory, error)
	List(ctx context.Context, r ListRequest) (MemoryPage, error)
	Edit(ctx context.Context, ref Ref, e Edit) (Memory, error)
	// Forget hides a memory for good but keeps its text; Undo brings it back.
	Forget(ctx context.Context, ref Ref, reason string) (Memory, error)
	// Undo takes back the last change of a memory: a forget, an archive, a
	// supersession, or the last edit of its text.
	Undo(ctx context.Context, ref Ref) (Memory, string, error)
	Purge(ctx context.Context, ref Ref) (PurgeReport, error)
	// History returns the chain of a memory, oldest first: what it superseded,
	// its own wordings, and what superseded it.
	History(ctx context.Context, ref Ref) ([]HistoryEntry, error)
	// Import stores whole records as they are, ids and times included; known ids are left alone.
	Import(ctx context.Context, project string, ms []Memory) ([]AddResult, error)
}

// SearchService finds memories and renders them for a model.
type SearchService interface {
	Search(ctx context.Context, r SearchRequest) (SearchAnswer, error)
	Retrieve(ctx context.Context, r RetrieveRequest) (RetrieveAnswer, error)
	Context(ctx context.Context, r ContextRequest) (ContextAnswer, error)
}

// ProjectService knows the projects of this machine.
type ProjectService interface {
	Project(ctx context.Context, ref string) (Project, error)
	Projects(ctx context.Context) ([]ProjectStats, error)
	RenameProject(ctx context.Context, ref, name string) (Project, error)
	MergeProjects(ctx context.Context, from, into string) (Project, error)
	// ForgetProject removes a project from the registry; its store is kept
	// unless purge is set.
	ForgetProject(ctx context.Context, ref string, purge bool) error
	InitProject(ctx context.Context, r InitRequest) (InitReport, error)
	// Names maps container tags to the names people gave them.
	Names(ctx context.Context) (map[string]string, error)
	SetName(ctx context.Context, tag, name string) error
}

// MaintenanceService looks after the stores.
type MaintenanceService interface {
	Health(ctx context.Context) (Health, error)
	Stats(ctx context.Context) (Stats, error)
	// Rebuild recreates a project's database from its text. An empty project means all.
	Rebuild(ctx context.Context, project string) ([]RebuildReport, error)
	// Verify checks text against database and both against themselves.
	Verify(ctx context.Context, project string) ([]VerifyReport, error)
	Backup(ctx context.Context, project, file string) (BackupReport, error)
	Restore(ctx context.Context, project, file string) (BackupReport, error)
	// Events delivers what happens from now on until ctx ends.
	Events(ctx context.Context) (<-chan Event, error)
}

// Ref names one memory: any unique prefix of its id, with or without "mem_".
// Without a project, all stores are searched.
type Ref struct {
	Project string `json:"project,omitempty"`
	ID      string `json:"id"`
}

// AddRequest is a memory to be stored.
type AddRequest struct {
	Project    string         `json:"project,omitempty"`
	Scope      Scope          `json:"scope,omitempty"` // default project; user when there is no project
	Text       string         `json:"text"`
	Type       Type           `json:"type,omitempty"` // default from Category, else learned-pattern
	Category   Category       `json:"category,omitempty"`
	Importance *float64       `json:"importance,omitempty"`
	Pinned     bool           `json:"pinned,omitempty"`
	Source     Source         `json:"source,omitzero"`
	Supersedes []Supersession `json:"supersedes,omitempty"` // ids may be prefixes
	Entities   []Entity       `json:"entities,omitempty"`   // besides those found by rule
	Links      []Link         `json:"links,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	CreatedAt  time.Time      `json:"created_at,omitzero"`  // default now
	Quarantine string         `json:"quarantine,omitempty"` // why it must wait for review; empty: it need not
	Verbatim   bool           `json:"verbatim,omitempty"`   // store even if a near duplicate is known
}

// AddEvent says what an addition did.
type AddEvent string

// The events of an addition.
const (
	Added     AddEvent = "ADD"
	Updated   AddEvent = "UPDATE" // an existing memory was reworded, its old text kept as a revision
	Unchanged AddEvent = "NONE"   // it was known already, or had been forgotten or purged
)

// AddResult is the memory that now holds the text.
type AddResult struct {
	Memory   Memory   `json:"memory"`
	Event    AddEvent `json:"event"`
	Reason   string   `json:"reason,omitempty"`   // why not ADD
	Redacted []string `json:"redacted,omitempty"` // rules that removed a secret
}

// Edit changes a memory; nil fields stay as they are.
type Edit struct {
	Text       *string        `json:"text,omitempty"`
	Type       *Type          `json:"type,omitempty"`
	Category   *Category      `json:"category,omitempty"`
	Importance *float64       `json:"importance,omitempty"`
	Pinned     *bool          `json:"pinned,omitempty"`
	Archived   *bool          `json:"archived,omitempty"`
	Quarantine *string        `json:"quarantine,omitempty"` // "" lets it in
	Confidence *float64       `json:"confidence,omitempty"` // 1: a person confirmed it
	Supersede  []Supersession `json:"supersede,omitempty"`  // memories this one makes obsolete
	Link       []Link         `json:"link,omitempty"`
	Reason     string         `json:"reason,omitempty"`
}

// ListRequest asks for a page of memories.
type ListRequest struct {
	Project string `json:"project,omitempty"`
	Reach   Reach  `json:"reach,omitempty"` // default: the project only, or the user's store without one
	Filter  Filter `json:"filter,omitzero"`
	PageRequest
}

// HistoryEntry is one wording in the chain of a memory.
type HistoryEntry struct {
	ID     string    `json:"id"`
	Text   string    `json:"text"`
	From   time.Time `json:"from"`
	Until  time.Time `json:"until,omitzero"` // zero: it is current
	What   string    `json:"what"`           // created, edited, superseded, forgotten, archived, quarantined, current
	Reason string    `json:"reason,omitempty"`
}

// RetrieveRequest is the per-call request of a plugin that builds its own block.
type RetrieveRequest struct {
	QueryExpansion  string    `json:"query_expansion"`
	Entities        []string  `json:"entities"`
	PinnedMemoryIDs []string  `json:"pinned_memory_ids"`
	ProjectRoot     string    `json:"project_root"`
	QueryEmbedding  []float32 `json:"query_embedding,omitempty"`
}

// RetrieveAnswer holds the memories for one LLM call: fresh, then those of
// entities and links, then pinned ones, within the caps.
type RetrieveAnswer struct {
	Hits     []Hit
	Degraded bool
	Reasons  []string
}

// ContextRequest asks for the text to put before a model.
type ContextRequest struct {
	Project string   `json:"project"`
	Session string   `json:"session,omitempty"`
	Agent   string   `json:"agent,omitempty"`
	Goal    string   `json:"goal,omitempty"`    // the user's last message
	Actions []Action `json:"actions,omitempty"` // what the agent did since
	Pinned  []string `json:"pinned,omitempty"`  // ids to keep in the HUD
	Visible []string `json:"visible,omitempty"` // ids already in the conversation
	Parts   []Part   `json:"parts,omitempty"`   // default both
	// Again asks for the very stable block that the session had before, if it
	// is still known: nothing happened that justifies another.
	Again bool `json:"again,omitempty"`
	// Budgets in tokens; 0 means the configured ones.
	StableTokens int `json:"stable_tokens,omitempty"`
	HUDTokens    int `json:"hud_tokens,omitempty"`
	// Usage is a line about the context window that the caller wants in the HUD.
	Usage string `json:"usage,omitempty"`
	// Kept says that the agent keeps what it is given in the conversation: what
	// the session was given before is not given again. Asked for by itself, the
	// stable block is given when it has changed, with the HUD only when the
	// session has none.
	Kept bool `json:"kept,omitempty"`
	// Anew says that the conversation holds nothing of earlier answers, since it
	// begins or was compacted.
	Anew bool `json:"anew,omitempty"`
	// Compacted says that this is because of a compaction, which the agent's
	// records will tell too.
	Compacted bool `json:"compacted,omitempty"`
	// Preview is for people who only want to look: nothing counts as shown.
	Preview bool `json:"preview,omitempty"`
}

// Part names one of the two texts of a context.
type Part string

// The parts: the stable block changes at most at session start, after a
// compaction and after an explicit save; the HUD is for this very call.
const (
	StablePart Part = "stable"
	HUDPart    Part = "hud"
)

// Action is something the agent did with a tool.
type Action struct {
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"`
	Result string `json:"result,omitempty"`
}

// ContextAnswer holds final texts; an empty one means: inject nothing.
type ContextAnswer struct {
	Stable       string       `json:"stable"`
	HUD          string       `json:"hud"`
	StableTokens int          `json:"stable_tokens"`
	HUDTokens    int          `json:"hud_tokens"`
	Memories     []Hit        `json:"memories"`               // what the HUD shows, with reasons
	StableLines  []StableLine `json:"stable_lines,omitempty"` // what the stable block shows, in a preview
	Degraded     bool         `json:"degraded"`
	Reasons      []string     `json:"reasons,omitempty"`
}

// StableLine says which memory a line of the stable block is.
type StableLine struct {
	Section string `json:"section"`
	Line    string `json:"line"`
	Memory  string `json:"memory,omitempty"` // its short id
}

// Health says whether the daemon can do its work.
type Health struct {
	Status         string   `json:"status"` // ok or degraded
	Ready          bool     `json:"ready"`
	LLM            bool     `json:"llm"`
	EmbeddingModel string   `json:"embedding_model"`
	Version        string   `json:"version"`
	PID            int      `json:"pid"`
	Reasons        []string `json:"reasons,omitempty"`
}

// Stats counts everything on this machine.
type Stats struct {
	Total    int           `json:"total"`
	ByType   map[Type]int  `json:"by_type"`
	ByScope  map[Scope]int `json:"by_scope"`
	Projects int           `json:"projects"`
	Users    int           `json:"users"`
}

// RebuildReport says what a rebuild found in the text of one store.
type RebuildReport struct {
	Project  string    `json:"project"`
	Memories int       `json:"memories"`
	Problems []Problem `json:"problems,omitempty"`
	Took     string    `json:"took"`
}

// VerifyReport lists what is wrong with one store.
type VerifyReport struct {
	Project  string    `json:"project"`
	Memories int       `json:"memories"`
	Problems []Problem `json:"problems"`
}

// BackupReport describes a backup file.
type BackupReport struct {
	Project  string `json:"project"`
	File     string `json:"file"`
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`
	Memories int    `json:"memories"`
	Aside    string `json:"aside,omitempty"` // where Restore put what was there before
}

// Event is something that happened. It never holds memory text.
type Event struct {
	Seq     uint64    `json:"seq"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // memory.added, memory.updated, memory.forgotten, memory.purged, store.changed, job.progress, …
	Project string    `json:"project,omitempty"`
	ID      string    `json:"id,omitempty"`
	Job     string    `json:"job,omitempty"`
	Done    int       `json:"done,omitempty"`
	Total   int       `json:"total,omitempty"`
}
