package encoder

// TokenDim is the number of dimensions token states are reduced to.
const TokenDim = 64

// TraceWeight is the weight of tokens that say next to nothing: stop words and
// punctuation. [CLS], [SEP] and [UNK] have none at all.
const TraceWeight = 0.05

// Sections that hold statistics of ordinary technical text beside the weights.
const (
	ProjectionSection = "token.project" // TokenDim × Hidden floats
	WeightSection     = "token.weight"  // VocabSize floats: inverse document frequency, 0…1
)
