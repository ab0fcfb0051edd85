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

// Features are what a score is computed from, each about 0..1.
type Features struct {
	Cosine   float64 // on the scale of the calibrated model
	Words    float64 // how much the words in common can mean
	Coverage float64 // share of the question that they are
	Rarity   float64 // how much of it is rare in ordinary text
	Tokens   float64 // how much of the question is there word for word
	Crowd    float64 // by size of the pool: more candidates, more chance matches
	BigCrowd float64
}

// weights turn features into the logarithm of the odds of being relevant,
// relative to the floor. They are fitted by internal/eval (fit_test.go) on
// labelled sets and on questions asked of collections that cannot answer them.
// Every weight has the sign that reason gives it.
type weights struct {
	bias float64
	Features
}

var (
	// Of the built-in model, with token states, and without them.
	withTokens  = weights{-4.29 + 0.68, Features{Cosine: 12.45, Words: 1.98, Tokens: 12.32, Crowd: -2, BigCrowd: -1}}
	withVectors = weights{-4.33 + 0.89, Features{Cosine: 13.71, Words: 3.68, Crowd: -2, BigCrowd: -1}}
	// Without a model.
	wordsOnly = weights{-3.70 + 0.90, Features{Coverage: 3.38, Rarity: 8.40}}
)

func (w weights) logit(f Features) float64 {
	return w.bias + w.Cosine*f.Cosine + w.Words*f.Words + w.Coverage*f.Coverage + w.Rarity*f.Rarity +
		w.Tokens*f.Tokens + w.Crowd*f.Crowd + w.BigCrowd*f.BigCrowd
}

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
	builtIn := s.model.ID == calibratedModel
	understood := s.model.Dim > 0 && !(builtIn && !mostlyLatin(s.parsed.Text))
	for _, c := range s.pool {
		f := Features{
			Words:    min(c.BM25, 25) / 25,
			Coverage: c.Coverage,
			Rarity:   min(c.Coverage*rarity, 30) / 30,
			Crowd:    crowd,
			BigCrowd: bigCrowd,
		}
		w := wordsOnly
		if understood && c.HasVector {
			w, f.Cosine = withVectors, s.comparableCosine(c.Cosine)
			if builtIn && c.hasTokens {
				// A long question that is matched in full is hardly an accident.
				w, f.Tokens = withTokens, c.tokens.same*s.matcher.total/(s.matcher.total+8)
			}
		}
		c.logit = w.logit(f)
		c.hit.Features = f
		c.hit.Score = logistic(slope * c.logit)
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
