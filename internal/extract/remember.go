package extract

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

// importanceAsked is the prior of what the user wants remembered in so many words.
const importanceAsked = 0.7

type remembering struct {
	polite, asked, trailing, past, empty *regexp.Regexp
}

var rememberPatterns = sync.OnceValue(func() remembering {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return remembering{
		polite: re(`^(?:(?:ok|okay|please|also|and|but|so|btw|by the way|hey|yes|great|thanks|thank you|actually|again|from now on|going forward|in general|just|bitte|por favor|s'il te plaît|s'il vous plaît)\b[,:!.]*\s+|请[，,]?\s*)+`),
		// An explicit request; what follows it is the memory. Strong forms can
		// mean nothing else; weak ones ("Remember, …") also open platitudes.
		asked: re(`^(?:(?:can|could|will|would) you (?:please )?|i (?:want|need) you to |you (?:should|must) |make sure (?:you |to )?)?(?:` +
			`(?P<strong>(?:always remember|never forget|memori[sz]e|make a note|take note|jot down|commit to memory|keep in mind|bear in mind|don't forget|do not forget|remember)(?: this| the following)?(?:\s*:|\s+that\b)|remember to\b|don't forget to\b|do not forget to\b|never forget to\b|always remember to\b|note(?: this)?:|note to self:|(?:save|note|store|record|learn|remember) this(?: for later)?:|for the record[,:]|` +
			// German, French, Spanish, Chinese.
			`merke? dir(?: bitte)?(?:\s*:|,? dass\b)|vergiss (?:bitte )?nicht(?:\s*:|,? dass\b)|denke? (?:immer )?daran(?:\s*:|,? dass\b)|notiere?(?: dir)?(?:\s*:|,? dass\b)|` +
			`(?:souviens-toi|rappelle-toi|retiens|retenez|souvenez-vous|n'oublie pas|n'oubliez pas)(?:\s*:|\s+(?:que\b|qu'))|note(?:z)? (?:bien )?que\b|` +
			`(?:recuerda|acuérdate(?: de)?|no olvides|ten en cuenta|toma nota(?: de)?)(?:\s*:|\s+que\b)|` +
			`(?:记住|記住|请记住|記得|记得|别忘了|記下|记下)[：:，,]?)|` +
			`(?P<weak>always remember|never forget|remember|memori[sz]e|keep in mind|bear in mind|don't forget|do not forget|make a note|take note|jot down))[,:]?\s*(?P<rest>.+)$`),
		// Japanese and German put the request last.
		trailing: re(`^(.+?)(?:(?:ということ|こと)?[をは]?(?:覚えておいて|覚えて|記憶して|メモして|忘れないで)(?:ください|下さい|ね)?|, merk dir das)[。.!！]?$`),
		// "Remember when we …" tells of the past instead.
		past:  re(`^(?:when|how|what|why|who|where|if|me|us|you|your|our (?:last|previous)|the time|last|it|this|that|those|these|them|to (?:take|breathe|have fun|enjoy|ask|reach out|be|keep (?:up|in))|we (?:discussed|talked|spoke)|i(?:'m| am)|my door)\b`),
		empty: re(`^(?:it|this|that|them|these|those)[.!]?$`),
	}
})

// remember reads an explicit request to remember. known reports that the
// sentence was one, whether or not anything came of it.
func remember(sentence string) (found []Candidate, known bool) {
	p := rememberPatterns()
	plain := strings.Join(strings.Fields(sentence), " ")
	if m := p.trailing.FindStringSubmatch(plain); m != nil && enough(m[1]) && !strings.ContainsAny(plain, "?？") {
		return []Candidate{asked(strings.TrimSpace(m[1]))}, true
	}
	for before := ""; before != plain; {
		before = plain
		plain = framePatterns().opener.ReplaceAllString(p.polite.ReplaceAllString(plain, ""), "")
	}
	m := p.asked.FindStringSubmatch(plain)
	if m == nil {
		return nil, false
	}
	rest := strings.TrimRight(strings.TrimSpace(m[p.asked.SubexpIndex("rest")]), "? ")
	strong := m[p.asked.SubexpIndex("strong")] != ""
	head := strings.ToLower(strings.TrimSpace(m[0][:len(m[0])-len(m[p.asked.SubexpIndex("rest")])]))
	c := dissect(rest)
	switch {
	case !strong && strings.HasSuffix(head, ","):
		// "Remember, when naming …": what follows is read like any sentence.
		return weakly(rest, c), false
	case p.past.MatchString(rest), p.empty.MatchString(rest), !enough(rest), pasted(rest):
		return nil, true
	case strings.HasSuffix(plain, "?") && !strong:
		return nil, true
	case strings.HasSuffix(head, ":"):
	case strings.HasSuffix(head, " to"):
		// It asks for something to be done; what is to be done once, or has
		// nothing to do with code, is no memory.
		if unfitPatterns().fleeting.MatchString(rest) || dangling(c) || platitude(rest) || !technical(rest) {
			return nil, true
		}
	case !strong:
		return weakly(rest, c), true
	case dangling(c), vacuous(rest) && !codeLike().MatchString(rest), !specific(rest):
		return nil, true
	}
	return []Candidate{asked(rest)}, true
}

