package codememory

import (
	"context"
	"math"
)

// EmbeddingModel identifies a vector space. Vectors of different models are
// never compared, and thresholds are only meaningful within one.
type EmbeddingModel struct {
	ID         string // stored with every vector, e.g. "minilm-l6-v2/1"
	Dim        int
	TokenDim   int // dimensions of a token state; 0 = the model offers none
	Thresholds Thresholds
}

// Thresholds are cosines calibrated for one model.
type Thresholds struct {
	Duplicate   float64 // the same statement in other words
	SameSubject float64 // an update of the same fact, given the same type and subject
	Related     float64 // worth a link
	Cluster     float64 // worth consolidating
	Relevant    float64 // best cosine below this and little word overlap: no answer
}

// TokenStates are a text's contextual token vectors, reduced and quantised, for
// token-level re-ranking: len(Weights) rows of TokenDim int8 values each.
type TokenStates struct {
	Data    []int8
	Weights []float32 // importance of each token (inverse document frequency); used for queries only
}

// Embedding is one text (or one passage of it) as the model sees it.
type Embedding struct {
	Vector []float32 // unit length
	Tokens TokenStates
}

// Embedder turns text into vectors. Implementations are safe for concurrent use.
type Embedder interface {
	Model() EmbeddingModel
	// EmbedQuery encodes a question. It fails with Unavailable when the model cannot be reached.
	EmbedQuery(ctx context.Context, text string) (Embedding, error)
	// EmbedDocuments encodes texts to be found. A text longer than the model's
	// window gives several passages; every text gives at least one.
	EmbedDocuments(ctx context.Context, texts []string) ([][]Embedding, error)
}

// CheckVector refuses vectors that would poison a ranking: of the wrong
// dimension, with NaN or infinity, or without length.
func CheckVector(v []float32, dim int) error {
	if len(v) != dim {
		return Errorf(Invalid, "vector has %d dimensions, the model has %d", len(v), dim)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return Errorf(Invalid, "vector holds NaN or infinity")
	case sum == 0:
		return Errorf(Invalid, "vector has no length")
	}
	return nil
}
