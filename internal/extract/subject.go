package extract

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"codememory/internal/text"
)

// slot is a question that a project answers one way at a time.
type slot struct {
	name   string
	about  *regexp.Regexp            // must match too; nil: the values say enough
	values map[string]*regexp.Regexp // answer → how people write it
	words  bool                      // naming a value is choosing it: "tabs", not "docker"
}

var slots = sync.OnceValue(func() []slot {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + s + `)\b`) }
	of := func(list string) map[string]*regexp.Regexp {
		m := map[string]*regexp.Regexp{}
		for entry := range strings.SplitSeq(list, ";") {
			name, pattern, written := strings.Cut(strings.TrimSpace(entry), "=")
			if !written {
				pattern = regexp.QuoteMeta(name)
			}
			m[name] = re(pattern)
		}
		return m
	}
	languages := of(`English;German;French;Spanish;Italian;Portuguese;Russian;Chinese;Japanese;Korean`)
	return []slot{
		{"indentation", regexp.MustCompile(`(?i)indent\w*|\b(?:use|using|prefer)\s+(?:\w+[ -])?(?:tabs|spaces)\s*(?:[.,;!]|$|not\b|over\b|rather\b|instead\b|again\b|here\b|everywhere\b|in\b)`), of(`tabs=tabs?(?: characters?)?;spaces=(?:\w+[ -])?spaces?`), true},
		{"quotes", re(`quot\w+`), of(`single=single;double=double`), true},
		{"semicolons", re(`semicolons?`), of(`with=(?:use|always|add|with|end \w+ with|require) (?:\w+ )?semicolons?;without=(?:no|never|without|omit|don't use|avoid|drop) (?:\w+ )?semicolons?`), true},
		{"package manager", nil, of(`npm;pnpm;yarn;bun=bun(?: install)?`), false},
		{"Python package manager", nil, of(`pip;poetry;uv;pipenv;conda`), false},
		{"JavaScript test runner", nil, of(`jest;vitest;mocha;jasmine;node:test`), false},
		{"Python test runner", nil, of(`pytest=py\.?test;unittest;nose`), false},
		{"end-to-end test runner", nil, of(`cypress;playwright;selenium;puppeteer`), false},
		{"Python formatter", nil, of(`black;ruff format;yapf;autopep8`), false},
		{"JavaScript formatter", re(`format\w*|prettier|biome|dprint`), of(`prettier;biome;dprint`), false},
		{"language of answers", re(`answer\w*|repl(?:y|ies)|respond|responses?|explain|talk`), languages, true},
		{"language of comments", re(`comments?`), languages, true},
		{"language of commit messages", re(`commit messages?`), languages, true},
		{"merge strategy", re(`merg\w+|squash\w*|rebas\w+|pull requests?|prs?`), of(`squash=squash\w*;rebase=rebas\w+;merge commit=merge commits?`), true},
		{"container runtime", nil, of(`docker=docker(?: compose)?;podman`), false},
		{"database", re(`database|db|store|persist\w*|data`), of(`postgres=postgres(?:ql)?;mysql;mariadb;sqlite;mongodb=mongo(?:db)?;dynamodb`), false},
		{"HTTP client", re(`http|requests?|calls?|fetch\w*|client`), of(`axios;fetch;ky;got;superagent`), false},
		{"state management", nil, of(`redux;zustand;mobx;jotai;recoil`), false},
		{"date library", nil, of(`moment=moment(?:\.js)?;dayjs=day\.?js;date-fns;luxon`), false},
		{"message broker", nil, of(`kafka;nats;rabbitmq;redis streams`), false},
	}
})

type deciding struct{ instead, chosen, number, version, negation *regexp.Regexp }

var decidingPatterns = sync.OnceValue(func() deciding {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return deciding{
		// What stands after these was decided against.
		instead: re(`\b(?:instead of|rather than|over|not|no longer|in place of|away from|never|don't use|do not use|avoid|stop using)\s+(?:using\s+)?`),
		// What stands after these was chosen.
		chosen:   re(`\b(?:use|uses|using|used|prefers?|chose|picked|went with|going with|standardi[sz]ed on|settled on|opted for|decided on|switch(?:ed|ing)?(?: over)? to|migrat(?:ed?|ing) to|mov(?:ed?|ing) to|keep|stay(?:ing)? (?:with|on)|stick(?:ing)? (?:with|to)|adopt(?:ed|ing)?|with|(?:mov(?:ed?|ing)|migrat(?:ed?|ing)|switch(?:ed|ing)?)(?: over| away)? from \S+(?: [\d.]+)? to)\s+(?:only\s+|the\s+)?$`),
		number:   re(`\b(line length|max(?:imum)? line (?:length|width)|print width|coverage)\b[^.\d]{0,40}?(\d[\d_.]*)`),
		version:  re(`\b(node(?:\.js)?|python|go|java|ruby|php|postgres(?:ql)?|react|angular|vue|django|rails|\.net|typescript)\s+v?(\d+(?:\.\d+)*)\b`),
		negation: re(`\b(?:never|don't|do not|must not|mustn't|avoid|stop|no longer|not)\b`),
	}
})

