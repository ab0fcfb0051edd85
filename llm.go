package codememory

import (
	"context"
	"time"
)

// LLMService is what language models do for CodeMemory. Without a configured
// one it says so and does nothing.
type LLMService interface {
	// Extract has turns that are not distilled yet read by a model, now. With
	// Wait it returns when that is done, else it only puts them in line.
	Extract(ctx context.Context, r ExtractRequest) (ExtractReport, error)
	// Arc returns the course of a session as it was last drawn.
	Arc(ctx context.Context, r ArcRequest) (Arc, error)
	// GenerateArc has the course of a session drawn. It fails with Unavailable
	// when no model is configured for it.
	GenerateArc(ctx context.Context, r ArcRequest) error
	// Costs says what models cost.
	Costs(ctx context.Context) (Costs, error)
	// ResetCosts begins the count anew. What counts against the budget of the
	// day stays.
	ResetCosts(ctx context.Context) error
	// Activity returns the last calls of models, newest first.
	Activity(ctx context.Context, limit int) ([]ModelCall, error)
	// LLM says which models are asked for what, and how that goes.
	LLM(ctx context.Context) (LLMStatus, error)
}

// ExtractRequest says which turns to distil.
type ExtractRequest struct {
	Project string `json:"project,omitempty"` // empty: all
	Session string `json:"session,omitempty"` // empty: all with something new
	Retry   bool   `json:"retry,omitempty"`   // those that were given up, too
	DryRun  bool   `json:"dry_run,omitempty"` // only say what would be done
	Wait    bool   `json:"wait,omitempty"`
}

// ExtractReport says what was, or would be, distilled.
type ExtractReport struct {
	LLM      bool         `json:"llm"`              // a model is configured for it
	Reason   string       `json:"reason,omitempty"` // why nothing is done
	Sessions []ExtractJob `json:"sessions"`
	Memories int          `json:"memories"` // added or changed
}

// ExtractJob is the distilling of some turns of one session.
type ExtractJob struct {
	ID       int64     `json:"id,omitempty"`
	Kind     string    `json:"kind"` // extract, summarise or arc
	Agent    string    `json:"agent"`
	Session  string    `json:"session"`
	Project  string    `json:"project,omitempty"`
	Turns    int       `json:"turns"`
	State    string    `json:"state"` // waiting, queued, running, done, dead
	Attempts int       `json:"attempts,omitempty"`
	Due      time.Time `json:"due,omitzero"`
	Error    string    `json:"error,omitempty"`
	Memories int       `json:"memories,omitempty"`
	// Estimates of what reading the turns takes.
	Tokens  int     `json:"tokens,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// ArcRequest names a session.
type ArcRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
}

// Arc is the course of a session as a tree, one step a line. Text is empty when
// it was never drawn.
type Arc struct {
	Session string    `json:"session_id"`
	Text    string    `json:"arc"`
	At      time.Time `json:"at,omitzero"`
}

// Costs is what models cost since the count began, and today.
type Costs struct {
	Since    time.Time          `json:"since,omitzero"`
	Updated  time.Time          `json:"last_updated,omitzero"`
	Total    CostSum            `json:"total"`
	Today    CostSum            `json:"today"`
	Budget   Budget             `json:"budget"`
	ByModel  []ModelCost        `json:"by_model"`
	ByRole   map[string]CostSum `json:"by_role"`
	Provider map[string]CostSum `json:"by_provider"`
	Days     map[string]CostSum `json:"days"` // the last 30 that have any, by date
	Outcomes map[string]int     `json:"outcomes"`
}

// CostSum adds up calls.
type CostSum struct {
	Calls    int     `json:"calls"`
	Input    int     `json:"prompt_tokens"`
	Cached   int     `json:"cached_tokens"`
	Output   int     `json:"completion_tokens"`
	CostUSD  float64 `json:"cost_usd"`
	Unpriced int     `json:"unpriced_calls,omitempty"` // whose price nobody stated
}

// ModelCost is what one model of one provider cost.
type ModelCost struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	CostSum
}

// Budget is what a day may cost; zero means no limit.
type Budget struct {
	Tokens int     `json:"tokens"`
	USD    float64 `json:"usd"`
	// Exceeded says why nothing more is asked today.
	Exceeded string `json:"exceeded,omitempty"`
}

// ModelCall is one call of a model. It holds no text.
type ModelCall struct {
	At        time.Time `json:"at"`
	Role      string    `json:"role"`
	Provider  string    `json:"provider"`
	API       string    `json:"api"` // ollama, openai, anthropic or agent
	Model     string    `json:"model"`
	Project   string    `json:"project,omitempty"`
	Session   string    `json:"session,omitempty"`
	Input     int       `json:"prompt_tokens"`
	Cached    int       `json:"cached_tokens"`
	Output    int       `json:"completion_tokens"`
	CostUSD   float64   `json:"cost_usd"`
	Priced    bool      `json:"priced"`              // false: nobody stated its price
	Estimated bool      `json:"estimated,omitempty"` // the provider did not say how many tokens it took
	Outcome   string    `json:"outcome"`             // ok, or the class of the failure
	Millis    int64     `json:"ms"`
}

// LLMStatus says which models are asked for what.
type LLMStatus struct {
	Configured bool         `json:"configured"`
	Problem    string       `json:"problem,omitempty"` // what keeps all of it from working
	Roles      []RoleStatus `json:"roles"`
	Endpoints  []string     `json:"endpoints"` // what is called outside of this process
	Waiting    int          `json:"waiting"`   // turns not distilled yet
	Queued     int          `json:"queued"`
	Dead       []ExtractJob `json:"dead"` // given up: codememory extract --retry
	Budget     Budget       `json:"budget"`
}

// RoleStatus is how one role stands.
type RoleStatus struct {
	Role   string   `json:"role"`
	Chain  []string `json:"chain"`            // provider/model, the first one first
	Paused string   `json:"paused,omitempty"` // why nobody is asked at the moment
}
