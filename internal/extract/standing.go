package extract

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

type standingRules struct{ always, notRule, must, within, also, stop, ours *regexp.Regexp }

var standingPatterns = sync.OnceValue(func() standingRules {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	const events = `(?:mind|is|was|were|be|been|has|had|have|seems?|gets?|got|fail\w*|crash\w*|happen\w*|work\w*|returns?|knew|know|thought|heard|seen|saw|forgot|a|the|so|once|again|said|told|did|does|will|would|could|can|ends?|comes?|goes|shows?|appears?|breaks?|hangs?|times?|more|been|enough|hesitate|stop|give|lose|underestimate|be afraid)`
	return standingRules{
		always:  re(`^(?:(?:we|you|everyone|everybody|the team|all (?:of us|developers|engineers)|developers|engineers)\s+(?:(?:should|must|have to|need to|shall|will)\s+)?)?(?:always|never)[, ]+[a-z]`),
		notRule: re(`\b(?:always|never)\s+` + events + `\b`),
		// "Tests must never hit the network."
		// "…, never write raw queries", "…, never with %v".
		also: re(`[,;—–-]\s+(?:and |but )?(?:never\s+(with|in|via|through|by|on|for|as)|(?:always|never)\s+([a-z]+))\b`),
		// "For money always use Decimal".
		within: re(`^(?:for|in|with)\s[^,.:;?!]{2,40}\s(?:always|never)\s(?:use|run|write|add|put|store|return|call|create|prefer|keep|log|handle|wrap|name)\s`),
		// What the agent keeps doing.
		stop: re(`^stop\s+([a-z]+ing)\s+\S`),
		ours: re(`^(?:our|the team's|the project's|my)\s+(?:\w+\s+)?(?:convention|rule|policy|standard|practice)s?\s+(?:is|are)\s+(?:that\s+|to\s+)?\S`),
		must: re(`^(?:all |every |each |our |the )?[a-z][\w` + "`" + `'./ -]{1,50}?\s(?:(?:must|should)\s+(?:always|never)\s+(?:be\s+)?[a-z]+|(?:must|should)\s+be\s+[a-z]+(?:ed|t|en)\s.*,\s*(?:not|never)\s+\S)`),
	}
})

// standing reads instructions that are meant to last: with always or never,
// "from now on", or under a heading such as "a few conventions".
func (v *conversation) standing(sentence string, c clause) []Candidate {
	p := standingPatterns()
	full := c.text()
	lasting := (p.always.MatchString(c.core) && c.imperative() || p.within.MatchString(c.core)) && !p.notRule.MatchString(c.core) || p.must.MatchString(c.core) && !atHand().MatchString(full) ||
		p.ours.MatchString(c.core) || p.alsoRules(c) || p.stops(c) && !atHand().MatchString(full) ||
		c.imperative() && !atHand().MatchString(full) && (c.standing || v.listed && generic().MatchString(full) || c.told && (v.announced && generic().MatchString(full) || yours().MatchString(full)))
	if !lasting || dangling(c) || len(full) > maxStatementBytes || vacuous(full) || !technical(full) {
		return nil
	}
	subject, value := decides(full)
	if !enough(full) && (subject == "" || strings.HasPrefix(subject, oppositePrefix)) {
		return nil // two words can only answer a known question
	}
	rule := "standing-rule"
	if c.corrected {
		rule = RuleCorrection
	}
	return []Candidate{{Rule: rule, Text: capital(full, c), Type: codememory.LearnedPattern, Category: topic(full), Subject: subject, Value: value}}
}

// alsoRules reports whether a sentence ends with a rule: after a comma, what
// never to do.
func (p standingRules) alsoRules(c clause) bool {
	m := p.also.FindStringSubmatch(c.core)
	return m != nil && (m[1] != "" && c.imperative() || verbs()[m[2]]) && !p.notRule.MatchString(c.core)
}

// stops reports whether the agent is told to stop a habit.
func (p standingRules) stops(c clause) bool {
	m := p.stop.FindStringSubmatch(strings.ToLower(c.core))
	return m != nil && verbs()[baseForm(m[1])]
}

// generic is code in general, not a certain piece of it.
var generic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:all|each|every|any|your|our|new)\s+(?:(?:your|our|the|new|python|go|test|public|react|typescript|javascript|exported)\s+)*(?:validation |react |api )?(?:schemas?|functions?|methods?|class(?:es)?|code|scripts?|files?|modules?|tests?|variables?|attributes?|arguments?|commits?|components?|queries|endpoints?|packages?)\b|\b(?:in|for|to|with|of)\s+(?:functions|methods|classes|variables|attributes|tests|commits|components|modules|scripts)\b`)
})

// yours is code that the one who is told will write, as opposed to "the
// functions", which are there.
var yours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:in|to|for|into|with|on) (?:all |each of |every one of )?your (?:new |python |go )?(?:functions|methods|classes|scripts|tests|commits|components|modules|queries|variables|code)\b|\b(?:every|each|any|all)(?: new)? (?:function|method|class|test|script|component|module|file|code)s? (?:that )?you (?:write|create|add)\b`)
})

// atHand is work on a certain thing.
var atHand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:this|that|these|those)\s+(?:function|method|class|file|test|bug|error|pr|branch|commit|change|feature|issue|ticket|component|endpoint|code|script|migration|project plan|proposal|report)s?\b`)
})
