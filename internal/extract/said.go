package extract

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"codememory"
)

// The size of a statement: shorter ones say too little, longer ones are stories.
const (
	minStatementWords = 3
	minStatementRunes = 6 // where words are not separated
	maxStatementBytes = 400
)

// maxSaid bounds what one message can add.
const maxSaid = 10

// Said finds what a message of the user states: requests to remember,
// preferences, decisions, conventions, corrections.
func Said(message string) []Candidate {
	own := ownWords(message)
	var found []Candidate
	seen := map[string]bool{}
	ctx := conversation{}
	for _, sentence := range sentences(own) {
		for _, c := range ctx.read(sentence) {
			c.Text = sentenceCase(c.Text)
			if key := strings.ToLower(c.Text); !seen[key] && len(found) < maxSaid {
				seen[key] = true
				c.Class, c.Excerpt = codememory.ClassUser, around(own, sentence)
				if commandingPatterns().override.MatchString(sentence) {
					c.Quarantine = "a message that turns against its user may have been pasted"
				}
				found = append(found, c)
			}
		}
		ctx.note(sentence)
	}
	return found
}

// conversation is what a sentence may refer back to within its message.
type conversation struct {
	before    string // the sentence before
	announced bool   // that conventions follow
	listed    bool   // that the user's own rules follow
}

// announcing is a cheap look for what the two patterns below need.
func announcing(sentence string) bool {
	for _, w := range []string{"tandard", "onvention", "uideline", "ractice", "rule", "nstruction", "ointer", "reference", "how i ", "how I ", "Rule"} {
		if strings.Contains(sentence, w) {
			return true
		}
	}
	return false
}

var announces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:coding|code|naming|style|team|our|a few|some|specific|two|three|couple of|new|internal)\s+(?:[a-z]+\s+){0,2}(?:standards?|conventions?|guidelines?|practices?|rules?|instructions?|pointers?)\b|\b(?:conventions?|coding standards?|guidelines?)\b`)
})

var lists = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bhow i (?:like to )?work\b|\b(?:few|some|two|three|more|my|our|these) (?:\w+ )?(?:preferences|rules|conventions)\b`)
})

func (v *conversation) note(sentence string) {
	v.before = sentence
	if !announcing(sentence) {
		return
	}
	v.announced = v.announced || announces().MatchString(sentence)
	v.listed = v.listed || lists().MatchString(sentence)
}

// read returns what one sentence states. The rules are asked in the order of
// how certain they are; the first that knows the sentence decides.
func (v *conversation) read(sentence string) []Candidate {
	if len(sentence) > maxStatementBytes || !hinted(sentence) {
		return nil
	}
	asked, known := remember(sentence)
	if known {
		return asked
	}
	c := dissect(sentence)
	if found := vocabulary(sentence, c); len(found) > 0 && !strings.HasSuffix(sentence, "?") {
		return found // it may begin with a quotation
	}
	for _, rule := range []func(string, clause) []Candidate{v.naming, preference, rejected, decision, v.amendment, constraint, v.standing} {
		if found := rule(sentence, c); len(found) > 0 {
			if unfit(sentence, c) {
				return nil
			}
			return found
		}
	}
	return asked
}

// hints are the words without which no rule knows a sentence. Looking for them
// first makes the many other sentences cheap.
var hints = []string{
	"always", "never", "from now on", "forward", "henceforth", "future", "as a rule", "by convention", "whenever", "every time", "each time",
	"remember", "memori", "mind", "forget", "note", "jot", "record", "store", "save", "learn",
	"prefer", "like", "love", "hate", "can't", "cannot", "decided", "agreed", "chose", "settled", "standard", "going with", "went with", "picked", "opted", "switch", "migrat", "mov",
	"use", "using", "don't", "do not", "avoid", "stop", "because", "instead", "rather than", "so that", "due to", "mean", "stands for", "refers to", "we call",
	"name", "naming", "start", "begin", "end", "include", "prefix", "suffix", "case", "you to", "your", "convention", "rule", "must", "should", "tried", "ruled", "reject", "dropped", "abandon", "keep", "make", ", not ",
	"merk", "vergiss", "denk", "notier", "souv", "rappel", "reten", "retien", "oubli", "recuerda", "acu", "olvid", "cuenta", "nota",
}

func hinted(sentence string) bool {
	low := strings.ToLower(sentence)
	for _, h := range hints {
		if strings.Contains(low, h) {
			return true
		}
	}
	return strings.IndexFunc(sentence, func(r rune) bool { return r >= 0x3040 }) >= 0
}

type unfitness struct{ asking, fleeting, doubt, quoted, evenIf *regexp.Regexp }

