package codememory

import (
	"context"
	"time"
)

// Store keeps the memories of one project or of the user. Every backend passes
// the same conformance suite (internal/storetest). All methods are safe for
// concurrent use. Ids are full ids; Resolve finds them.
type Store interface {
	CandidateSource

	// Save writes new or changed memories, whole records. When it returns nil
	// they survive a crash. It fails with Invalid, StorageFull or ReadOnly, and
	// then none of ms is visible, or those that are carry complete records.
	Save(ctx context.Context, ms ...Memory) error
	// Update changes one memory under the store's write lock. fn gets the
	// current record; returning an error from it changes nothing.
	Update(ctx context.Context, id string, fn func(*Memory) error) (Memory, error)
	// Purge removes every trace of the memories but a tombstone that holds no text.
	Purge(ctx context.Context, ids ...string) (PurgeReport, error)
	// Touch counts memories as shown or used. It is not durable and may be batched.
	Touch(ctx context.Context, kind UsageKind, at time.Time, ids ...string) error

	// Get fails with NotFound when no memory has this id.
	Get(ctx context.Context, id string) (Memory, error)
	// GetMany returns those of ids that exist, in the order asked for.
	GetMany(ctx context.Context, ids []string) ([]Memory, error)
	// Resolve finds the one id that starts with, or whose shown form starts
	// with, prefix. It fails with NotFound, or with Conflict when several do.
	Resolve(ctx context.Context, prefix string) (string, error)
	// List returns a page of memories, last updated first.
	List(ctx context.Context, f Filter, p PageRequest) (MemoryPage, error)
	// Stats counts what the store holds.
	Stats(ctx context.Context) (StoreStats, error)
	// Links returns the links of a memory in both directions.
	Links(ctx context.Context, id string) ([]Link, error)
	// FindText returns the id of the memory with exactly this text after
	// normalisation, whatever its state, or reports that it was purged.
	FindText(ctx context.Context, text string) (id string, purged bool, err error)

	// Unembedded returns memories without a vector of this model, oldest first.
	Unembedded(ctx context.Context, model string, limit int) ([]Memory, error)
	// SaveEmbeddings stores the passages of memories; a memory whose text has
	// changed since (by TextHash) is left alone.
	SaveEmbeddings(ctx context.Context, model string, es []MemoryEmbedding) error

	Close() error
}

// CandidateSource is what a ranking needs of a collection, be it memories,
// journal chunks, sessions or turns.
type CandidateSource interface {
	// Candidates returns possible answers, unordered and without duplicates.
	Candidates(ctx context.Context, q CandidateQuery) ([]Candidate, error)
	// TokenStates returns the token states of the given documents' passages;
	// documents without any are missing from the map.
	TokenStates(ctx context.Context, model string, ids []string) (map[string][]TokenStates, error)
}

// MemoryEmbedding is the embedding of one memory's text.
type MemoryEmbedding struct {
	ID       string
	TextHash string // TextHash of the text that was embedded
	Passages []Embedding
}

// UsageKind says how a memory was used.
type UsageKind int

// A memory is shown when it is put before a model, and used when somebody asked for it by id.
const (
	UsageShown UsageKind = iota
	UsageUsed
)

// PageRequest asks for part of a listing. Cursor is MemoryPage.Next of the page before.
type PageRequest struct {
	Limit  int    `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// Offset skips so many before the page, for views that jump. It is slower
	// than a cursor and is ignored with one.
	Offset int `json:"offset,omitempty"`
}

// MemoryPage is part of a listing.
type MemoryPage struct {
	Memories []Memory `json:"memories"`
	Next     string   `json:"next,omitempty"` // empty on the last page
	Total    int      `json:"total"`
}

// StoreStats counts what a store holds.
type StoreStats struct {
	ByState     map[State]int `json:"by_state"`
	ByType      map[Type]int  `json:"by_type"` // active ones
	Unembedded  int           `json:"unembedded"`
	LastUpdated time.Time     `json:"last_updated,omitzero"`
	Problems    []Problem     `json:"problems,omitempty"`
}

// Problem is something in a store that a person should look at; the rest of
// the store works.
type Problem struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	What string `json:"what"`
	Todo string `json:"todo,omitempty"` // what to do about it
}

// PurgeReport says what a purge removed and what it could not reach.
type PurgeReport struct {
	Purged   []string `json:"purged"`
	Files    []string `json:"files"`              // files removed or rewritten
	Warnings []string `json:"warnings,omitempty"` // e.g. the text is still in git history
}