// decides says which question a text answers, and how. It answers only where
// two answers cannot both hold: a wrong subject would hide a memory that is
// still true.
func decides(s string) (subject, value string) {
	found := map[string]string{}
	for _, slot := range slots() {
		if slot.about != nil && !slot.about.MatchString(s) {
			continue
		}
		if v, named := slot.answer(s); named {
			found[slot.name] = v
		}
	}
	p := decidingPatterns()
	if m := p.number.FindAllStringSubmatch(s, 2); len(m) == 1 {
		found[strings.ToLower(m[0][1])] = m[0][2]
	}
	if m := p.version.FindAllStringSubmatchIndex(s, 2); len(m) == 1 && p.chosen.MatchString(s[:m[0][0]]) && !chosenIn(found, s[m[0][2]:m[0][3]]) {
		found["version of "+strings.ToLower(s[m[0][2]:m[0][3]])] = s[m[0][4]:m[0][5]]
	}
	switch len(found) {
	case 0:
		return opposed(s)
	case 1:
		for subject, value := range found {
			if value != "" {
				return subject + qualifier(s), value
			}
		}
		return opposed(s) // it only names something
	default:
		return "", "" // it is about several: replacing it would lose the others
	}
}

// chosenIn reports whether a product is itself the answer to a question; its
// version is then part of that answer.
func chosenIn(found map[string]string, product string) bool {
	for _, slot := range slots() {
		if pattern := slot.values[found[slot.name]]; pattern != nil && pattern.MatchString(product) {
			return true
		}
	}
	return false
}

// qualifier is the part of the project that a choice is for, if it names one:
// the ledger may use another database than the cache.
func qualifier(s string) string {
	var parts []string
	for _, m := range qualified().FindAllStringSubmatch(strings.ToLower(s), -1) {
		if !wholeProject[m[1]] {
			parts = append(parts, m[1])
		}
	}
	slices.Sort(parts)
	if parts = slices.Compact(parts); len(parts) == 0 {
		return ""
	}
	return " in " + strings.Join(parts, ", ")
}

var qualified = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:for|in|on|inside|within) (?:(?:the|our|all|this|new|every|each|your) )*([a-z][\w./-]*)`)
})

// wholeProject are words after which a choice is for all of it.
var wholeProject = map[string]bool{
	"project": true, "repo": true, "repository": true, "codebase": true, "code": true, "everything": true, "general": true, "workspace": true, "monorepo": true,
	"indentation": true, "indenting": true, "packages": true, "package": true, "dependencies": true, "tests": true, "testing": true, "unit": true, "http": true,
	"requests": true, "answers": true, "comments": true, "commit": true, "commits": true, "strings": true, "english": true, "german": true, "french": true,
	"spanish": true, "italian": true, "portuguese": true, "russian": true, "chinese": true, "japanese": true, "korean": true, "future": true, "formatting": true,
	"state": true, "dates": true, "messages": true, "quotes": true, "data": true, "database": true, "migrations": true, "future.": true, "it": true, "all": true,
}

// answer returns the one value of the slot that the text is for; "not x" when
// it is only against one; "" when it only names some. named reports whether it
// names any.
func (q slot) answer(s string) (value string, named bool) {
	var pro, contra []string
	for name, pattern := range q.values {
		for _, at := range pattern.FindAllStringIndex(s, -1) {
			named = true
			switch before := s[:at[0]]; {
			case rejectedBefore(before):
				contra = append(contra, name)
			case q.words || decidingPatterns().chosen.MatchString(before):
				pro = append(pro, name)
			}
		}
	}
	slices.Sort(pro)
	slices.Sort(contra)
	pro, contra = slices.Compact(pro), slices.Compact(contra)
	switch {
	case len(pro) == 1:
		return pro[0], named
	case len(pro) == 0 && len(contra) == 1:
		return "not " + contra[0], named
	}
	return "", named
}

// rejectedBefore reports whether what follows is what was decided against.
func rejectedBefore(before string) bool {
	all := decidingPatterns().instead.FindAllStringIndex(before, -1)
	if len(all) == 0 {
		return false
	}
	between := before[all[len(all)-1][1]:]
	return len(strings.Fields(between)) <= 2 && !strings.ContainsAny(between, ",.;:") && !strings.HasSuffix(between, " to ") // "away from npm to pnpm"
}

// oppositePrefix marks subjects that are made of the rule's own words.
const oppositePrefix = "rule: "

// opposed makes a subject of a rule that says always or never: the same rule
// with the other word contradicts it.
func opposed(s string) (subject, value string) {
	c := dissect(s)
	core := strings.ToLower(strings.TrimRight(c.core, ".! "))
	value = "always"
	if decidingPatterns().negation.MatchString(core) {
		value = "never"
	}
	if !c.imperative() {
		return "", ""
	}
	var words []string
	for _, t := range text.AnalyzeQuery(core) {
		switch t.Text {
		case "always", "never", "not", "don't", "do", "stop", "avoid", "only", "please", "no", "longer", "don", "t":
			continue
		}
		if !text.IsStopWord(t.Text) && strings.IndexFunc(t.Text, unicode.IsLetter) >= 0 {
			words = append(words, t.Stem)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) < 2 || len(words) > 5 {
		return "", "" // too little to be sure, or more than one thing
	}
	return oppositePrefix + strings.Join(words, " "), value
}
