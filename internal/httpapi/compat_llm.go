package httpapi

import (
	"context"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// The routes of CodeMira's daemon about sessions, POST /extract, POST
// /arc/generate and GET /arc, and those of opencode-memory about costs.

// CompatSession names a session as CodeMira's plugin does.
type CompatSession struct {
	SessionID   string `json:"session_id"`
	ProjectRoot string `json:"project_root"`
}

func (s CompatSession) check() error {
	if s.SessionID == "" || s.ProjectRoot == "" {
		return codememory.Errorf(codememory.Invalid, "session_id and project_root required")
	}
	return nil
}

// CompatExtracting is the answer of POST /extract. Without a language model the
// rules read the session, which they do in any case.
type CompatExtracting struct {
	Status string `json:"status"`
	LLM    bool   `json:"llm"`
	Reason string `json:"reason,omitempty"`
}

func compatExtract(ctx context.Context, c call[none, CompatSession]) (CompatExtracting, error) {
	answer := CompatExtracting{Status: "extracting"}
	if err := c.Body.check(); err != nil {
		return answer, err
	}
	m, err := c.models()
	if err != nil {
		return answer, err
	}
	rep, err := m.Extract(ctx, codememory.ExtractRequest{Project: c.Body.ProjectRoot, Session: c.Body.SessionID})
	if codememory.CodeOf(err) == codememory.NotFound && err != nil {
		answer.LLM, answer.Reason = true, err.Error() // nothing to read yet; it is read when it is there
		return answer, nil
	}
	answer.LLM, answer.Reason = rep.LLM, rep.Reason
	return answer, err
}

// CompatGenerating is the answer of POST /arc/generate.
type CompatGenerating struct {
	Status string `json:"status"`
}

func compatGenerateArc(ctx context.Context, c call[none, CompatSession]) (CompatGenerating, error) {
	answer := CompatGenerating{Status: "generating"}
	if err := c.Body.check(); err != nil {
		return answer, err
	}
	m, err := c.models()
	if err != nil {
		return answer, err
	}
	return answer, m.GenerateArc(ctx, codememory.ArcRequest{Project: c.Body.ProjectRoot, Session: c.Body.SessionID})
}

// CompatArcQuery asks for an arc.
type CompatArcQuery struct {
	SessionID   string `query:"session_id" doc:"id of the session"`
	ProjectRoot string `query:"project_root" doc:"folder of the project"`
}

// CompatArc is the answer of GET /arc; its arc is null when there is none.
type CompatArc struct {
	Arc       *string `json:"arc"`
	SessionID string  `json:"session_id"`
}

func compatArc(ctx context.Context, c call[CompatArcQuery, none]) (CompatArc, error) {
	answer := CompatArc{SessionID: c.Query.SessionID}
	if err := (CompatSession{c.Query.SessionID, c.Query.ProjectRoot}).check(); err != nil {
		return answer, err
	}
	m, err := c.models()
	if err != nil {
		return answer, err
	}
	arc, err := m.Arc(ctx, codememory.ArcRequest{Project: c.Query.ProjectRoot, Session: c.Query.SessionID})
	if arc.Text != "" {
		answer.Arc = &arc.Text
	}
	return answer, err
}

// CompatCost is what one provider cost, as opencode-memory counts it.
type CompatCost struct {
	Calls      int     `json:"calls"`
	Prompt     int     `json:"prompt_tokens"`
	Cached     int     `json:"cached_tokens"`
	Completion int     `json:"completion_tokens"`
	CostUSD    float64 `json:"cost_usd"`
}

// CompatEmbeddingCost is what embeddings cost there. The model inside the
// binary costs nothing, and others are not counted.
type CompatEmbeddingCost struct {
	Calls   int     `json:"calls"`
	Tokens  int     `json:"tokens"`
	CostUSD float64 `json:"cost_usd"`
}

// compatCosts has the providers that opencode-memory's pages show, whether or
// not they are used, and the user's own under their names.
func compatCosts(ctx context.Context, c call[none, none]) (map[string]any, error) {
	m, err := c.models()
	if err != nil {
		return nil, err
	}
	sums, err := m.Costs(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, name := range []string{"xai", "google", "anthropic"} {
		out[name] = CompatCost{}
	}
	for name, s := range sums.Provider {
		out[name] = CompatCost{s.Calls, s.Input, s.Cached, s.Output, s.CostUSD}
	}
	out["voyage"] = CompatEmbeddingCost{}
	out["total_cost_usd"] = sums.Total.CostUSD
	out["last_updated"] = stampOrEmpty(sums.Updated)
	return out, nil
}

func stampOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func compatResetCosts(ctx context.Context, c call[none, none]) (map[string]any, error) {
	m, err := c.models()
	if err != nil {
		return nil, err
	}
	if err := m.ResetCosts(ctx); err != nil {
		return nil, err
	}
	return compatCosts(ctx, c)
}

// CompatActivity is the answer of GET /activity.
type CompatActivity struct {
	Entries []CompatCall `json:"entries"`
}

// CompatCall is one call of a model, as opencode-memory lists it.
type CompatCall struct {
	At         string  `json:"ts"`
	API        string  `json:"api"`
	Model      string  `json:"model"`
	Operation  string  `json:"operation"`
	Prompt     int     `json:"prompt_tokens"`
	Cached     int     `json:"cached_tokens"`
	Completion int     `json:"completion_tokens"`
	Tokens     int     `json:"tokens"`
	CostUSD    float64 `json:"cost_usd"`
}

func compatActivity(ctx context.Context, c call[wire.ActivityQuery, none]) (CompatActivity, error) {
	native, err := llmActivity(ctx, c)
	answer := CompatActivity{Entries: make([]CompatCall, len(native.Entries))}
	for i, e := range native.Entries {
		answer.Entries[i] = CompatCall{
			stampOrEmpty(e.At), e.Provider, e.Model, e.Role, e.Input, e.Cached, e.Output, e.Input + e.Output, e.CostUSD,
		}
	}
	return answer, err
}
