package extracteval

import (
	"fmt"
	"io"
	"path/filepath"
)

// Row is one line of a report.
type Row struct {
	Set       string  `json:"set"`
	Half      string  `json:"half"`
	Turns     int     `json:"turns"` // sessions of dialogues, or cases
	Expected  int     `json:"expected"`
	Stored    int     `json:"stored"`
	Precision float64 `json:"precision"`
	// Lenient is the precision when advice on tools and habits, which the set
	// counts as small talk, counts as right.
	Lenient  float64 `json:"lenient"`
	Recall   float64 `json:"recall"`
	Filler   int     `json:"filler"`   // stored although nobody should
	Updates  int     `json:"updates"`  // of something that was stored
	Replaced int     `json:"replaced"` // those that hid what they update
	Hidden   int     `json:"hidden"`   // what holds and is hidden
}

// Row returns the score as a line of a report.
func (s TaughtScore) Row(half string) Row {
	return Row{"memorycode", half, s.Sessions, s.Taught, s.Stored, s.Precision(), ratio(s.Right+s.Advice, s.Stored), s.Recall(), s.Filler, s.Updates, s.Replaced, s.Hidden}
}

// Row returns the score as a line of a report.
func (s LabelledScore) Row(half string) Row {
	return Row{"labelled", half, s.Cases, s.Expected, s.Stored, s.Precision(), s.Precision(), s.Recall(), s.Stored - s.Right, 0, 0, 0}
}

// Run measures both sets in a folder, each in its halves.
func Run(folder string) ([]Row, error) {
	dialogues, err := LoadMemoryCode(filepath.Join(folder, "memorycode.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	cases, err := LoadLabelled(filepath.Join(folder, "labelled.jsonl"))
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, half := range []string{"dev", "held-out"} {
		var some []Dialogue
		for _, d := range dialogues {
			if d.Half == half {
				some = append(some, d)
			}
		}
		rows = append(rows, Taught(some).Row(half))
	}
	for _, half := range []string{"dev", "held-out"} {
		var some []Case
		for _, c := range cases {
			if c.Half == half {
				some = append(some, c)
			}
		}
		rows = append(rows, Labelled(some).Row(half))
	}
	return rows, nil
}

// Report writes rows as a markdown table.
func Report(w io.Writer, rows []Row) error {
	if _, err := fmt.Fprint(w, "| set | half | turns | expected | stored | precision | with advice | recall | filler | updates replaced | wrongly hidden |\n|---|---|---|---|---|---|---|---|---|---|---|\n"); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %.3f | %.3f | %.3f | %d | %d of %d | %d |\n", r.Set, r.Half, r.Turns, r.Expected, r.Stored, r.Precision, r.Lenient, r.Recall, r.Filler, r.Replaced, r.Updates, r.Hidden); err != nil {
			return err
		}
	}
	return nil
}
