package minilm

import "codememory/internal/embedding/minilm/encoder"

// Limits on what is encoded. A passage leaves room for [CLS] and [SEP]. Of a
// longer document the first maxPassages count: about 1,700 tokens.
const (
	passageTokens = encoder.Window - 2
	maxPassages   = 8
	overlapTokens = 32
	queryHalf     = 63
)

// queryTokens returns a question's tokens. A pasted log or file between the
// words of a long one is skipped: people put what they want first or last, and
// the time a query takes grows with its length.
func (s *space) queryTokens(text string) []int32 {
	const most = maxPassages * passageTokens
	ids := s.model.Tokenize(s.model.SplitIdentifiers(text), most).IDs
	if len(ids) <= 2*queryHalf {
		return ids
	}
	return append(ids[:queryHalf:queryHalf], ids[len(ids)-queryHalf:]...)
}

// passages cuts a text into overlapping pieces that fit the window, at the
// strongest borders near their ends.
func (s *space) passages(text string) [][]int32 {
	tokens := s.model.Tokenize(s.model.SplitIdentifiers(text), maxPassages*passageTokens)
	var out [][]int32
	for start := 0; ; {
		rest := len(tokens.IDs) - start
		if rest <= passageTokens || len(out) == maxPassages-1 {
			return append(out, tokens.IDs[start:start+min(rest, passageTokens)])
		}
		end := border(tokens.Breaks, start+passageTokens*2/3, start+passageTokens)
		out = append(out, tokens.IDs[start:end])
		start = border(tokens.Breaks, end-2*overlapTokens, end-overlapTokens/2)
	}
}

// border returns the last of the strongest borders in (from, to].
func border(breaks []encoder.Break, from, to int) int {
	best := to
	for i := to; i > from; i-- {
		if breaks[i] > breaks[best] {
			best = i
		}
	}
	return best
}
