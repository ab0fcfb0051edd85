package search

import (
	"math"
	"unicode"

	"codememory"
	"codememory/internal/text"
)

// Floor is the calibrated score below which nothing is returned: as many
// answers as possible to questions that a collection cannot answer are below
// it, while at most 3 % of answerable questions lose their answer.
const Floor = 0.5

// floorBesideBest is the floor for documents beside a relevant one.
var floorBesideBest = logistic(-slope * 1)

// slope spreads the scores: without it nearly all would be close to 0 or 1.
const slope = 0.6

// weights turn what is known of a candidate into the logarithm of its odds of
// being relevant, relative to the floor. They are fitted by internal/eval
// (fit_test.go) on the labelled sets and on questions asked of collections that
// cannot answer them. Every weight has the sign that reason gives it.
type weights struct {
	bias     float64
	cosine   float64
	words    float64 // per wordEvidence
	coverage float64
	rarity   float64 // per rarityEvidence
	tokens   float64 // per tokenEvidence
	crowd    float64 // per logarithm of the pool: more candidates, more chance matches
	bigCrowd float64
}

var (
	// Of the built-in model, with token states, and without them.
	withTokens  = weights{bias: -4.29 + 0.68, cosine: 12.45, words: 1.98, tokens: 12.32, crowd: -2, bigCrowd: -1}
	withVectors = weights{bias: -4.33 + 0.89, cosine: 13.71, words: 3.68, crowd: -2, bigCrowd: -1}
	// Without a model.
	wordsOnly = weights{bias: -3.70 + 0.90, coverage: 3.38, rarity: 8.40}
)

// calibratedModel is the vector space whose cosines the weights are for.
const calibratedModel = "minilm-l6-v2/1"

// boundaryCosine is where, with nothing else known and a small collection, the
// calibrated model's cosines turn from unrelated to related.
const boundaryCosine = 0.35

// calibrate sets the score of every candidate.
func (s *session) calibrate() {
	rarity := questionRarity(s.terms)
	size := float64(len(s.pool))
	crowd := min(math.Log(max(size, 1))/math.Log(150), 1)
	bigCrowd := min(max(size-60, 0)/90, 1)
	english := mostlyLatin(s.parsed.Text)
	for _, c := range s.pool {
		w := wordsOnly
		switch {
		case s.model.Dim == 0 || !c.HasVector || s.model.ID == calibratedModel && !english:
		case c.hasTokens && s.model.ID == calibratedModel:
			w = withTokens
		default:
			w = withVectors
		}
		x := w.bias + w.crowd*crowd + w.bigCrowd*bigCrowd +
			w.cosine*s.comparableCosine(c.Cosine) +
			w.words*wordEvidence(c.BM25) +
			w.coverage*c.Coverage +
			w.rarity*rarityEvidence(c.Coverage*rarity)
		if w.tokens != 0 {
			x += w.tokens * c.tokens.same * tokenEvidence(s.matcher.total)
		}
		c.logit = x
		c.hit.Score = logistic(slope * x)
	}
}

// comparableCosine maps the cosine of another model to the scale of the
// calibrated one, by the threshold that was measured for it.
func (s *session) comparableCosine(cosine float64) float64 {
	if s.model.ID == calibratedModel {
		return cosine
	}
	relevant := s.model.Thresholds.Relevant
	if relevant <= 0 || relevant >= 1 {
		relevant = 0.5
	}
	return boundaryCosine + (cosine-relevant)*(1-boundaryCosine)/(1-relevant)
}

// The evidences say how much a match can mean: a long question that is matched
// in full is hardly an accident, a short one easily is.

func wordEvidence(bm25 float64) float64      { return min(bm25, 25) / 25 }
func rarityEvidence(matched float64) float64 { return min(matched, 30) / 30 }
func tokenEvidence(weight float64) float64   { return weight / (weight + 8) }

// questionRarity is the summed rarity of the question's words in ordinary text.
func questionRarity(terms []codememory.Term) float64 {
	sum := 0.0
	for _, t := range terms {
		sum += t.Weight * -math.Log(text.Commonness(t.Stem)+0.0005)
	}
	return sum
}

// mostlyLatin reports whether the calibrated model, which was trained on
// English, can know what a text means.
func mostlyLatin(s string) bool {
	latin, other := 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	return other <= latin
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// smooth makes scores fall with rank by averaging neighbours that do not: the
// order knows more than a single score.
func smooth(hits []Hit) {
	type block struct {
		sum float64
		n   int
	}
	var blocks []block
	for _, h := range hits {
		blocks = append(blocks, block{h.Score, 1})
		for len(blocks) > 1 {
			a, b := blocks[len(blocks)-2], blocks[len(blocks)-1]
			if a.sum*float64(b.n) >= b.sum*float64(a.n) {
				break
			}
			blocks = append(blocks[:len(blocks)-2], block{a.sum + b.sum, a.n + b.n})
		}
	}
	i := 0
	for _, b := range blocks {
		for range b.n {
			hits[i].Score = b.sum / float64(b.n)
			i++
		}
	}
}