var unfitPatterns = sync.OnceValue(func() unfitness {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return unfitness{
		asking: re(`\?\s*$|^(?:should|could|would|can|do (?:you|we|i|they|the|these|those|all|any)|does|did|is|are|was|were|why|how|what|which|who|where)\b`),
		// True today only, or in one place.
		fleeting: re(`\b(?:right now|for now|today|tomorrow|yesterday|this time|this once|just once|at the moment|for the moment|temporarily|for the time being|yet|(?:in|for|on) this (?:pr|commit|branch|file|function|line|task|ticket|issue|change|one|case|method|class|test|session|step)|until (?:then|i|we|you)|before you (?:finish|stop|start)|when you(?:'re| are) done|while you(?:'re| are) at it|next week|next sprint|this week|this sprint)\b`),
		doubt:    re(`\b(?:maybe|perhaps|i think|i guess|i wonder|i suppose|suppose|imagine|not sure|might|could|would be (?:nice|good|better|cool)|what if|hypothetically|for example if|in theory|possibly|i believe|i assume|if i remember|but (?:it|they|he|she|this) (?:does|do|is|are|did|has|returns?|still)|apparently|it seems|they say|someone (?:said|told)|(?:colleague|boss|friend|teammate|reviewer|manager|client|people|he|she|they)s? (?:\w+ )?(?:thinks?|says?|said|wants?|suggests?|suggested|asked|told)|(?:he|she|they|docs?|readme|article|blog|page|post) (?:say|says|said|claims?|suggests?|recommends?))\b`),
		evenIf:   re(`,? even (?:if|though|when) .*$`),
		quoted:   re(`^["'“‘«]`),
	}
})

// unfit reports whether a sentence cannot be a lasting statement whatever it says.
func unfit(sentence string, c clause) bool {
	u := unfitPatterns()
	return u.asking.MatchString(c.core) || u.asking.MatchString(sentence) || u.doubt.MatchString(sentence) || u.quoted.MatchString(sentence) ||
		u.fleeting.MatchString(u.evenIf.ReplaceAllString(sentence, "")) || pasted(sentence)
}

var danglingPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:it|this|that|these|those|they|he|she|such)\b|\b(?:use|do|run|add|touch|change|call|make|put|remove|keep|over|to|follow|include|start|end|name|apply|with|like|for|of|from|in|into|on|about|than|import|write|avoid|commit|delete|edit|activate|without|see|check|call|read|set|leave|open|close|load)\s+(?:it|this|that|them|these|those|one|ones|both)(?:\s+(?:again|here|there|like that|please|anymore|too|as well|instead))?(?:[.,!;:]|$|\s+(?:with|in|to|for|at|on|because|so|and|or|when|if|from|before|after|by)\b)`)
})

// dangling reports whether nobody knows what is meant without the sentence
// before: a pronoun without its noun. After a lead ("For class names, end them
// with …") the noun is there.
func dangling(c clause) bool {
	if pointing().MatchString(c.core) || strings.HasSuffix(strings.TrimRight(c.core, ".! "), " there") {
		return true
	}
	if c.lead != "" && !danglingPattern().MatchString(c.lead) {
		return false
	}
	at := danglingPattern().FindStringIndex(c.core)
	return at != nil && len(strings.Fields(c.core[:at[0]])) < 4 // further on, the noun stands before
}

// pointing is a noun that only the sentence before explains. "This project" is
// known: a memory belongs to one.
var pointing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:this|that|these|those|the same|such an?|the (?:above|former|latter|other))\s+(?:decorator|suffix|prefix|convention|approach|practice|way|pattern|style|rule|function|method|class|module|library|tool|thing|option|value|name|file|test|command|script|error|change|one|kind|format|flag|setting|version|table|query|package manager|idea)s?\b`)
})

// enough reports whether a text has enough words to say something.
func enough(s string) bool {
	return len(strings.Fields(s)) >= minStatementWords || strings.IndexFunc(s, func(r rune) bool { return r >= 0x3040 }) >= 0 && utf8.RuneCountInString(s) >= minStatementRunes
}

// topic is the category that a rule about this has.
func topic(s string) codememory.Category {
	switch p := topicPatterns(); {
	case p.testing.MatchString(s):
		return codememory.TestingConvention
	case p.naming.MatchString(s):
		return codememory.NamingConvention
	case p.errors.MatchString(s):
		return codememory.ErrorHandling
	case p.dependencies.MatchString(s):
		return codememory.DependencyPhilosophy
	default:
		return ""
	}
}

type topics struct{ testing, naming, errors, dependencies *regexp.Regexp }

var topicPatterns = sync.OnceValue(func() topics {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + s + `)\b`) }
	return topics{
		testing:      re(`tests?|testing|mocks?|fixtures?|coverage`),
		naming:       re(`naming|named|names|prefix(?:ed)?|suffix(?:ed)?|camelcase|pascalcase|snake_case|kebab-case`),
		errors:       re(`error handling|handle errors?|try statements?|try-except|exceptions?|wrap(?:ped)? errors?|errors? (?:are|must|should)|panic`),
		dependencies: re(`dependenc(?:y|ies)|third[- ]party|new (?:package|library|libraries|packages)`),
	}
})
