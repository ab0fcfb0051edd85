package session

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"codememory/internal/text"
)

// NoneFound is what to say when a search has no hits.
const NoneFound = "No sessions found matching your query."

// Hit is a session that answers a question. Scores compare hits of one search.
type Hit struct {
	Record Record  `json:"record"`
	Path   string  `json:"markdown_path,omitempty"` // when it comes from a store
	Score  float64 `json:"score"`
}

// ClampLimit is how many hits are shown at most when asked for n: 1 to 5.
func ClampLimit(n int) int { return min(max(n, 1), 5) }

// Search returns the records that answer a question in plain words, best first.
// Dates ("last week"), agents ("in cursor") and files in it are filters; of the
// other words any may be missing, but more count more. A question that only
// filters lists what remains, newest first. now is the present in the user's
// time zone.
func Search(records []Record, query string, now time.Time) []Hit {
	docs := make([]*document, len(records))
	for i := range records {
		docs[i] = newDocument(&records[i])
	}
	var hits []Hit
	for _, f := range rank(docs, query, now) {
		hits = append(hits, Hit{Record: f.doc.record.clone(), Score: f.score})
	}
	return hits
}

// Search is the function of this name over the sessions of the store.
func (s *Store) Search(query string, now time.Time, f Filter) ([]Hit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	var docs []*document
	paths := map[*document]string{}
	for _, e := range s.sorted(func(e *entry) bool { return f.Agent == "" || sameAgent(e.record.Agent, f.Agent) }) {
		if e.doc == nil {
			e.doc = newDocument(&e.record)
		}
		docs = append(docs, e.doc)
		paths[e.doc] = s.saved(e).Path
	}
	var hits []Hit
	for _, found := range rank(docs, query, now) {
		hits = append(hits, Hit{Record: found.doc.record.clone(), Path: paths[found.doc], Score: found.score})
	}
	if f.Limit > 0 {
		hits = hits[:min(len(hits), f.Limit)]
	}
	return hits, nil
}

// The parts of a record that are searched and what a word in each is worth.
const (
	inGoal = iota
	inTodos
	inFiles
	inDecisions
	inSummary
	fieldCount
)

var fieldWeights = [fieldCount]float64{inGoal: 10, inTodos: 5, inFiles: 5, inDecisions: 8, inSummary: 3}

const (
	saturation = 12.0 // weight of words at which more of the same add little
	lengthNorm = 0.3
	coverage   = 0.3 // share of a score that all words together earn
	pathScore  = 5.0
	// cutOff is the share of the best score below which a hit is left out. A
	// fixed bound would mean something else in every store.
	cutOff = 0.2
)

// document is a record made ready for searching.
type document struct {
	record *Record
	terms  [fieldCount]map[string]float64 // stem → times
	length [fieldCount]float64
	files  []string // lower case
}

func newDocument(r *Record) *document {
	d := &document{record: r}
	var files, rest []string
	for _, f := range r.Files {
		files = append(files, f.Path)
		d.files = append(d.files, strings.ToLower(f.Path))
	}
	for _, p := range r.Plans {
		files = append(files, p.Path, p.Header)
		d.files = append(d.files, strings.ToLower(p.Path))
	}
	rest = append(rest, r.Summary...)
	for _, n := range r.Turns {
		rest = append(rest, n.Asked, n.Done, n.Failed, n.Open)
	}
	for _, ref := range r.References {
		rest = append(rest, ref.Title)
	}
	for _, s := range r.Extra {
		rest = append(rest, s.Title, s.Body)
	}
	d.fill(inGoal, []string{r.Goal, strings.ReplaceAll(r.Slug, "-", " ")})
	d.fill(inTodos, slices.Concat(r.Completed, r.Pending))
	d.fill(inFiles, files)
	d.fill(inDecisions, r.Decisions)
	d.fill(inSummary, rest)
	return d
}

func (d *document) fill(field int, texts []string) {
	analyzed := text.AnalyzeDocument(strings.Join(texts, "\n"))
	d.terms[field] = make(map[string]float64, len(analyzed.Terms))
	for _, t := range analyzed.Terms {
		d.terms[field][text.Stem(t.Text)] += float64(t.Count)
	}
	d.length[field] = float64(analyzed.Length)
}

