package extract

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

type choices struct{ decided, work, practice, reason, against, tried, dont, only, generated, mean *regexp.Regexp }

var choicePatterns = sync.OnceValue(func() choices {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return choices{
		decided: re(`^(?:we|i|the team)(?:'ve| have|'re| are)?\s+(?:(?:just|now|finally|already|also|deliberately)\s+)?(?:decided\s+(?:to|on|that)|agreed\s+(?:to|on|that)|chose\s+\S|settled on|standardi[sz]ed on|standardi[sz]ing on|going with|went with|picked|opted for|switched(?: over)? (?:to|from)|migrated (?:to|from)|moved (?:from|to)|(?:moving|migrating|switching) (?:away from|over to|from|to))\b`),
		// Decisions about the work at hand, not about the project.
		work:     re(`\b(?:take a (?:break|look)|go (?:home|for)|stop here|wait|continue|look into|try|meet|talk|discuss|another approach|your (?:approach|suggestion|version|proposal)|option [a-z0-9]|the (?:first|second|third|last|former|latter)\b|office|lunch|hire|team outing|town hall|budget)\b`),
		practice: re(`^(?:we|the team|this project|the project)\s+(?:(?:only|always|now|deliberately|all)\s+)?(?:use|uses|run|runs|deploy|deploys|store|stores|build|builds|test|tests|ship|ships|write|writes|avoid|avoids|keep|keeps|pin|pins)\s+\S`),
		reason:   re(`\s(?:because|instead of|rather than|so that|due to)\s+\S`),
		against:  re(`^(?:we|i|the team)(?:'ve| have)?\s+(?:(?:just|now|finally|already|also|deliberately)\s+)?(?:(?:decided|agreed|chose)\s+(?:against|not to)|rejected|ruled out|dropped|abandoned|moved away from|gave up on|got rid of)\s+\S`),
		tried:    re(`^(?:we|i)(?:'ve| have)?\s+(?:already |once )?(?:tried|attempted|experimented with|used to use)\s+\S.{2,}(?:\bbut\b|\band (?:it|they|that)\b|, it\b|didn't work|did not work|was too)`),
		dont:     re(`^(?:(?:we|you|the team|the project)\s+)?(?:don't|do not|must not|mustn't|should not|shouldn't|never|stop|avoid)\s+(?:use|using)\s+\S`),
		only:     re(`^(?:we|you)\s+(?:can't|cannot|can not|must not|mustn't|may not|are not allowed to|aren't allowed to)\s+[a-z]+\s+\S.*\s(?:because|since|due to|until|as long as|without)\s+\S`),
		// What must be left alone, with the reason.
		generated: re(`^(?:do not|don't|never)\s+(?:touch|edit|modify|change|delete|remove|upgrade|bump|rename|move)\s+\S.*(?:\bbecause\b|\bsince\b|,? (?:it|they|these|those)(?:'s| is|'re| are)\b|— |\s-\s|\bgenerated\b|\bvendored\b)`),
		mean:      re("^(?:when (?:i|we) say\\s+(.{2,60}?),?\\s+(?:i|we) mean\\s+\\S|by\\s+(.{2,60}?),?\\s+(?:i|we) mean\\s+\\S|[\"'“`](.{2,40}?)[\"'”`]\\s+(?:means|stands for|refers to)\\s+\\S|we call\\s+\\S.{4,})"),
	}
})

// decision reads what was decided for the project, and plain practice that
// comes with its reason.
func decision(sentence string, c clause) []Candidate {
	p := choicePatterns()
	full := c.text()
	decided := p.decided.MatchString(c.core) && !p.work.MatchString(c.core) && technical(full)
	practice := p.practice.MatchString(c.core) && !c.told
	practised := practice && p.reason.MatchString(c.core)
	if !decided && !practice && !c.corrected || !enough(full) || dangling(c) {
		return nil
	}
	subject, value := decides(full)
	known := subject != "" && !strings.HasPrefix(subject, oppositePrefix)
	switch {
	case decided, practised:
		return []Candidate{{Rule: "decision", Text: full, Type: codememory.Architecture, Category: codememory.DecisionRationale, Subject: subject, Value: value}}
	case practice && known:
		// "We use tabs": what it is about is known, so it can be replaced.
		rule := "practice"
		if c.corrected {
			rule = RuleCorrection
		}
		return []Candidate{{Rule: rule, Text: capital(full, c), Type: codememory.LearnedPattern, Category: topic(full), Subject: subject, Value: value}}
	case c.corrected && known && c.imperative():
		return []Candidate{{Rule: RuleCorrection, Text: capital(full, c), Type: codememory.LearnedPattern, Category: topic(full), Subject: subject, Value: value}}
	}
	return nil
}

// rejected reads what the project does not want.
func rejected(_ string, c clause) []Candidate {
	p := choicePatterns()
	full := c.text()
	found := Candidate{Text: full, Type: codememory.LearnedPattern, Category: codememory.RejectedAlternative}
	switch {
	case p.against.MatchString(c.core) && technical(full) && !p.work.MatchString(c.core), p.tried.MatchString(c.core) && technical(full):
		found.Rule = "rejected-alternative"
	case p.dont.MatchString(c.core) && technical(full):
		found.Rule = "do-not-use"
	default:
		return nil
	}
	if dangling(c) || !enough(full) {
		return nil
	}
	found.Subject, found.Value = decides(full)
	return []Candidate{found}
}

// constraint reads what nobody sees in the code: what must not be done, and why.
func constraint(_ string, c clause) []Candidate {
	p := choicePatterns()
	full := c.text()
	if !p.only.MatchString(c.core) && !p.generated.MatchString(c.core) || dangling(c) || !technical(full) {
		return nil
	}
	return []Candidate{{Rule: "constraint", Text: full, Type: codememory.LearnedPattern, Category: codememory.HiddenConstraint}}
}

// vocabulary reads what words mean in this project.
func vocabulary(_ string, c clause) []Candidate {
	full := c.text()
	if !choicePatterns().mean.MatchString(full) || dangling(c) {
		return nil
	}
	return []Candidate{{Rule: "vocabulary", Text: full, Type: codememory.LearnedPattern, Category: codememory.Vocabulary}}
}
