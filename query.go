package codememory

import "time"

// Filter narrows a listing or a search. The zero Filter means every active memory.
type Filter struct {
	States     []State    `json:"states,omitempty"` // empty: Active only
	Types      []Type     `json:"types,omitempty"`
	Categories []Category `json:"categories,omitempty"`
	Agents     []string   `json:"agents,omitempty"`
	Entity     string     `json:"entity,omitempty"` // name of an entity, any case
	Path       string     `json:"path,omitempty"`   // a file or folder the memory mentions
	Since      time.Time  `json:"since,omitzero"`   // updated at or after
	Until      time.Time  `json:"until,omitzero"`   // updated before
	Pinned     bool       `json:"pinned,omitempty"` // only pinned ones
	Unsure     bool       `json:"unsure,omitempty"` // only those of low confidence, see Source.Unsure
}

// AnyState is the States of a filter that hides nothing.
var AnyState = []State{Active, Archived, Quarantined, Superseded, Forgotten}

// Reach says in whose memories to search.
type Reach string

// The reaches. The empty one means ReachBoth.
const (
	ReachBoth    Reach = "both" // the project's and the user's
	ReachProject Reach = "project"
	ReachUser    Reach = "user"
	ReachAll     Reach = "all" // every project on this machine
)

// SearchRequest is a question in plain words. Phrases such as "last week", "in
// cursor" or "list all preferences" in it act as filters unless Literal is set.
type SearchRequest struct {
	Text    string    `json:"text"`
	Project string    `json:"project,omitempty"` // a folder, id, name or tag; empty: the user's store only
	Reach   Reach     `json:"reach,omitempty"`
	Filter  Filter    `json:"filter,omitzero"`
	Limit   int       `json:"limit,omitempty"` // default 10
	Floor   *float64  `json:"floor,omitempty"` // lowest score to return; nil: calibrated
	Literal bool      `json:"literal,omitempty"`
	Vector  []float32 `json:"vector,omitempty"` // the query's embedding, when the caller has one
	Explain bool      `json:"explain,omitempty"`
}

// SearchAnswer is what was found, best first, and how good the search was.
type SearchAnswer struct {
	Hits     []Hit    `json:"hits"`
	Degraded bool     `json:"degraded"`          // a part of the engine was missing
	Reasons  []string `json:"reasons,omitempty"` // what was missing, or why nothing is returned
}

// Hit is one memory found.
type Hit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"` // 0..1, comparable between questions
	Why    *Why    `json:"why,omitempty"`
}

// Why explains a score.
type Why struct {
	LexicalRank int      `json:"lexical_rank,omitempty"` // 1 = best; 0 = not found by words
	Lexical     float64  `json:"lexical,omitempty"`
	Coverage    float64  `json:"coverage,omitempty"` // share of the question's rare words it holds
	Terms       []string `json:"terms,omitempty"`    // words in common
	VectorRank  int      `json:"vector_rank,omitempty"`
	Cosine      float64  `json:"cosine,omitempty"`
	TokenMatch  float64  `json:"token_match,omitempty"` // token-level similarity
	Entities    []string `json:"entities,omitempty"`    // entities in common
	LinkedFrom  string   `json:"linked_from,omitempty"` // found through a link from this memory
	Recency     float64  `json:"recency,omitempty"`
	Importance  float64  `json:"importance,omitempty"`
	Notes       []string `json:"notes,omitempty"`
}

// Term is one analysed word of a question.
type Term struct {
	Text   string  // as it is indexed: lower case, or a script-specific n-gram
	Stem   string  // its stem; equal to Text where stemming does not apply
	Weight float64 // 1 for ordinary words, less for stop words and parts of identifiers
}

// CandidateQuery asks a collection for what might answer a question.
type CandidateQuery struct {
	Terms    []Term
	Vector   []float32 // nil: search by words only
	Model    string    // the model Vector is of
	Filter   Filter
	Limit    int      // most to return by words and again by vector
	IDs      []string // to be scored and returned whatever their rank
	Entities []string // names whose memories are wanted too
}

// Candidate is one possible answer with what a ranking needs to know of it.
type Candidate struct {
	ID          string
	BM25        float64 // 0: no word in common
	Coverage    float64 // share of the question's term weight (by rarity) that it holds
	Cosine      float64 // of its best passage; 0 without a vector
	HasVector   bool
	EntityMatch bool
	UpdatedAt   time.Time
	ActiveDays  int // days on which its collection changed, from its own last change on; 0: not known
	Importance  float64
	Used        int
	Pinned      bool
}
