// Package search ranks what collections offer as answers to a question. It is
// one engine for memories, journal, sessions and history: each is a
// codememory.CandidateSource. Words and vectors are fused, the best are
// compared token by token, and every hit gets a calibrated score from 0 to 1,
// so that a question nothing answers gets nothing.
package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/text"
)

// Request is a question with what its caller already knows.
type Request struct {
	codememory.SearchRequest
	Now      time.Time // what "last week" is relative to; zero: the present
	Entities []string  // names whose documents are wanted too
	IDs      []string  // documents to be scored whatever their rank
}

// Source is a collection to search, with a name to tell its hits by.
type Source struct {
	Name string
	codememory.CandidateSource
}

// TextSource is implemented by sources that can give the texts of documents.
// With it near-duplicates are left out and words in common are named.
type TextSource interface {
	Texts(ctx context.Context, ids []string) (map[string]string, error)
}

// Hit is a document found.
type Hit struct {
	Source string
	ID     string
	Score  float64 // 0..1, comparable between questions
	Why    codememory.Why

	UpdatedAt time.Time
	Features  Features // what Score was computed from
}

// Answer is what was found, best first.
type Answer struct {
	Hits     []Hit
	Degraded bool
	Reasons  []string // what was missing, or why nothing is returned
	Parsed   Parsed   // how the question was understood
}

// Sizes of a search.
const (
	DefaultLimit = 10
	// poolSize is how many candidates each collection gives by words and again
	// by vector; fusion normalises over them.
	poolSize = 100
	// enumerationSize is how many documents "list all …" looks at.
	enumerationSize = 1000
)

// Ranker ranks candidates. The zero Options are the measured ones.
type Ranker struct {
	Embedder codememory.Embedder // nil: search by words only
	Options  Options
}

// Rank answers a question from the given sources. A source that fails is left
// out and named in the answer; when all fail the error of the first is returned.
func (r *Ranker) Rank(ctx context.Context, req Request, sources ...Source) (Answer, error) {
	now := req.Now
	if now.IsZero() {
		now = time.Now()
	}
	answer := Answer{Parsed: Parsed{Text: req.Text}}
	if !req.Literal {
		answer.Parsed = Parse(req.Text, now)
	}
	q := answer.Parsed.query(req)
	limit := req.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	s := session{ranker: r, answer: &answer, parsed: answer.Parsed, entities: q.Entities}
	if !answer.Parsed.Enumerates() {
		s.embed(ctx, req, &q)
	}
	if err := s.gather(ctx, q, sources); err != nil {
		return Answer{}, err
	}
	if answer.Parsed.Enumerates() {
		s.enumerate(limit)
		return answer, nil
	}
	if err := s.rank(ctx, sources); err != nil {
		return Answer{}, err
	}
	s.cut(req.Floor, req.IDs)
	if err := s.finish(ctx, limit, sources); err != nil {
		return Answer{}, err
	}
	return answer, nil
}

// session is the work on one question.
type session struct {
	ranker   *Ranker
	answer   *Answer
	parsed   Parsed
	terms    []codememory.Term
	entities []string
	model    codememory.EmbeddingModel // zero: words only
	matcher  *matcher                  // nil: no token states
	pool     []*candidate
}

type candidate struct {
	codememory.Candidate
	source int
	hit    Hit

	lexical, vector float64 // normalised within the pool
	fused           float64
	tokens          tokenMatch
	hasTokens       bool
	logit           float64 // of the calibrated score
	order           float64 // what the final order is by
}

// embed adds the question's vector to q, or notes why there is none.
func (s *session) embed(ctx context.Context, req Request, q *codememory.CandidateQuery) {
	e := s.ranker.Embedder
	if e == nil {
		s.degrade("no embedding model: searched by words only")
		return
	}
	model := e.Model()
	if req.Vector != nil {
		if err := codememory.CheckVector(req.Vector, model.Dim); err != nil {
			s.degrade("the given vector cannot be used (" + err.Error() + "): searched by words only")
			return
		}
		q.Vector, q.Model, s.model = req.Vector, model.ID, model
		return
	}
	if strings.TrimSpace(s.answer.Parsed.Text) == "" {
		return
	}
	emb, err := e.EmbedQuery(ctx, s.answer.Parsed.Text)
	if err == nil {
		err = codememory.CheckVector(emb.Vector, model.Dim)
	}
	if err != nil {
		s.degrade("embedding failed (" + err.Error() + "): searched by words only")
		return
	}
	q.Vector, q.Model, s.model = emb.Vector, model.ID, model
	s.matcher = newMatcher(emb.Tokens, model.TokenDim)
}