// weakly reads what follows a "remember" that may only open a pep talk.
func weakly(rest string, c clause) []Candidate {
	p := rememberPatterns()
	if p.past.MatchString(rest) || !enough(rest) || pasted(rest) || vacuous(rest) || dangling(c) || !technical(rest) || unfitPatterns().fleeting.MatchString(rest) || !says().MatchString(rest) && !c.imperative() {
		return nil
	}
	return []Candidate{asked(rest)}
}

// says are words that make a sentence of some nouns.
var says = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:is|are|was|were|must|should|needs?|has|have|can|cannot|can't|don't|doesn't|won't|runs?|uses?|requires?|works?|lives?|goes|happens?|starts?|expects?|depends?|takes?|never|always|will|comes?|fails?|breaks?)\b`)
})

// specific reports whether a text names something: a number, a name, code, or
// a thing of software.
func specific(s string) bool {
	return namesSomething().MatchString(s) || technical(s) || strings.IndexFunc(s, func(r rune) bool { return r > 127 }) >= 0
}

var namesSomething = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d|\s[A-Z][a-z]+|\b[A-Z]{2,}\b`) })

// asked is what somebody asked to remember, of the kind that its words suggest.
func asked(rest string) Candidate {
	c := Candidate{Rule: "remember", Text: rest, Type: codememory.LearnedPattern, Category: topic(rest), Importance: importanceAsked}
	d := dissect(rest)
	for _, rule := range []func(string, clause) []Candidate{preference, rejected, decision, constraint} {
		if found := rule(rest, d); len(found) == 1 {
			c.Type, c.Category = found[0].Type, found[0].Category
			break
		}
	}
	if named := (&conversation{}).naming(rest, d); len(named) == 1 {
		c.Text, c.Category = named[0].Text, named[0].Category
		c.Subject, c.Value = named[0].Subject, named[0].Value
		return c
	}
	c.Subject, c.Value = decides(rest)
	return c
}

type emptiness struct{ platitude, announcement *regexp.Regexp }

var emptyPatterns = sync.OnceValue(func() emptiness {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return emptiness{
		platitude:    re(`\b(?:(?:is|are) (?:also )?(?:a |an |the )?(?:key|crucial|essential|important|vital|paramount|critical|hallmarks?|form of)|are here to|consistency|collaborat\w+|communicat\w+|teamwork|feedback|practice makes|the goal|the key|we're (?:all )?(?:here|in|a team)|attention to detail|questions|journey|success|a happy|lifelong|less is more|best judgment|clean,? (?:efficient )?code|these (?:\w+ )?(?:guidelines|conventions|standards|practices|instructions|rules|updates))\b`),
		announcement: re(`\b(?:(?:a|an|the|this|that|our|your|two|some|these|few|any|all|following) )*(?:specific|new|certain|particular|following|previous|updated?|slight|consistent|standard|proper|best)\s+(?:\w+\s+){0,2}(?:conventions?|practices?|styles?|standards?|instructions?|guidelines?|rules?|decorators?)\b|^(?:always )?(?:update|follow|adopt|incorporate|implement|change|revise|apply|keep|make)\b[^'"` + "`" + `]{0,60}\b(?:conventions?|standards?|practices?|guidelines?|protocols?|habits?|process|changes?)\b`),
	}
})

// platitude reports whether a sentence praises instead of stating.
func platitude(s string) bool { return emptyPatterns().platitude.MatchString(s) }

// vacuous reports whether a sentence only announces or praises.
func vacuous(s string) bool {
	return platitude(s) || emptyPatterns().announcement.MatchString(s) && !namingValue(s)
}
