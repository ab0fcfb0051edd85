package extract

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

// rule recognises one way in which people state something that is meant to last.
type rule struct {
	pattern  *regexp.Regexp
	unless   *regexp.Regexp // what looks like it but is not
	kind     codememory.Type
	category codememory.Category
}

// ruleset is all rules, compiled at the first conversation.
type ruleset struct {
	polite, remember, notMemory, fleeting, pronoun, asking *regexp.Regexp
	testing, naming                                        *regexp.Regexp
	rules                                                  []rule
}

var statementRules = sync.OnceValue(func() ruleset {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return ruleset{
		// What may stand before a statement without changing it.
		polite: re(`^(?:(?:ok|okay|please|also|and|but|so|btw|by the way|hey|yes|no|great|thanks|thank you|actually|again|from now on|going forward|in general|generally|as a rule|just|in (?:this|our|the) (?:project|repo|repository|codebase)|for (?:this|our|the) (?:project|repo|repository|codebase))[,:!.]?\s+)+`),
		// An explicit request; what follows it is the memory.
		remember: re(`^(?:(?:can|could|will|would) you (?:please )?|i (?:want|need) you to |you (?:should|must) |make sure (?:you |to )?)?(?:always remember|never forget|remember|memori[sz]e|keep in mind|bear in mind|don't forget|do not forget|make a note|take note|commit to memory|note(?: this)?:|note that|(?:save|note|store|record|learn) this(?: for later)?:|for the record,?)(?:\s*:|\s+that\b|\s+to\b)?[:,]?\s+(.+)$`),
		// "Remember when we …" tells of the past instead.
		notMemory: re(`^(?:when|how|what|why|who|where|if|me|us|you|the time|last|it|this|that)\b`),
		// True today only.
		fleeting: re(`\b(?:right now|for now|today|tomorrow|yesterday|this time|at the moment|for the moment|temporarily|yet|in this (?:pr|commit|branch|file|function|line)|until (?:then|i|we))\b`),
		// Without the sentence before it, nobody knows what is meant.
		pronoun: re(`\b(?:use|do|run|add|touch|change|call|make|put|remove|keep|over|to)\s+(?:it|this|that|them|these|those|one)(?:\s+(?:again|here|there|like that|please|anymore))?[.!]?$`),
		asking:  re(`\?\s*$|^(?:should|could|would|can|do|does|did|is|are|was|were|why|how|what|maybe|perhaps|i think|i guess|i wonder|suppose|imagine|not sure)\b`),
		testing: re(`\b(?:tests?|testing|mocks?|fixtures?|coverage)\b`),
		naming:  re(`\b(?:naming|named|prefix|suffix|camelcase|snake_case|kebab-case)\b`),
		rules: []rule{
			{
				pattern: re(`^(?:i|we|i'd|we'd|i would|we would|the team)?\s*(?:(?:strongly|really|generally|always|usually)\s+)?prefers?\s+\S.*\s(?:over|to|instead of|rather than)\s+\S`),
				unless:  re(`\bprefer\s+(?:to\s+(?:see|wait|know|have)|that|if|not)\b`),
				kind:    codememory.Preference,
			},
			{
				pattern: re(`^i always (?:use|prefer|want|write|run|name|put|keep|commit)\s`),
				kind:    codememory.Preference,
			},
			{
				pattern:  re(`^(?:we|you|the team|the project)?\s*(?:must |should |shall )?(?:don't|do not|must not|mustn't|should not|shouldn't|never|stop|avoid) (?:use|using)\s+\S`),
				kind:     codememory.LearnedPattern,
				category: codememory.RejectedAlternative,
			},
			{
				pattern: re(`^(?:(?:we|you|everyone|the team)\s+(?:should |must |have to |need to )?)?(?:always|never)\s+[a-z]`),
				unless:  re(`\b(?:always|never)\s+(?:mind|is|was|were|be|been|has|had|have|seems?|gets?|got|fail\w*|crash\w*|happen\w*|work\w*|returns?|knew|know|thought|heard|seen|saw|forgot|a|the|so|been|once|again|said|told|did|does|will|would|could|can)\b`),
				kind:    codememory.LearnedPattern,
			},
			{
				pattern: re(`^(?:when|if|before|after|for|in)\b[^,?]{3,120},\s*(?:please\s+)?(?:we\s+|you\s+)?(?:must\s+)?(?:always|never)\s+[a-z]`),
				unless:  re(`\b(?:always|never)\s+(?:mind|is|was|were|been|has|had|seems?|gets?|got|fail\w*|crash\w*|happen\w*|work\w*|returns?)\b`),
				kind:    codememory.LearnedPattern,
			},
			{
				pattern:  re(`^(?:we|i|the team)(?:'ve| have)?\s+(?:(?:just|now|finally|already|also)\s+)?(?:decided\s+(?:to|on|against|not|that)|agreed\s+(?:to|on|that|not)|chose\s+\S|settled on|standardi[sz]ed on)\b`),
				unless:   re(`\b(?:take a (?:break|look)|go (?:home|for)|stop here|wait|continue|look into|try)\b`),
				kind:     codememory.Architecture,
				category: codememory.DecisionRationale,
			},
			{
				pattern:  re(`^we\s+(?:(?:only|always|now|deliberately)\s+)?(?:use|run|deploy|store|build|test|ship|write|avoid|keep|pin)\s+\S.*\s(?:because|instead of|rather than|so that|due to)\s+\S`),
				kind:     codememory.Architecture,
				category: codememory.DecisionRationale,
			},
		},
	}
})

// The size of a statement: shorter ones say too little, longer ones are stories.
const (
	minStatementWords = 3
	maxStatementBytes = 400
)

// statement reads a sentence of the user as a memory, if it is meant to last.
func statement(sentence string) (codememory.AddRequest, bool) {
	set := statementRules()
	plain := set.polite.ReplaceAllString(strings.Join(strings.Fields(sentence), " "), "")
	if len(plain) > maxStatementBytes {
		return codememory.AddRequest{}, false
	}
	if m := set.remember.FindStringSubmatch(plain); m != nil {
		return set.asked(strings.TrimRight(m[1], "? "))
	}
	if set.asking.MatchString(plain) || set.fleeting.MatchString(plain) || set.pronoun.MatchString(plain) {
		return codememory.AddRequest{}, false
	}
	return set.match(plain)
}

// asked is what somebody asked to remember: anything that says enough, of the
// kind that its words suggest.
func (set ruleset) asked(text string) (codememory.AddRequest, bool) {
	if set.notMemory.MatchString(text) || len(strings.Fields(text)) < minStatementWords {
		return codememory.AddRequest{}, false
	}
	if r, ok := set.match(text); ok {
		return r, true
	}
	return codememory.AddRequest{Text: text, Type: codememory.LearnedPattern, Category: set.subject(text)}, true
}

func (set ruleset) match(text string) (codememory.AddRequest, bool) {
	if len(strings.Fields(text)) < minStatementWords {
		return codememory.AddRequest{}, false
	}
	for _, rule := range set.rules {
		if !rule.pattern.MatchString(text) || rule.unless != nil && rule.unless.MatchString(text) {
			continue
		}
		category := rule.category
		if category == "" {
			category = set.subject(text)
		}
		return codememory.AddRequest{Text: text, Type: rule.kind, Category: category}, true
	}
	return codememory.AddRequest{}, false
}

// subject is the category that a rule about this has.
func (set ruleset) subject(text string) codememory.Category {
	switch {
	case set.testing.MatchString(text):
		return codememory.TestingConvention
	case set.naming.MatchString(text):
		return codememory.NamingConvention
	default:
		return ""
	}
}
