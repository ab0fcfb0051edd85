package extract

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

type standingRules struct{ always, notRule, subject, must *regexp.Regexp }

var standingPatterns = sync.OnceValue(func() standingRules {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	const events = `(?:mind|is|was|were|be|been|has|had|have|seems?|gets?|got|fail\w*|crash\w*|happen\w*|work\w*|returns?|knew|know|thought|heard|seen|saw|forgot|a|the|so|once|again|said|told|did|does|will|would|could|can|ends?|comes?|goes|shows?|appears?|breaks?|hangs?|times?|more|been|enough|hesitate|stop|give|lose|underestimate|be afraid)`
	return standingRules{
		always:  re(`^(?:(?:we|you|everyone|everybody|the team|all (?:of us|developers|engineers)|developers|engineers)\s+(?:(?:should|must|have to|need to|shall|will)\s+)?)?(?:always|never)[, ]+[a-z]`),
		notRule: re(`\b(?:always|never)\s+` + events + `\b`),
		// "Tests must never hit the network."
		must: re(`^(?:all |every |each |our |the )?[a-z][\w` + "`" + `'./ -]{1,50}?\s(?:must|should)\s+(?:always|never)\s+(?:be\s+)?[a-z]+`),
	}
})

// standing reads instructions that are meant to last: with always or never,
// "from now on", or under a heading such as "a few conventions".
func (v *conversation) standing(sentence string, c clause) []Candidate {
	p := standingPatterns()
	full := c.text()
	lasting := (p.always.MatchString(c.core) && c.imperative() || p.must.MatchString(c.core)) && !p.notRule.MatchString(c.core) ||
		c.imperative() && !atHand().MatchString(full) && (c.standing || c.told && (v.announced && generic().MatchString(full) || yours().MatchString(full)))
	if !lasting || dangling(c) || len(full) > maxStatementBytes || vacuous(full) || !technical(full) {
		return nil
	}
	subject, value := decides(full)
	if !enough(full) && (subject == "" || strings.HasPrefix(subject, oppositePrefix)) {
		return nil // two words can only answer a known question
	}
	rule := "standing-rule"
	if c.corrected {
		rule = "correction"
	}
	return []Candidate{{Rule: rule, Text: capital(full, c), Type: codememory.LearnedPattern, Category: topic(full), Subject: subject, Value: value}}
}

// generic is code in general, not a certain piece of it.
var generic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:all|each|every|any|your|our|new)\s+(?:(?:your|our|the|new|python|go|test|public)\s+)*(?:functions?|methods?|class(?:es)?|code|scripts?|files?|modules?|tests?|variables?|attributes?|arguments?|commits?|components?|queries|endpoints?|packages?)\b|\b(?:in|for|to|with|of)\s+(?:functions|methods|classes|variables|attributes|tests|commits|components|modules|scripts)\b`)
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
