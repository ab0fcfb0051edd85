package service

import (
	"context"
	"fmt"
	"slices"

	"codememory"
	"codememory/internal/lifecycle"
	"codememory/internal/store"
	"codememory/internal/text"
)

// verdict is what the store already knows of a new memory.
type verdict struct {
	event  codememory.AddEvent // "": it is new
	id     string
	reason string
	agrees bool // with what is known: the new memory says the same, or that and more
	links  []codememory.Link
}

// nearest is how many of the most similar memories a new one is compared with.
const nearest = 12

// fuzzySame is the share of equal characters from which two wordings differ by
// slips of the pen only.
const fuzzySame = 0.95

func normalized(s string) string { return text.Normalize(s) }

// compare finds out whether m is known: word for word, with another value, or
// in other words.
func (s *Service) compare(ctx context.Context, st *store.Store, m codememory.Memory, embedding []codememory.MemoryEmbedding) (verdict, error) {
	v, err := s.compareWording(ctx, st, m)
	if err != nil || v.event != "" || m.Quarantine != "" {
		return v, err // what waits for review neither changes another memory nor hangs on one
	}
	q := codememory.CandidateQuery{Model: s.model().ID, Limit: nearest}
	if len(embedding) > 0 && len(embedding[0].Passages) > 0 {
		q.Vector = embedding[0].Passages[0].Vector // nearly equal words are nearly equal vectors
	} else {
		q.Terms = text.AnalyzeQuery(m.Text)
	}
	cands, err := st.Candidates(ctx, q)
	if err != nil {
		return v, err
	}
	slices.SortFunc(cands, func(a, b codememory.Candidate) int {
		switch {
		case a.Cosine != b.Cosine:
			return -compareFloat(a.Cosine, b.Cosine)
		default:
			return -compareFloat(a.BM25, b.BM25)
		}
	})
	olds, err := st.GetMany(ctx, s.comparable(cands))
	if err != nil {
		return v, err
	}
	cosine := make(map[string]float64, len(cands))
	for _, c := range cands {
		cosine[c.ID] = c.Cosine
	}
	for _, old := range olds {
		if v := s.judge(m, old, cosine[old.ID]); v.event != "" {
			return v, nil
		}
	}
	return verdict{links: s.linksTo(m, cands, olds)}, nil
}

// comparable returns those of the nearest candidates that may say the same: by
// their vectors, or because they hold nearly all of the words.
func (s *Service) comparable(cands []codememory.Candidate) []string {
	const sameWords = 0.75
	var ids []string
	for _, c := range cands {
		if len(ids) < nearest && (c.Cosine >= s.model().Thresholds.Cluster || c.Coverage >= sameWords) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareWording looks for the same text, whatever its case and punctuation. A
// user may bring back what was forgotten or purged by saying it again; a
// replay of old sessions may not.
func (s *Service) compareWording(ctx context.Context, st *store.Store, m codememory.Memory) (verdict, error) {
	id, purged, err := st.FindText(ctx, m.Text)
	byUser := m.Source.Author == codememory.AuthorUser
	switch {
	case err != nil:
		return verdict{}, err
	case purged && !byUser:
		return verdict{event: codememory.Unchanged, reason: "it was purged"}, nil
	case id == "":
		return verdict{}, nil
	}
	old, err := st.Get(ctx, id)
	if err != nil {
		return verdict{}, err
	}
	switch state := old.State(); {
	case state == codememory.Active:
		return verdict{event: codememory.Unchanged, id: id, reason: "it is known as " + codememory.ShownID(id), agrees: true}, nil
	case !byUser, m.Quarantine != "":
		return verdict{event: codememory.Unchanged, id: id, reason: fmt.Sprintf("%s says it and is %s", codememory.ShownID(id), state)}, nil
	case state == codememory.Superseded:
		return verdict{}, nil // true again: a new memory with its own date
	default:
		return verdict{event: codememory.Updated, id: id, reason: fmt.Sprintf("it was %s and is back", state), agrees: true}, nil
	}
}

// judge compares two texts about, perhaps, the same thing. Only what cannot
// lose a fact is merged: the same words with another value, or one text that
// says all that the other does. Everything else stays a memory of its own.
func (s *Service) judge(m, old codememory.Memory, cosine float64) verdict {
	if old.Type != m.Type {
		return verdict{}
	}
	th := s.model().Thresholds
	duplicate := th.Duplicate
	if c := s.opts.Config.Config.Lifecycle.DuplicateCosine; c > 0 {
		duplicate = c
	}
	fuzzy := text.SimilarAtLeast(normalized(m.Text), normalized(old.Text), fuzzySame)
	close := cosine > 0 && cosine >= th.SameSubject
	if !fuzzy && !close {
		return verdict{}
	}
	subjectNew, valuesNew := lifecycle.Content(m.Text)
	subjectOld, valuesOld := lifecycle.Content(old.Text)
	shown := codememory.ShownID(old.ID)
	switch {
	case len(subjectNew) < 2 || len(subjectOld) < 2:
		return verdict{}
	case slices.Equal(subjectNew, subjectOld) && !slices.Equal(valuesNew, valuesOld) && m.CreatedAt.Before(old.UpdatedAt):
		return verdict{event: codememory.Unchanged, id: old.ID, reason: "it is older than what " + shown + " says"}
	case slices.Equal(subjectNew, subjectOld) && !slices.Equal(valuesNew, valuesOld):
		return verdict{event: codememory.Updated, id: old.ID, reason: "another value than " + shown + " had"}
	case slices.Equal(subjectNew, subjectOld):
		return verdict{event: codememory.Unchanged, id: old.ID, reason: shown + " says it in other words", agrees: true}
	case cosine >= duplicate && cosine > 0 && slices.Equal(valuesNew, valuesOld) && lifecycle.Subset(subjectNew, subjectOld):
		return verdict{event: codememory.Unchanged, id: old.ID, reason: shown + " says it and more", agrees: true}
	case cosine >= duplicate && cosine > 0 && slices.Equal(valuesNew, valuesOld) && lifecycle.Subset(subjectOld, subjectNew):
		return verdict{event: codememory.Updated, id: old.ID, reason: "it says more than " + shown, agrees: true}
	}
	return verdict{}
}
