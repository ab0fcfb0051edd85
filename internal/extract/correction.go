package extract

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"codememory"
	"codememory/internal/text"
)

// RuleCorrection is the rule for what the user says after a no.
const RuleCorrection = "correction"

// Correction is a statement of the user that a value was wrong: "the port is
// 8443, not 8080".
type Correction struct {
	Thing    []string // stems of what has the value
	Old, New string
}

type correcting struct{ statement, no, value *regexp.Regexp }

var correctingPatterns = sync.OnceValue(func() correcting {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return correcting{
		statement: re(`^(?:the |our |its |your )?([\w./` + "`" + `' -]{2,60}?) (?:is|are|(?:should|must|has to|have to|needs? to) be|runs on|listens on|lives in|is (?:called|named|at|on|in)) (?:now |always |actually )?(\S+(?: \S+)?), (?:and )?not (?:at |on |in )?(\S+(?: \S+)??)[.!]?$`),
		no:        re(`^(?:no|nope|wrong|that's (?:wrong|not right|incorrect|not correct)|that is (?:wrong|not right|incorrect|not correct))(?:\b[,; ]+(?:that's|that is) (?:wrong|not right|incorrect|not correct))?[.!]?$`),
		value:     regexp.MustCompile(`[\d._/:@-]|[a-z][A-Z]|^[A-Z]`),
	}
})

// amendment reads a statement that puts a value right.
func (v *conversation) amendment(_ string, c clause) []Candidate {
	p := correctingPatterns()
	if !c.corrected && !p.no.MatchString(v.before) {
		return nil
	}
	full := c.text()
	m := p.statement.FindStringSubmatch(c.core)
	if m == nil || c.lead != "" || dangling(c) || !technical(full) {
		return nil
	}
	fix := Correction{Thing: stems(m[1]), Old: bareValue(m[3]), New: bareValue(m[2])}
	if len(fix.Thing) == 0 || fix.Old == "" || fix.New == "" || !p.value.MatchString(fix.Old) && !p.value.MatchString(fix.New) {
		return nil // a matter of taste
	}
	found := Candidate{Rule: RuleCorrection, Text: full, Type: codememory.LearnedPattern, Category: topic(full), Corrects: &fix}
	if subject, value := decides(full); subject != "" && !strings.HasPrefix(subject, oppositePrefix) {
		found.Subject, found.Value, found.Corrects = subject, value, nil
	}
	return []Candidate{found}
}

func bareValue(s string) string { return strings.Trim(s, "`'\"“”.,!") }

func stems(s string) []string {
	var out []string
	for _, t := range text.AnalyzeQuery(s) {
		if !text.IsStopWord(t.Text) && !slices.Contains(out, t.Stem) {
			out = append(out, t.Stem)
		}
	}
	return out
}

// Amend returns the text with the value put right, if it says the wrong one of
// the same thing, once.
func (f Correction) Amend(s string) (string, bool) {
	at := regexp.MustCompile(`(?i)(^|[^\w.-])`+regexp.QuoteMeta(f.Old)+`($|[^\w.-]|[.-](?:\W|$))`).FindAllStringSubmatchIndex(s, -1)
	if len(at) != 1 {
		return "", false
	}
	said := stems(s)
	for _, word := range f.Thing {
		if !slices.Contains(said, word) {
			return "", false
		}
	}
	from := at[0][3] // after what stands before the value
	return s[:from] + f.New + s[from+len(f.Old):], true
}

// sentenceCase begins a text like a sentence, unless its first word is a name
// that is written in small letters.
func sentenceCase(s string) string {
	first, _, _ := strings.Cut(s, " ")
	for _, r := range first {
		if r < 'a' || r > 'z' {
			return s
		}
	}
	if first == "" || len(text.Entities(first)) > 0 {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
