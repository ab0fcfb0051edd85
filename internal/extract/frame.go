package extract

import (
	"regexp"
	"strings"
	"sync"
)

// clause is a sentence taken apart: what people put around a rule when they
// tell it to somebody ("From now on, I'd like you to …") and the rule itself.
type clause struct {
	lead      string // "when naming classes, " — part of the rule
	core      string // what is to be done or is the case
	standing  bool   // it is said to hold from now on
	told      bool   // somebody is told to do it
	corrected bool   // it begins with a no
}

// text returns the rule without its frame.
func (c clause) text() string { return c.lead + c.core }

type frames struct {
	opener, no, standing, standingAhead, standingEnd, told, practice, lead, here, always, begin, doer, about, reason, heading *regexp.Regexp
}

var framePatterns = sync.OnceValue(func() frames {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	const forever = `(?:from now on|from here on(?: out)?|going forward|moving forward|henceforth|in (?:the )?future|as a rule|by convention|at all times|without exception)`
	return frames{
		opener: re(`^(?:(?:ok|okay|please|also|and|but|so|now|then|btw|by the way|hey|hi|yes|great|good|perfect|excellent|thanks|thank you|again|oh|alright|right|well|sure|additionally|furthermore|moreover|similarly|likewise|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|next|just|in general|generally)\b[,:!.;]*\s+|(?:one (?:more|last|other|final) thing|another thing|(?:quick |side |small )?note|important|reminder|note|fyi|as a reminder|for consistency)\b[,:!.;]+\s+)`),
		no:     re(`^(?:(?:no|nope|wrong|actually|not quite|that's (?:wrong|not right|incorrect|not correct))\b[,:!.;]*\s+)+`),
		// What holds in this project holds: a memory belongs to one anyway.
		here:          re(`^(?:in|for|throughout|across) (?:this|our|the) (?:whole |entire )?(?:project|repo|repository|codebase|code base)[,:]?\s+`),
		standing:      re(`\b(?:` + forever + `|every time|each time|whenever)\b`),
		standingAhead: re(`^(?:` + forever + `)[,:]?\s+`),
		standingEnd:   re(`,?\s+(?:` + forever + `|please|okay|ok)\s*([.!]?)$`),
		told: re(`^(?:` +
			`i(?:'d| would)? (?:(?:also|really|now|just|still) )*(?:want|need|like|prefer|expect|ask)(?: that)?(?: for)? (?:you|us|everyone|the team|everybody)(?: all)?(?: to)? |` +
			`i(?:'d| would)? prefer (?:that |if )?you |` +
			`(?:you|we)(?:'ll| will)? (?:should|must|need to|have to|ought to|are to|shall) |` +
			`(?:make sure|be sure|ensure|see to it|take care)(?: that)?(?: (?:you|we)\b)?(?: to)? |` +
			`(?:remember|don't forget|do not forget) to |` +
			`focus on |` +
			`it(?:'s| is) (?:really |very |also )?(?:important|crucial|essential|best|mandatory|required|necessary)(?: that (?:you|we)| to| for you to) |` +
			`(?:get|be) (?:used to|in(?:to)? the habit of) |` +
			`let's (?:now )?(?:all )?|please |try to |kindly )`),
		practice: re(`^(?:one|another|the (?:first|second|third|next|other|last|main|only))\b[^.:?!]{0,90}\b(?:conventions?|practices?|rules?|standards?|instructions?|guidelines?|points?|things?)\b[^.:?!]{0,60}\b(?:is|are) (?:to|that (?:you|we)) `),
		lead:     re(`^(?:when(?:ever)?|if|for|before|after|while|as for|in|on|with)\b[^,.:;?!]{2,120},\s+`),
		// Who does it always: "we always …", "everyone must never …".
		doer: re(`^(?:we|you|everyone|everybody|the team|developers|engineers)\s+(?:(?:should|must|have to|need to|shall|will)\s+)?(always |never )`),
		// What the sentence is about in general.
		about: re(`^(?:regarding|concerning|as for|speaking of|when it comes to|moving on to|to that end|on (?:a|another|an?other) \w+ (?:note|topic)|shifting gears|for consistency|on to|onto)\b[^,:'` + "`" + `]{0,70}?\b(?:standards?|conventions?|guidelines?|practices?|instructions?|consistency|readability|note|topic|tasks?|work|gears[^,:]*|end|code|matters?|style|standard)\b[^,:]{0,20}[,:]\s+`),
		// A heading on the same line.
		heading: re(`^[^:'` + "`" + `]{0,60}\b(?:preferences?|rules?|how i (?:like to )?work|conventions?|guidelines?|coding standards?)\b[^:'` + "`" + `]{0,30}:\s+`),
		// "It helps the whole team, so I want you to …".
		reason: re(`^[^?'` + "`" + `]{0,140}?[,;:]\s+(?:so |and |but )?(i(?:'d| would)? (?:also )?(?:want|need|like|expect) (?:you|us) to )`),
		always: re(`^(?:(?:always|never|only),? |(?:just|ever|simply|blindly|silently|directly|explicitly) )+`),
		begin:  re(`^(?:start|begin|keep) ([a-z]+ing)\b`),
	}
})

