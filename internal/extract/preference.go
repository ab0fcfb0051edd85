package extract

import (
	"regexp"
	"sync"

	"codememory"
)

type tastes struct{ over, not, likes, alwaysI *regexp.Regexp }

var tastePatterns = sync.OnceValue(func() tastes {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return tastes{
		over: re(`^(?:i|we|i'd|we'd|i would|we would|the team)?\s*(?:(?:strongly|really|generally|always|usually|also)\s+)?prefers?\s+\S.*\s(?:over|to|instead of|rather than)\s+\S`),
		not:  re(`\bprefer\s+(?:to\s+(?:see|wait|know|have|do|go|start|first)|that|if|not|the (?:first|second|third|last|other|former|latter)|option|version|your|this|these|those)\b`),
		// What somebody likes in general has no article: "I like small
		// functions", not "I like the new layout".
		likes:   re(`^i (?:(?:really|generally|usually|strongly|also) )?(?:like|love|hate|dislike|prefer|don't like|do not like|can't stand) (?:(?:small|short|long|explicit|plain|simple|early|deep|clever|verbose|concise|detailed|pure|unit|integration|inline|nested|magic|global|table|functional|named|default|strict|abbreviated|descriptive|one-line|trailing|leading|single|double)\s+)?[a-z-]+s\b`),
		alwaysI: re(`^i (?:always|never) (?:use|prefer|want|write|run|name|put|keep|commit)\s`),
	}
})

// preference reads what the user likes.
func preference(_ string, c clause) []Candidate {
	p := tastePatterns()
	full := c.text()
	if styleOfAnswers().MatchString(c.core) {
		return []Candidate{{Rule: "preference", Text: full, Type: codememory.Preference}}
	}
	known := p.over.MatchString(c.core) && !c.told && (!toDo().MatchString(full) || compares().MatchString(full)) ||
		p.alwaysI.MatchString(c.core) || p.likes.MatchString(c.core) && !likesWhat().MatchString(c.core) && technical(c.core)
	if !known || p.not.MatchString(full) || dangling(c) || !enough(full) {
		return nil
	}
	subject, value := decides(full)
	return []Candidate{{Rule: "preference", Text: full, Type: codememory.Preference, Category: preferenceTopic(full), Subject: subject, Value: value}}
}

// styleOfAnswers is how the agent should talk; nobody means one answer by it.
var styleOfAnswers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:keep|make) (?:your |all )?(?:answers|responses|replies|explanations) (?:\w+ )?(?:short|concise|brief|terse|to the point|simple)\b`)
})

// toDo is a preference for doing something; it compares nothing.
var toDo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bprefers? to\b`)
})

var compares = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\s(?:over|instead of|rather than)\s`) })

// likesWhat are likings of something at hand.
var likesWhat = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^i (?:\w+ )*?(?:like|love|hate|dislike|prefer|don't like|do not like|can't stand) (?:the|this|that|these|those|your|his|her|its|it's|what|how|when|where|to|is|yours|changes|results|looks)\b`)
})

func preferenceTopic(s string) codememory.Category {
	if t := topic(s); t == codememory.TestingConvention || t == codememory.NamingConvention {
		return t
	}
	return ""
}
