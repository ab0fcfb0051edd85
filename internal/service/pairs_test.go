package service_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"codememory"
)

// TestDedupeOnLabelledPairs stores both statements of each labelled pair. A
// wrong merger loses a fact, so there may be none; a missed one costs little.
func TestDedupeOnLabelledPairs(t *testing.T) {
	f, err := os.Open("../embedding/minilm/testdata/pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := newWorld(t, nil)
	counts := map[string]map[codememory.AddEvent]int{}
	lines := bufio.NewScanner(f)
	for n := 0; lines.Scan(); n++ {
		var p struct{ Kind, A, B string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if p.Kind == "answer" || p.Kind == "noanswer" || (p.Kind == "unrelated" || p.Kind == "related") && n%4 > 0 {
			continue // questions; and unlike ones are easy
		}
		project := fmt.Sprintf("%spair-%d", codememory.TagPrefix, n)
		w.add(codememory.AddRequest{Project: project, Text: p.A})
		res := w.add(codememory.AddRequest{Project: project, Text: p.B})
		event := res.Event
		conflict := slices.ContainsFunc(res.Memory.Links, func(l codememory.Link) bool { return l.Type == codememory.Conflicts })
		if event == codememory.Added && conflict {
			event = "CONFLICT"
		}
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
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", counts)
	if united := counts["same"][codememory.Unchanged] + counts["same"][codememory.Updated]; united < 10 {
		t.Errorf("only %d pairs that say the same were united", united)
	}
	if seen := counts["changed"][codememory.Updated] + counts["changed"]["CONFLICT"]; seen < 18 {
		t.Errorf("only %d changed values were seen", seen)
	}
}
