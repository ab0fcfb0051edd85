package extracteval

import (
	"os"
	"testing"
)

func TestTaughtConventions(t *testing.T) {
	all, err := LoadMemoryCode("../testdata/memorycode.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	halves := map[string][]Dialogue{}
	for _, d := range all {
		halves[d.Half] = append(halves[d.Half], d)
	}
	s := Taught(halves["dev"])
	t.Logf("P %.3f R %.3f stored %d right %d advice %d filler %d taught %d found %d updates %d/%d current %d hidden %d", s.Precision(), s.Recall(), s.Stored, s.Right, s.Advice, s.Filler, s.Taught, s.Found, s.Replaced, s.Updates, s.Current, s.Hidden)
	if os.Getenv("V") != "" {
		for _, x := range s.Wrong {
			t.Log("WRONG ", x)
		}
		for _, x := range s.Missed {
			t.Log("MISSED", x)
		}
	}
}