// dissect takes a sentence apart.
func dissect(sentence string) clause {
	f := framePatterns()
	c := clause{core: strings.Join(strings.Fields(sentence), " ")}
	c.standing = f.standing.MatchString(c.core)
	for c.core != "" {
		before := c.core
		c.core = f.opener.ReplaceAllString(c.core, "")
		c.core = f.here.ReplaceAllString(c.core, "")
		if s := f.no.FindString(c.core); s != "" {
			c.corrected, c.core = true, c.core[len(s):]
		}
		c.core = f.standingAhead.ReplaceAllString(c.core, "")
		if s := f.practice.FindString(c.core); s != "" {
			c.standing, c.told, c.core = true, true, c.core[len(s):]
		}
		if s := f.told.FindString(c.core); s != "" {
			c.told, c.core = true, c.core[len(s):]
		}
		if s := f.heading.FindString(c.core); s != "" {
			c.standing, c.core = true, c.core[len(s):]
		}
		if s := f.about.FindString(c.core); s != "" {
			c.standing, c.core = c.standing || conventionWord().MatchString(s), c.core[len(s):]
		}
		if s := f.lead.FindString(c.core); s != "" && c.lead == "" && !ruled().MatchString(s) {
			c.lead, c.core = s, c.core[len(s):]
		}
		if m := f.reason.FindStringSubmatchIndex(c.core); m != nil && c.lead == "" {
			c.core = c.core[m[2]:]
		}
		if m := f.begin.FindStringSubmatch(c.core); m != nil && verbs()[baseForm(m[1])] {
			c.core = baseForm(m[1]) + c.core[len(m[0]):]
		}
		if verb, rest, ok := strings.Cut(c.core, " "); ok && c.told && strings.HasSuffix(verb, "ing") && verbs()[baseForm(strings.ToLower(verb))] {
			c.core = baseForm(strings.ToLower(verb)) + " " + rest
		}
		if c.core == before {
			break
		}
	}
	c.core = f.standingEnd.ReplaceAllString(c.core, "$1")
	return c
}

// ruled is a lead that is a rule already.
var ruled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\s(?:always|never)\s`) })

var conventionWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:standards?|conventions?|guidelines?|practices?|style)\b`)
})

// capital begins a rule that lost its frame like a sentence.
func capital(full string, c clause) string {
	if c.told || c.standing {
		return strings.ToUpper(full[:1]) + full[1:]
	}
	return full
}

// imperative reports whether the core tells somebody to do something, with or
// without always and never.
func (c clause) imperative() bool {
	core := framePatterns().doer.ReplaceAllString(c.core, "")
	core = framePatterns().always.ReplaceAllString(core, "")
	for _, not := range []string{"don't ", "do not ", "Don't ", "Do not ", "stop ", "Stop "} {
		core = strings.TrimPrefix(core, not)
	}
	verb, _, _ := strings.Cut(strings.ToLower(core), " ")
	return verbs()[strings.TrimRight(verb, ",.!")]
}

// verbs are what a standing instruction about code asks for. Other verbs
// (fix, look, think, focus) ask for work or say nothing about code.
var verbs = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for verb := range strings.FieldsSeq(`use add include write run put keep import name start end begin prefix suffix return handle log test commit document
		annotate wrap avoid create define declare provide apply incorporate implement follow format lint check validate call pass throw raise catch store
		squash rebase merge push branch tag deploy build generate regenerate update mock cover prefer place sort order indent quote escape sanitize hash encrypt
		pin install answer reply respond explain ask comment type cache batch paginate inject register export expose ship release bump sign
		leave limit make retry swallow reuse extract split document reference prefix mark push open close read set convert delete remove touch edit modify change load render translate hardcode hard-code mention show print ignore skip disable enable adopt`) {
		set[verb] = true
	}
	return set
})

// baseForm turns "including" into "include" where it is one of the verbs.
func baseForm(word string) string {
	stem, ok := strings.CutSuffix(word, "ing")
	if !ok || stem == "" {
		return word
	}
	if verbs()[stem] {
		return stem
	}
	if verbs()[stem+"e"] {
		return stem + "e"
	}
	if n := len(stem); n > 2 && stem[n-1] == stem[n-2] && verbs()[stem[:n-1]] {
		return stem[:n-1] // putting
	}
	return word
}
