// Package llm is how CodeMemory asks a language model: one request, one answer,
// what it cost, and a class for every way in which it can fail. It knows no
// provider; those are the packages below it, one for each protocol. Nothing in
// here is needed for CodeMemory to work: without a configured model none of it
// runs.
package llm

import (
	"context"
	"encoding/json"
)

// Request is one question to a model. Its texts are already redacted.
type Request struct {
	Model  string // empty: the provider's own
	System string
	Prompt string
	// Schema is a JSON schema with an object at its root. Providers that can
	// hold a model to it do so; from the others any text may come back.
	Schema    json.RawMessage
	MaxTokens int // of the answer; 0: the provider's own limit
}

// Response is the answer of a model.
type Response struct {
	Text  string
	Model string // the one that answered, as the provider names it
	Usage Usage
	// Truncated says that the answer hit the limit of tokens.
	Truncated bool
}

// Usage is what an answer cost.
type Usage struct {
	Input  int // tokens of the prompt, cached ones included
	Cached int
	Output int
	// CostUSD is what the provider says it charged; it counts when Charged is set.
	CostUSD float64
	Charged bool
}

// Provider is a model behind some protocol. Implementations are safe for
// concurrent use, keep nothing of what they are asked, and fail with *Error.
type Provider interface {
	Complete(ctx context.Context, r Request) (Response, error)
	// Check finds out whether the provider can be reached at all, without
	// asking a model.
	Check(ctx context.Context) error
}

// EstimateTokens says roughly how many tokens a text has.
func EstimateTokens(text string) int { return (len(text) + 3) / 4 }
