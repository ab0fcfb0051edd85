package service_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"codememory"
)

type labelledPair struct{ Kind, A, B string }

// asConflict is what a new memory counts as that contradicts an old one.
const asConflict codememory.AddEvent = "CONFLICT"

// TestDedupeOnLabelledPairs stores both statements of each labelled pair. A
// wrong merger loses a fact, so there may be none; a missed one costs little.
func TestDedupeOnLabelledPairs(t *testing.T) {
	w := newWorld(t, nil)
	counts := map[string]map[codememory.AddEvent]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	turns := make(chan struct{}, 8) // most of it is waiting for the disk
	for n, p := range readPairs(t) {
		if (p.Kind == "unrelated" || p.Kind == "related") && n%4 > 0 {
			continue // unlike ones are easy
		}
		all.Go(func() {
			turns <- struct{}{}
			event := w.storePair(n, p)
			<-turns
			mu.Lock()
			defer mu.Unlock()
			if counts[p.Kind] == nil {
				counts[p.Kind] = map[codememory.AddEvent]int{}
			}
			counts[p.Kind][event]++
			switch {
			case p.Kind == "changed" && event == codememory.Unchanged:
				t.Errorf("a new value was dropped: %q, then %q", p.A, p.B)
			case p.Kind != "same" && p.Kind != "changed" && event != codememory.Added:
				t.Errorf("%s, yet %s: %q, then %q", p.Kind, event, p.A, p.B)
			}
		})
	}
	all.Wait()
	t.Logf("%v", counts)
	if united := counts["same"][codememory.Unchanged] + counts["same"][codememory.Updated]; united < 10 {
		t.Errorf("only %d pairs that say the same were united", united)
	}
	if seen := counts["changed"][codememory.Updated] + counts["changed"][asConflict]; seen < 18 {
		t.Errorf("only %d changed values were seen", seen)
	}
}

// readPairs returns the pairs of statements; those with questions are left out.
func readPairs(t *testing.T) []labelledPair {
	t.Helper()
	f, err := os.Open("../embedding/minilm/testdata/pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var ps []labelledPair
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var p labelledPair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if p.Kind != "answer" && p.Kind != "noanswer" {
			ps = append(ps, p)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return ps
}

// storePair stores both statements in a project of their own and says what the
// second one was taken for.
func (w *world) storePair(n int, p labelledPair) codememory.AddEvent {
	project := fmt.Sprintf("%spair-%d", codememory.TagPrefix, n)
	if _, err := w.Add(w.t.Context(), codememory.AddRequest{Project: project, Text: p.A}); err != nil {
		w.t.Error(err)
	}
	res, err := w.Add(w.t.Context(), codememory.AddRequest{Project: project, Text: p.B})
	if err != nil {
		w.t.Error(err)
	}
	if res.Event == codememory.Added && slices.ContainsFunc(res.Memory.Links, func(l codememory.Link) bool { return l.Type == codememory.Conflicts }) {
		return asConflict
	}
	return res.Event
}
