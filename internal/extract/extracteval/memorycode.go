package extracteval

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"codememory/internal/extract"
)

// Dialogue is a mentor's and a mentee's sessions of MemoryCode. The mentor
// teaches conventions between much small talk, and changes them later.
type Dialogue struct {
	ID       int       `json:"id"`
	Half     string    `json:"half"` // dev: the rules were written with it in view; held-out: they were not
	Mentor   string    `json:"mentor"`
	Mentee   string    `json:"mentee"`
	Sessions []Session `json:"sessions"`
}

// Session is one conversation with what is taught in it.
type Session struct {
	Type  []string `json:"type"`
	Topic []string `json:"topic"`
	Text  string   `json:"text"`
}

// LoadMemoryCode reads the dialogues.
func LoadMemoryCode(file string) ([]Dialogue, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	var all []Dialogue
	in := bufio.NewScanner(z)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		var d Dialogue
		if err := json.Unmarshal(in.Bytes(), &d); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		all = append(all, d)
	}
	return all, in.Err()
}

// said returns what the mentor says, message by message.
func (d Dialogue) said(s Session) []string {
	var out []string
	mentor := false
	for line := range strings.Lines(s.Text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, d.Mentor+":"); ok {
			mentor = true
			out = append(out, strings.Trim(strings.TrimSpace(rest), `"“”`))
		} else if strings.HasPrefix(line, d.Mentee+":") {
			mentor = false
		} else if mentor && line != "" {
			out[len(out)-1] += "\n" + line
		}
	}
	return out
}

// TaughtScore counts what became of what was taught.
type TaughtScore struct {
	Dialogues, Sessions int
	Taught, Found       int // conventions, and those of them that were stored
	Stored              int // memories made in all
	Right               int // of a convention taught in that session or before
	Advice              int // of advice on tools and habits, which the set counts as small talk
	Filler              int // of anything else
	Updates, Replaced   int // changes of a stored convention, and those that hid the old one
	Current, Hidden     int // stored conventions that hold at the end, and those of them that are hidden
	Wrong, Missed       []string
}

// Precision is the share of stored memories that are conventions.
func (s TaughtScore) Precision() float64 { return ratio(s.Right, s.Stored) }

