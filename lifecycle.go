package codememory

import "context"

// LifecycleService is what becomes of memories after they were stored: the
// names they share, what a person should decide about, and the upkeep that
// keeps them few and true. It is implemented in process and over HTTP.
type LifecycleService interface {
	// Entities returns the named things of a project, most used first, and
	// which of them memories name together.
	Entities(ctx context.Context, r EntitiesRequest) (EntityGraph, error)
	// Review lists what a person should look at.
	Review(ctx context.Context, r ReviewRequest) ([]ReviewItem, error)
	// Decide carries out what a person decided about a memory under review.
	Decide(ctx context.Context, ref Ref, d Decision) (Memory, error)
	// Promote moves a preference from a project to the user. Unless confirmed,
	// it must be about the user and have been said in two projects; otherwise
	// it fails with Conflict and says what is missing.
	Promote(ctx context.Context, ref Ref, confirmed bool) (Promotion, error)
	// Consolidate does the daily upkeep of a project now; an empty project
	// means all of them.
	Consolidate(ctx context.Context, r ConsolidateRequest) ([]ConsolidateReport, error)
}

// EntitiesRequest asks for the entities of one project, or of the user.
type EntitiesRequest struct {
	Project string `json:"project,omitempty"`
	Limit   int    `json:"limit,omitempty"` // default 100
}

// EntityGraph is what memories name, and what they name together.
type EntityGraph struct {
	Entities []EntityNode `json:"entities"`
	Edges    []EntityEdge `json:"edges"`
}

// EntityNode is an entity with its other spellings and how many active memories name it.
type EntityNode struct {
	Entity
	Aliases  []string `json:"aliases,omitempty"`
	Memories int      `json:"memories"`
}

// EntityEdge connects two entities that the same memories name.
type EntityEdge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Memories int    `json:"memories"`
}

// ReviewKind says why a person should look at memories.
type ReviewKind string

// The kinds.
const (
	ReviewQuarantine ReviewKind = "quarantine" // not used until it is let in
	ReviewUnsure     ReviewKind = "unsure"     // extracted with little confidence
	ReviewConflict   ReviewKind = "conflict"   // they contradict each other
	ReviewDuplicate  ReviewKind = "duplicate"  // they seem to say the same
	ReviewPromotion  ReviewKind = "promotion"  // a preference of the user's, said in several projects
)

// ReviewKinds lists every kind, in the order in which they are shown.
var ReviewKinds = []ReviewKind{ReviewQuarantine, ReviewConflict, ReviewUnsure, ReviewDuplicate, ReviewPromotion}

// ReviewRequest asks for what is to be decided in a project.
type ReviewRequest struct {
	Project string       `json:"project,omitempty"`
	Kinds   []ReviewKind `json:"kinds,omitempty"` // empty: all
	Limit   int          `json:"limit,omitempty"` // of each kind, default 50
}

// ReviewItem is one thing to decide. The first of its memories is the one that
// a decision names; for conflicts and duplicates it is the newest.
type ReviewItem struct {
	Kind     ReviewKind `json:"kind"`
	Reason   string     `json:"reason"`
	Memories []Memory   `json:"memories"`
}

// DecisionAction is what a person decides.
type DecisionAction string

// The actions.
const (
	Accept   DecisionAction = "accept"   // it is right: let it in, trust it
	Reject   DecisionAction = "reject"   // it is wrong: forget it
	Keep     DecisionAction = "keep"     // it holds, the others do not: they are superseded
	Separate DecisionAction = "separate" // it and the others all hold
)

// Decision is what a person decided about a memory.
type Decision struct {
	Action DecisionAction `json:"action"`
	Text   *string        `json:"text,omitempty"`   // with Accept: the right wording
	Others []string       `json:"others,omitempty"` // with Keep and Separate
	Reason string         `json:"reason,omitempty"`
}

// Promotion is a memory that now belongs to the user.
type Promotion struct {
	Memory   Memory   `json:"memory"`
	Event    AddEvent `json:"event"`
	From     string   `json:"from"`               // its id in the project, archived there
	Projects []string `json:"projects,omitempty"` // names of other projects that said it
}

// ConsolidateRequest says what to look after.
type ConsolidateRequest struct {
	Project string `json:"project,omitempty"`
	DryRun  bool   `json:"dry_run,omitempty"`
}

// ConsolidateReport says what upkeep did, or would do, in one store.
type ConsolidateReport struct {
	Project   string        `json:"project"`
	Looked    int           `json:"looked"`    // memories compared with their neighbours
	Clusters  int           `json:"clusters"`  // groups of similar ones
	Merged    []MergeReport `json:"merged"`    // groups that became one memory
	Archived  []string      `json:"archived"`  // ids that newer ones made old
	Condensed string        `json:"condensed"` // id of the summary that old summaries became
	Stale     int           `json:"stale"`     // memories that cite a changed or vanished file
	Written   []string      `json:"written,omitempty"`
	Kept      []string      `json:"kept,omitempty"` // documents with a person's edits, left alone
	Took      string        `json:"took"`
}

// MergeReport is a group of memories of which one is left.
type MergeReport struct {
	Kept     string   `json:"kept"`
	Replaced []string `json:"replaced"`
	Reason   string   `json:"reason"`
}
