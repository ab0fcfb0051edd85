// Package embedding opens the embedding model a configuration asks for: the
// built-in one, or one behind Ollama's or an OpenAI-compatible HTTP interface.
package embedding

import (
	"net/http"
	"time"

	"codememory"
	"codememory/internal/embedding/minilm"
)

// Provider says who computes the vectors.
type Provider string

// The providers.
const (
	BuiltIn Provider = "builtin"
	Ollama  Provider = "ollama"
	OpenAI  Provider = "openai" // any server with /v1/embeddings
)

// Config selects and describes a model. The zero value is the built-in one.
type Config struct {
	Provider Provider
	Model    string // required unless built in
	BaseURL  string // required for OpenAI-compatible servers; Ollama's default is this machine
	APIKey   string // sent as a bearer token when not empty
	Dim      int    // dimension to insist on; 0 = learn it from the first answer

	// Instructions some models want before a text, such as "search_query: ".
	QueryPrefix    string
	DocumentPrefix string

	QueryTimeout    time.Duration // default 5 s: someone is waiting
	DocumentTimeout time.Duration // default 60 s, for each batch
	BatchSize       int           // texts per request, default 32

	// Redact is applied to every text before it leaves the process.
	Redact func(string) string

	QueryCache int                    // recent queries to remember, default 256, negative = none
	Thresholds *codememory.Thresholds // calibrated for the model; default GenericThresholds
	Client     *http.Client           // default a client of its own
}

// GenericThresholds are for models nobody calibrated: on the strict side, since
// a wrong merge costs more than a missed one.
var GenericThresholds = codememory.Thresholds{
	Duplicate:   0.95,
	SameSubject: 0.88,
	Related:     0.75,
	Cluster:     0.85,
	Relevant:    0.30,
}

// Open returns the configured embedder. It reaches no network: a server that is
// down shows when the first text is embedded, as Unavailable.
func Open(c Config) (codememory.Embedder, error) {
	e, err := open(c)
	if err != nil || c.QueryCache < 0 {
		return e, err
	}
	return NewQueryCache(e, orDefault(c.QueryCache, 256)), nil
}

func open(c Config) (codememory.Embedder, error) {
	switch c.Provider {
	case BuiltIn, "":
		return minilm.New(), nil
	case Ollama:
		return newRemote(c, ollamaWire{})
	case OpenAI:
		return newRemote(c, openAIWire{dimensions: c.Dim})
	}
	return nil, codememory.Errorf(codememory.Invalid, "embedding provider %q is unknown: use builtin, ollama or openai", c.Provider)
}

func orDefault[T int | time.Duration](value, standard T) T {
	if value == 0 {
		return standard
	}
	return value
}