// Recall is the share of conventions that were stored.
func (s TaughtScore) Recall() float64 { return ratio(s.Found, s.Taught) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// Taught runs extraction over dialogues and scores it.
func Taught(ds []Dialogue) TaughtScore {
	var s TaughtScore
	for _, d := range ds {
		s.Dialogues++
		s.dialogue(d)
	}
	return s
}

func (s *TaughtScore) dialogue(d Dialogue) {
	var b book
	taught := map[string]taughtLabel{} // by what it is about: the one that holds
	at := map[string]int{}             // and the memory of it
	for n, session := range d.Sessions {
		s.Sessions++
		var labels, advice []taughtLabel
		for i, kind := range session.Type {
			switch {
			case strings.HasPrefix(kind, "instruction"):
				labels = append(labels, parseLabel(session.Topic[i], kind))
			default:
				advice = append(advice, parseLabel(session.Topic[i], kind))
			}
		}
		found := make([]int, len(labels))
		for i := range found {
			found[i] = -1
		}
		for _, message := range d.said(session) {
			for _, c := range extract.Said(message) {
				i, fresh := b.add(c)
				right := s.match(c.Text, labels, found, i)
				if !fresh {
					continue
				}
				s.Stored++
				switch {
				case right, anyMatch(c.Text, taught):
					s.Right++
				case anyAdvice(c.Text, advice):
					s.Advice++
				default:
					s.Filler++
					s.Wrong = append(s.Wrong, fmt.Sprintf("%d/%d %s: %s", d.ID, n, c.Rule, c.Text))
				}
			}
		}
		s.Taught += len(labels)
		for i, l := range labels {
			old, before := at[l.pivot]
			delete(at, l.pivot)
			taught[l.pivot] = l
			if found[i] < 0 {
				s.Missed = append(s.Missed, fmt.Sprintf("%d/%d %s", d.ID, n, l.topic))
				continue
			}
			s.Found++
			at[l.pivot] = found[i]
			if before && strings.HasSuffix(l.kind, "update") && old != found[i] {
				s.Updates++
				if b.entries[old].replaced && !b.entries[found[i]].replaced {
					s.Replaced++
				} else {
					s.Missed = append(s.Missed, fmt.Sprintf("%d/%d not replaced: %s", d.ID, n, l.topic))
				}
			}
		}
	}
	for pivot, i := range at {
		s.Current++
		if b.entries[i].replaced {
			s.Hidden++
			s.Wrong = append(s.Wrong, fmt.Sprintf("%d hidden: %s", d.ID, taught[pivot].topic))
		}
	}
}

// match notes which labels the text states.
func (s *TaughtScore) match(text string, labels []taughtLabel, found []int, at int) bool {
	right := false
	for i, l := range labels {
		if l.statedIn(text) {
			found[i], right = at, true
		}
	}
	return right
}

func anyMatch(text string, taught map[string]taughtLabel) bool {
	for _, l := range taught {
		if l.statedIn(text) {
			return true
		}
	}
	return false
}

// taughtLabel is a convention as the set words it, such as "always start
// method names with 'x_'".
type taughtLabel struct {
	topic, kind string
	pivot       string   // the topic without its value: an update has the same
	values      []string // what stands in quotes
	words       []string // what a memory of it must say besides
}

var (
	quotedValue = regexp.MustCompile(`'([^']*)'`)
	labelWords  = regexp.MustCompile(`(?i)\b(start|end|include|import|decorator|docstring|annotation|assert|try|comment|digit|camelcase|uppercase|snake_case|function argument|function|method|class|attribute|variable)`)
)

func parseLabel(topic, kind string) taughtLabel {
	l := taughtLabel{topic: topic, kind: kind, pivot: quotedValue.ReplaceAllString(topic, "''")}
	for _, m := range quotedValue.FindAllStringSubmatch(topic, -1) {
		if m[1] != "pedantic" {
			l.values = append(l.values, m[1])
		}
	}
	for _, w := range labelWords.FindAllString(strings.ToLower(quotedValue.ReplaceAllString(topic, "")), -1) {
		if w != "include" {
			l.words = append(l.words, w)
		}
	}
	return l
}

// statedIn reports whether a memory's text states the convention: its value,
// what it is for, and where it goes.
func (l taughtLabel) statedIn(text string) bool {
	low := strings.ToLower(text)
	for _, v := range l.values {
		if !strings.Contains(text, v) {
			return false
		}
	}
	for _, w := range l.words {
		if !strings.Contains(low, w) && !(w == "start" && strings.Contains(low, "prefix")) && !(w == "end" && strings.Contains(low, "suffix")) {
			return false
		}
		if w == "function" && !strings.Contains(strings.ReplaceAll(low, "function argument", ""), "function") {
			return false
		}
	}
	return len(l.words)+len(l.values) > 0
}

// anyAdvice reports whether a text is one of the pieces of advice: it holds
// most of the words of its topic.
func anyAdvice(text string, advice []taughtLabel) bool {
	low := strings.ToLower(text)
	for _, l := range advice {
		if !strings.Contains(l.kind, "instruction") {
			continue
		}
		words, hits := 0, 0
		for w := range strings.FieldsSeq(strings.ToLower(l.topic)) {
			if len(w) < 4 || w == "always" || w == "never" || w == "when" || w == "main" {
				continue
			}
			words++
			if strings.Contains(low, strings.TrimSuffix(w, "s")) {
				hits++
			}
		}
		if words > 0 && hits*2 >= words {
			return true
		}
	}
	return false
}
