package extract

import (
	"codememory"
)

// Candidate is a memory that a rule found, with what explains it.
type Candidate struct {
	Rule       string // the rule's name, for people: every write is explained by one
	Text       string
	Type       codememory.Type
	Category   codememory.Category
	Importance float64 // 0: the default of its type and category
	Class      codememory.Class
	// Subject names what the text decides, such as "indentation", and Value
	// what it decides for. A later candidate with the same subject and another
	// value replaces this one. Empty: nobody can tell by rule.
	Subject, Value string
	// Key is for what a project has once, such as the command that runs its
	// tests: a later candidate with the same key rewords the memory in place.
	Key string
	// Corrects is what the user said was wrong; memories that say so are put
	// right by this one.
	Corrects   *Correction
	Excerpt    string   // the words it was taken from
	Turns      []string // where they stand; empty: in no turn
	Confidence float64  // below codememory.LowConfidence a person should look; 0: no doubt
	Quarantine string   // why a person has to look at it before any model does
}

// The names under which a memory's metadata keeps what later ones are compared by.
const (
	MetaSubject = "subject"
	MetaValue   = "value"
	MetaKey     = "key"
)

// Request returns the candidate as a memory to store.
func (c Candidate) Request() codememory.AddRequest {
	r := codememory.AddRequest{
		Text: c.Text, Type: c.Type, Category: c.Category, Quarantine: c.Quarantine,
		Source: codememory.Source{Author: codememory.AuthorExtractor, Class: c.Class, Rule: c.Rule, Turns: c.Turns, Excerpt: c.Excerpt, Confidence: c.Confidence},
	}
	if c.Importance > 0 {
		r.Importance = &c.Importance
	}
	for name, value := range map[string]string{MetaSubject: c.Subject, MetaValue: c.Value, MetaKey: c.Key} {
		if value != "" {
			if r.Metadata == nil {
				r.Metadata = map[string]any{}
			}
			r.Metadata[name] = value
		}
	}
	return r
}

// CandidateOf returns what a memory made from a candidate is compared by.
func CandidateOf(m codememory.Memory) Candidate {
	text := func(name string) string { s, _ := m.Metadata[name].(string); return s }
	return Candidate{
		Rule: m.Source.Rule, Text: m.Text, Type: m.Type, Category: m.Category, Class: m.Source.Class,
		Subject: text(MetaSubject), Value: text(MetaValue), Key: text(MetaKey),
	}
}

// Replaces reports whether c says of the same subject something that cannot be
// true together with old.
func (c Candidate) Replaces(old Candidate) bool {
	return c.Subject != "" && c.Subject == old.Subject && c.Value != old.Value
}