func (d *document) has(stem string) bool {
	for _, terms := range d.terms {
		if terms[stem] > 0 {
			return true
		}
	}
	return false
}

// touches reports whether the session did something to a file of this name or
// below this folder.
func (d *document) touches(name string) bool {
	name = strings.Trim(name, "/")
	return slices.ContainsFunc(d.files, func(file string) bool {
		return strings.Contains("/"+strings.TrimPrefix(file, "/")+"/", "/"+name+"/")
	})
}

type found struct {
	doc   *document
	score float64
}

// rank answers a question from the documents.
func rank(docs []*document, query string, now time.Time) []found {
	q := ask(query, now, func(agent string) bool {
		return slices.ContainsFunc(docs, func(d *document) bool { return sameAgent(d.record.Agent, agent) })
	})
	if !q.said {
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(docs), func(d *document) bool {
		return q.agent != "" && !sameAgent(d.record.Agent, q.agent) || q.timed && !during(d.record, q)
	})
	touching := slices.DeleteFunc(slices.Clone(left), func(d *document) bool {
		return !slices.ContainsFunc(q.paths, d.touches)
	})
	byPath := len(touching) > 0
	words := strings.Join(q.words, " ")
	if byPath {
		left = touching
	} else if len(q.paths) > 0 { // no session touched it, but one may speak of it
		words += " " + strings.Join(q.paths, " ")
	}
	var hits []found
	score := scorer(docs, words)
	for _, d := range left {
		s := score(d)
		if byPath {
			s += pathScore
		}
		if s > 0 {
			hits = append(hits, found{d, s})
		}
	}
	if len(hits) == 0 && (strings.TrimSpace(words) == "" || !slices.ContainsFunc(strings.Fields(words), func(w string) bool { return !isVague(w) })) {
		for _, d := range left {
			hits = append(hits, found{d, 1})
		}
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.doc.record.StartedAt.Compare(a.doc.record.StartedAt), cmp.Compare(a.doc.record.ID, b.doc.record.ID))
	})
	for i, h := range hits {
		if h.score < cutOff*hits[0].score {
			return hits[:i]
		}
	}
	return hits
}

// during reports whether the session went on in the time asked for.
func during(r *Record, q question) bool {
	return (q.when.From.IsZero() || !r.ActiveAt().Before(q.when.From)) && (q.when.To.IsZero() || r.StartedAt.Before(q.when.To))
}

// scorer returns a BM25 over the weighted fields. Rarity is always positive, so
// that a single session is found too; a document that has more of the words
// gains more than their sum.
func scorer(docs []*document, words string) func(*document) float64 {
	terms := text.AnalyzeQuery(words)
	rarity := make([]float64, len(terms))
	total := 0.0
	for i, t := range terms {
		n := 0.0
		for _, d := range docs {
			if d.has(t.Stem) {
				n++
			}
		}
		rarity[i] = t.Weight * math.Log(1+(float64(len(docs))-n+0.5)/(n+0.5))
		if n > 0 {
			total += rarity[i]
		}
	}
	var average [fieldCount]float64
	for _, d := range docs {
		for f, n := range d.length {
			average[f] += n / float64(len(docs))
		}
	}
	return func(d *document) float64 {
		score, matched := 0.0, 0.0
		for i, t := range terms {
			weight := 0.0
			for f := range fieldWeights {
				if n := d.terms[f][t.Stem]; n > 0 {
					weight += fieldWeights[f] * n / (1 - lengthNorm + lengthNorm*d.length[f]/average[f])
				}
			}
			if weight > 0 {
				score += rarity[i] * weight / (saturation + weight)
				matched += rarity[i]
			}
		}
		if score == 0 {
			return 0
		}
		return score * (1 - coverage + coverage*matched/total)
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// topFiles is how many files a listing names.
const topFiles = 3

// TopFiles names the files that tell most about the session, at most three:
// source before documents and lock files, then in the order of Files.
func (r Record) TopFiles() []string {
	var first, rest []string
	for _, f := range sortedFiles(r.Files) {
		switch path.Ext(f.Path) {
		case ".md", ".txt", ".lock", ".sum", ".json", ".csv":
			rest = append(rest, f.Path)
		default:
			first = append(first, f.Path)
		}
	}
	first = append(first, rest...)
	return first[:min(len(first), topFiles)]
}
