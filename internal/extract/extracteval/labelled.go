package extracteval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"codememory"
	"codememory/internal/extract"
)

// Case is a turn, or a few of a session, with the memories that the last of
// them should leave.
type Case struct {
	ID       string         `json:"id"`
	Half     string         `json:"half"` // dev or held-out, as with Dialogue
	From     string         `json:"from"`
	Prompt   string         `json:"prompt,omitempty"`
	Turns    [][]CaseStep   `json:"turns,omitempty"`
	Expect   []CaseExpected `json:"expect"`
	Optional [][]string     `json:"optional,omitempty"` // may be stored, need not
}

// CaseStep is one thing the agent did: a command, an edit, a word, or another tool.
type CaseStep struct {
	Run   string   `json:"run,omitempty"`
	Exit  int      `json:"exit,omitempty"`
	Edit  []string `json:"edit,omitempty"`
	Say   string   `json:"say,omitempty"`
	Tool  string   `json:"tool,omitempty"`
	Out   string   `json:"out,omitempty"`
	Error string   `json:"error,omitempty"`
}

// CaseExpected is a memory by the words it must hold.
type CaseExpected struct {
	Has         []string `json:"has"`
	Rule        string   `json:"rule,omitempty"`
	Type        string   `json:"type,omitempty"`
	Category    string   `json:"category,omitempty"`
	Quarantined bool     `json:"quarantined,omitempty"`
}

// LoadLabelled reads cases, one JSON object a line.
func LoadLabelled(file string) ([]Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []Case
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var c Case
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, len(all)+1, err)
		}
		all = append(all, c)
	}
	return all, in.Err()
}

// LabelledScore counts what became of labelled cases.
type LabelledScore struct {
	Cases, Negative         int // cases, and those that should leave nothing
	Expected, Found         int
	Stored, Right           int // optional ones are in neither
	Clean                   int // negative cases that left nothing
	ByRule                  map[string][2]int
	Wrong, Missed, Mistyped []string
}

// Precision is the share of stored memories that were expected.
func (s LabelledScore) Precision() float64 { return ratio(s.Right, s.Stored) }

// Recall is the share of expected memories that were stored.
func (s LabelledScore) Recall() float64 { return ratio(s.Found, s.Expected) }

// Labelled runs extraction over cases and scores it.
func Labelled(cases []Case) LabelledScore {
	s := LabelledScore{ByRule: map[string][2]int{}}
	for _, c := range cases {
		s.Cases++
		s.one(c)
	}
	return s
}

func (s *LabelledScore) one(c Case) {
	got := extract.Turn(c.turns())
	s.Expected += len(c.Expect)
	if len(c.Expect) == 0 {
		s.Negative++
		if len(got) == 0 {
			s.Clean++
		}
	}
	found := make([]bool, len(c.Expect))
	for _, m := range got {
		at := c.expected(m)
		if at < 0 && c.optional(m) {
			continue
		}
		n := s.ByRule[m.Rule]
		s.Stored++
		n[1]++
		if at < 0 {
			s.Wrong = append(s.Wrong, fmt.Sprintf("%s %s: %s", c.ID, m.Rule, m.Text))
		} else {
			s.Right++
			n[0]++
			found[at] = true
			if e := c.Expect[at]; e.Rule != "" && e.Rule != m.Rule || e.Type != "" && e.Type != string(m.Type) || e.Category != "" && e.Category != string(m.Category) {
				s.Mistyped = append(s.Mistyped, fmt.Sprintf("%s %s %s %s: %s", c.ID, m.Rule, m.Type, m.Category, m.Text))
			}
		}
		s.ByRule[m.Rule] = n
	}
	for i, ok := range found {
		if ok {
			s.Found++
		} else {
			s.Missed = append(s.Missed, fmt.Sprintf("%s %q in %q", c.ID, c.Expect[i].Has, c.Prompt))
		}
	}
}

// expected returns which expectation a memory meets, or -1. What should wait
// for review and does not is no match.
func (c Case) expected(m extract.Candidate) int {
	for i, e := range c.Expect {
		if holds(m.Text, e.Has) && e.Quarantined == (m.Quarantine != "") {
			return i
		}
	}
	return -1
}

func (c Case) optional(m extract.Candidate) bool {
	for _, words := range c.Optional {
		if holds(m.Text, words) && m.Quarantine == "" {
			return true
		}
	}
	return false
}

func holds(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return false
		}
	}
	return true
}

// turns returns the case as turns of a session: those before, and the last.
func (c Case) turns() ([]codememory.Turn, codememory.Turn) {
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	var all []codememory.Turn
	for i, steps := range c.Turns {
		t := codememory.Turn{ID: fmt.Sprint(c.ID, "-", i), Session: c.ID, Dir: "/work/shop", Kind: codememory.PromptTurn, State: codememory.TurnDone, StartedAt: at}
		for _, s := range steps {
			t.Steps = append(t.Steps, s.step(at))
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		all = []codememory.Turn{{ID: c.ID, Session: c.ID, Dir: "/work/shop", Kind: codememory.PromptTurn, State: codememory.TurnDone, StartedAt: at}}
	}
	last := all[len(all)-1]
	last.Prompt = c.Prompt
	return all[:len(all)-1], last
}

func (s CaseStep) step(at time.Time) codememory.Step {
	switch {
	case s.Run != "":
		return codememory.Step{At: at, Tool: &codememory.ToolCall{Name: "bash", Target: s.Run, Exit: &s.Exit, Output: s.Out, Error: s.Error}}
	case len(s.Edit) > 0:
		call := codememory.ToolCall{Name: "edit", Target: s.Edit[0]}
		for _, f := range s.Edit {
			call.Changed = append(call.Changed, codememory.FileChange{Path: f, Change: codememory.FileModified})
		}
		return codememory.Step{At: at, Tool: &call}
	case s.Tool != "":
		return codememory.Step{At: at, Tool: &codememory.ToolCall{Name: s.Tool, Output: s.Out, Error: s.Error}}
	}
	return codememory.Step{At: at, Text: s.Say}
}
