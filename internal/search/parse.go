package search

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/text"
	"codememory/internal/timerange"
)

// Parsed is a question with the phrases that act as filters taken out.
type Parsed struct {
	Text   string // what is left to search for
	Since  time.Time
	Until  time.Time
	Agents []string
	Types  []codememory.Type // of a listing
	List   bool              // asks for everything of its kind
	Latest bool              // asks for the newest statement
	Paths  []string          // files named; they boost, they do not filter
}

// Parse reads filters in plain words out of a question: times ("last week"),
// agents ("in cursor", "cursor session"; never a bare name), listings ("list
// all preferences"), files, and a wish for the latest.
func Parse(question string, now time.Time) Parsed {
	p := Parsed{Text: strings.TrimSpace(question)}
	if span, rest, ok := timerange.Find(p.Text, now); ok {
		p.Since, p.Until, p.Text = span.From, span.To, rest
	}
	p.Text, p.Agents = takeAgents(p.Text)
	p.Latest = asksForLatest().MatchString(p.Text)
	p.parseListing()
	for _, e := range text.Entities(p.Text) {
		if e.Type == codememory.EntityFile {
			p.Paths = append(p.Paths, e.Name)
		}
	}
	p.Text = strings.Join(strings.Fields(p.Text), " ")
	if !hasContent(p.Text) && (p.Filters() || p.List) {
		p.List, p.Text = true, ""
	}
	return p
}

// Filters reports whether the question states a filter.
func (p Parsed) Filters() bool {
	return !p.Since.IsZero() || !p.Until.IsZero() || len(p.Agents) > 0 || len(p.Types) > 0
}

// Enumerates reports whether the question is a listing: the newest documents
// that pass the filters answer it, without any ranking by words.
func (p Parsed) Enumerates() bool { return p.List && p.Text == "" }

// Filter adds the question's own filters to f; those stated by the caller win.
func (p Parsed) Filter(f codememory.Filter) codememory.Filter {
	if f.Since.IsZero() && f.Until.IsZero() {
		f.Since, f.Until = p.Since, p.Until
	}
	if len(f.Agents) == 0 {
		f.Agents = p.Agents
	}
	if len(f.Types) == 0 {
		f.Types = p.Types
	}
	return f
}

// query turns the request into what the sources are asked.
func (p Parsed) query(req Request) codememory.CandidateQuery {
	q := codememory.CandidateQuery{
		Filter:   p.Filter(req.Filter),
		Limit:    poolSize,
		IDs:      req.IDs,
		Entities: append(slices.Clone(req.Entities), p.Paths...),
	}
	if p.Enumerates() {
		return codememory.CandidateQuery{Filter: q.Filter, Limit: enumerationSize}
	}
	q.Terms = text.AnalyzeQuery(p.Text)
	return q
}

// describe names the filters for a person.
func (p Parsed) describe() string {
	var parts []string
	for _, t := range p.Types {
		parts = append(parts, string(t))
	}
	for _, a := range p.Agents {
		parts = append(parts, "agent "+a)
	}
	if !p.Since.IsZero() {
		parts = append(parts, "since "+p.Since.Format(time.DateOnly))
	}
	if !p.Until.IsZero() {
		parts = append(parts, "until "+p.Until.Format(time.DateOnly))
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, ", ")
}

// hasContent reports whether anything but function words and words about
// memory itself is left to search for.
func hasContent(s string) bool {
	for _, t := range text.AnalyzeQuery(s) {
		if !text.IsStopWord(t.Text) && !slices.Contains(aboutMemory, t.Stem) {
			return true
		}
	}
	return false
}

// aboutMemory are the stems of words that only say "what is remembered".
var aboutMemory = []string{"memori", "rememb", "thing", "everyth", "anyth", "happen", "done", "work", "session", "convers", "show", "list", "tell", "find", "know", "recent", "talk", "discuss"}

var asksForLatest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(latest|newest|most recent(ly)?|last time|up[- ]to[- ]date)\b`)
})

// agentPhrase matches an agent's name where it can only mean the agent. After
// "in" the phrase must end or go on with something that is not its noun ("in
// cursor position" is not about the editor).
var agentPhrase = sync.OnceValue(func() *regexp.Regexp {
	const names = `(opencode|claude[- ]code|claude|codex|gemini[- ]cli|gemini|github copilot|copilot[- ]cli|copilot|cursor)`
	return regexp.MustCompile(`(?i)\b(?:` +
		`(?:(?:in|from|with|using|during)\s+)?(?:my|the|our|a|an|that|this)?\s*\b` + names + `\s+(?:sessions?|conversations?|chats?)\b` +
		`|(?:in|using)\s+` + names + `(\s*[?.!,]|\s*$|\s+(?:we|i|did|do|was|were|about|when|where|what|how|why|and|on|for|to)\b)` +
		`)`)
})

// takeAgents removes phrases that name the agent and returns its id.
func takeAgents(s string) (rest string, agents []string) {
	m := agentPhrase().FindStringSubmatchIndex(s)
	if m == nil {
		return s, nil
	}
	name, tail := "", ""
	if m[2] >= 0 {
		name = s[m[2]:m[3]]
	} else {
		name = s[m[4]:m[5]]
		if m[6] >= 0 {
			tail = s[m[6]:m[7]]
		}
	}
	return strings.TrimSpace(s[:m[0]] + " " + tail + s[m[1]:]), []string{codememory.AgentName(name)}
}
