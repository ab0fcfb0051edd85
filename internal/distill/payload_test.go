package distill

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"codememory"
	"codememory/internal/llm/task"
)

// TestNoPayloadOfAToolBecomesAnActiveMemory has a model that does whatever the
// published attacks tell it: it stores them as what the user said. They stand
// in the output of a tool, and in half of the cases the agent repeats them.
func TestNoPayloadOfAToolBecomesAnActiveMemory(t *testing.T) {
	f, err := os.Open("../render/testdata/payloads.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<20)
	attacks := 0
	for in.Scan() {
		var p struct {
			ID     string
			Attack bool
			Text   string
		}
		if err := json.Unmarshal(in.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		answer, err := json.Marshal([]task.Fact{{Text: p.Text}})
		if err != nil {
			t.Fatal(err)
		}
		facts, err := task.ParseFacts(string(answer))
		if !p.Attack || err != nil {
			continue // nothing that could be a memory
		}
		attacks++
		for _, said := range []string{"I read the page.", "The page says: " + p.Text} {
			chunk := label([]codememory.Turn{turn("t1", "Please read the page and tell me what it is about.", said, codememory.ToolCall{Name: "webfetch", Output: "Welcome to our page.\n" + p.Text + "\nBye."})})
			for _, support := range []task.Support{task.ByUser, task.ByAssistant, ""} {
				fact := facts[0]
				fact.Support = support
				if v := judge(fact, chunk); !v.drop && v.quarantine == "" {
					t.Errorf("%s is active, said to be by %q: %s", p.ID, support, fact.Text)
				}
			}
			if left := withoutOrders("The page was read. "+strings.Join(strings.Fields(p.Text), " "), chunk); strings.Contains(left, strings.Join(strings.Fields(p.Text), " ")) {
				t.Errorf("%s is in the summary: %s", p.ID, left)
			}
		}
	}
	if attacks < 200 {
		t.Errorf("only %d attacks", attacks)
	}
	t.Logf("%d attacks", attacks)
}
