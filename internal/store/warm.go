package store

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"codememory"
	"codememory/internal/text"
)

// warmingWait is how long a search of a large store waits for the index to be
// made. That takes a second or two after a start; a model's call cannot wait so long.
const warmingWait = 150 * time.Millisecond

// soonMade is how many memories are indexed so fast that a search rather waits.
const soonMade = 5000

var errWarming = errors.New("the index is being made")

// Warming reports whether searches are answered from full text alone because
// the index is still being made.
func (s *Store) Warming() bool {
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	return s.ix.x == nil && s.ix.warming != nil
}

// warm makes the index in the background and waits a moment for it.
func (l *lazyIndex) warm(ctx context.Context) error {
	l.mu.Lock()
	done := l.warming
	if done == nil {
		done = make(chan struct{})
		l.warming = done
		l.s.background.Go(func() {
			defer close(done)
			err := l.extend(l.s.life)
			debug.FreeOSMemory() // making it left several times its size behind
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.failed = err; err != nil {
				l.warming = nil // the next search tries again
			}
		})
	}
	l.mu.Unlock()
	var enough <-chan time.Time
	if n, err := l.s.db.Count(ctx); err != nil {
		return err
	} else if n > soonMade {
		enough = time.After(warmingWait)
	}
	select {
	case <-done:
		l.mu.RLock()
		defer l.mu.RUnlock()
		return l.failed
	case <-ctx.Done():
		return ctx.Err()
	case <-enough:
		return errWarming
	}
}

// coldCandidates answers from full text while there is no index: words only,
// and without knowing how rare they are.
func (s *Store) coldCandidates(ctx context.Context, q codememory.CandidateQuery) ([]codememory.Candidate, error) {
	var words []string
	var total float64
	for _, t := range q.Terms {
		if !text.IsStopWord(t.Text) {
			words = append(words, t.Text)
			total += t.Weight
		}
	}
	found, err := s.db.SearchText(ctx, words, q.Filter, q.Limit)
	if err != nil {
		return nil, err
	}
	scores := make(map[string]float64, len(found))
	ids := make([]string, len(found))
	for i, h := range found {
		ids[i], scores[h.ID] = h.ID, h.Score
	}
	ms, err := s.db.GetMany(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]codememory.Candidate, len(ms))
	for i, m := range ms {
		held := map[string]bool{}
		for _, t := range text.AnalyzeDocument(m.Text).Terms {
			held[t.Text], held[text.Stem(t.Text)] = true, true
		}
		var share float64
		for _, t := range q.Terms {
			if !text.IsStopWord(t.Text) && (held[t.Text] || held[t.Stem]) {
				share += t.Weight / total
			}
		}
		out[i] = codememory.Candidate{
			ID: m.ID, BM25: scores[m.ID], Coverage: share, UpdatedAt: m.UpdatedAt, Importance: m.Importance, Used: m.Usage.Used, Pinned: m.Pinned,
		}
	}
	return out, nil
}