func (s *session) degrade(reason string) {
	s.answer.Degraded = true
	s.answer.Reasons = append(s.answer.Reasons, reason)
	s.model, s.matcher = codememory.EmbeddingModel{}, nil
}

// gather asks every source for candidates and pools them.
func (s *session) gather(ctx context.Context, q codememory.CandidateQuery, sources []Source) error {
	s.terms = q.Terms
	var first error
	failed := 0
	for i, src := range sources {
		found, err := src.Candidates(ctx, q)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed++
			if first == nil {
				first = fmt.Errorf("search %s: %w", src.Name, err)
			}
			s.answer.Degraded = true
			s.answer.Reasons = append(s.answer.Reasons, src.Name+" could not be searched: "+err.Error())
			continue
		}
		for _, c := range found {
			s.pool = append(s.pool, &candidate{Candidate: c, source: i, hit: Hit{Source: src.Name, ID: c.ID, UpdatedAt: c.UpdatedAt}})
		}
	}
	if failed > 0 && failed == len(sources) {
		return first
	}
	if q.Vector != nil && len(s.pool) > 0 && !slices.ContainsFunc(s.pool, func(c *candidate) bool { return c.HasVector }) {
		s.degrade("nothing is embedded yet: searched by words only")
	}
	return nil
}

// enumerate answers "list all …": what passes the filters, newest first.
func (s *session) enumerate(limit int) {
	slices.SortFunc(s.pool, newestFirst)
	for _, c := range s.pool[:min(limit, len(s.pool))] {
		c.hit.Score = 1
		c.hit.Why.Notes = []string{"listed by " + s.answer.Parsed.describe()}
		s.answer.Hits = append(s.answer.Hits, c.hit)
	}
	if len(s.pool) == 0 {
		s.answer.Reasons = append(s.answer.Reasons, "nothing matches "+s.answer.Parsed.describe())
	}
}

func newestFirst(a, b *candidate) int {
	if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// cut drops what is below the floor and says so when nothing is left. When the
// best candidate is relevant, the calibrated floor lets through what is
// somewhat weaker beside it. Documents asked for by id always stay.
func (s *session) cut(floor *float64, ids []string) {
	best := 0.0
	for _, c := range s.pool {
		best = max(best, c.hit.Score)
	}
	least := Floor
	switch {
	case floor != nil:
		least = *floor
	case best >= Floor:
		least = floorBesideBest
	}
	total := len(s.pool)
	s.pool = slices.DeleteFunc(s.pool, func(c *candidate) bool {
		return c.hit.Score < least && !slices.Contains(ids, c.ID)
	})
	if len(s.pool) == 0 && total > 0 {
		s.answer.Reasons = append(s.answer.Reasons, fmt.Sprintf("nothing is relevant enough: the best of %d candidates scores %.2f, the floor is %.2f", total, best, least))
	}
}

// finish leaves out near-duplicates, names words in common and fills the answer.
func (s *session) finish(ctx context.Context, limit int, sources []Source) error {
	texts, err := s.texts(ctx, sources, 2*limit+5)
	if err != nil {
		return err
	}
	for _, c := range distinct(s.pool, texts, limit) {
		if t, ok := texts[c]; ok {
			c.hit.Why.Terms = common(s.terms, t)
		}
		s.answer.Hits = append(s.answer.Hits, c.hit)
	}
	smooth(s.answer.Hits)
	return nil
}

// texts fetches the texts of the first n candidates from sources that have them.
func (s *session) texts(ctx context.Context, sources []Source, n int) (map[*candidate]string, error) {
	out := map[*candidate]string{}
	for i, src := range sources {
		ts, ok := src.CandidateSource.(TextSource)
		if !ok {
			continue
		}
		var ids []string
		for _, c := range s.pool[:min(n, len(s.pool))] {
			if c.source == i {
				ids = append(ids, c.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		found, err := ts.Texts(ctx, ids)
		if err != nil {
			return nil, fmt.Errorf("read texts of %s: %w", src.Name, err)
		}
		for _, c := range s.pool[:min(n, len(s.pool))] {
			if t, ok := found[c.ID]; ok && c.source == i {
				out[c] = t
			}
		}
	}
	return out, nil
}

// common returns the question's words that a text holds, without stop words.
func common(terms []codememory.Term, document string) []string {
	have := map[string]bool{}
	for _, t := range text.AnalyzeDocument(document).Terms {
		have[text.Stem(t.Text)] = true
	}
	var words []string
	for _, t := range terms {
		if have[t.Stem] && !text.IsStopWord(t.Text) {
			words = append(words, t.Text)
		}
	}
	return words
}
