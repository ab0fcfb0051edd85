package search

import (
	"math"
	"unicode"

	"codememory"
	"codememory/internal/text"
)

// Floor is the calibrated score below which nothing is returned. On the open
// developer sets, on which it was also chosen, about 90 % of foreign questions
// stay below it and 3 % of the answerable ones lose their answer. With weights
// and floor from one half of the questions and tested on the other half it was
// 88 % and 4 %: expect that, or less, on other data.
const Floor = 0.5

// floorBesideBest is the floor for documents beside a relevant one.
var floorBesideBest = logistic(-slope * 1)

// slope spreads the scores: without it nearly all would be close to 0 or 1.
const slope = 0.6

// Features are what a score is computed from.
type Features struct {
	Cosine   float64 // on the scale of the calibrated model
	Words    float64 // how much the words in common can mean
	Coverage float64 // share of the question that they are
	Rarity   float64 // how much of it is rare in ordinary text
	Tokens   float64 // how much of the question is there word for word
	Question float64 // how much the question says: a long one is seldom matched by accident
	// By size of the pool: the more candidates, the more chance matches.
	Few      float64 // 1 for a single candidate, 0 from fifteen on
	Crowd    float64 // its logarithm, 1 from 150 on
	BigCrowd float64 // from 60 to 150
}

// weights turn features into the logarithm of the odds of being relevant,
// relative to the floor (the second part of each bias). Those of Cosine, Words,
// Coverage, Rarity, Tokens and Question come from logistic regression as in
// internal/eval (fit_test.go), on the open sets and two made for the purpose, of
// Go's documentation and of mentoring dialogues; those of Few, Crowd and
// BigCrowd were set by hand, since size is confounded with what a set holds.
// Every weight has the sign that reason gives it.
type weights struct {
	bias float64
	Features
}

var (
	// Of the built-in model, with token states, and without them.
	withTokens  = weights{-7.62 + 0.21, Features{Cosine: 12.61, Words: 1.18, Tokens: 8.96, Question: 0.82, Crowd: -1.5, BigCrowd: -1.8, Few: 1.5}}
	withVectors = weights{-5.11 + 0.66, Features{Cosine: 13.66, Words: 3.20, Question: 0.11, Crowd: -1.5, BigCrowd: -1.8, Few: 1.5}}
	// Without a model.
	wordsOnly = weights{-3.62 + 0.90, Features{Coverage: 3.66, Rarity: 7.68}}
)

func (w weights) logit(f Features) float64 {
	return w.bias + w.Cosine*f.Cosine + w.Words*f.Words + w.Coverage*f.Coverage + w.Rarity*f.Rarity +
		w.Tokens*f.Tokens + w.Question*f.Question + w.Few*f.Few + w.Crowd*f.Crowd + w.BigCrowd*f.BigCrowd
}

// calibratedModel is the vector space whose cosines the weights are for.
const calibratedModel = "minilm-l6-v2/1"

// boundaryCosine is where, with nothing else known and a small collection, the
// calibrated model's cosines turn from unrelated to related.
const boundaryCosine = 0.35

// calibrate sets the score of every candidate.
func (s *session) calibrate() {
	rarity := questionRarity(s.terms)
	size := float64(max(len(s.pool), 1))
	builtIn := s.model.ID == calibratedModel
	understood := s.model.Dim > 0 && !(builtIn && !mostlyLatin(s.parsed.Text))
	for _, c := range s.pool {
		f := Features{
			Words:    min(c.BM25, 25) / 25,
			Coverage: c.Coverage,
			Rarity:   min(c.Coverage*rarity, 30) / 30,
			Question: math.Log1p(rarity),
			Few:      max(0, 1-math.Log(size)/math.Log(15)),
			Crowd:    min(math.Log(size)/math.Log(150), 1),
			BigCrowd: min(max(size-60, 0)/90, 1),
		}
		w := wordsOnly
		if understood && c.HasVector {
			w, f.Cosine = withVectors, s.comparableCosine(c.Cosine)
			if builtIn && c.hasTokens {
				w, f.Tokens = withTokens, c.tokens.same*s.matcher.total/(s.matcher.total+1)
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
