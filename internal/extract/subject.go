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
		{"indentation", nil, of(`tabs=tabs?(?: characters?)?;spaces=(?:\w+[ -])?spaces?`)},
		{"quotes", re(`quot\w+`), of(`single=single;double=double`)},
		{"semicolons", re(`semicolons?`), of(`with=(?:use|always|add|with|end \w+ with|require) (?:\w+ )?semicolons?;without=(?:no|never|without|omit|don't use|avoid|drop) (?:\w+ )?semicolons?`)},
		{"package manager", nil, of(`npm;pnpm;yarn;bun=bun(?: install)?;pip;poetry;uv;pipenv`)},
		{"JavaScript test runner", nil, of(`jest;vitest;mocha;jasmine;node:test`)},
		{"Python test runner", nil, of(`pytest=py\.?test;unittest;nose`)},
		{"end-to-end test runner", nil, of(`cypress;playwright;selenium;puppeteer`)},
		{"Python formatter", nil, of(`black;ruff format;yapf;autopep8`)},
		{"JavaScript formatter", re(`format\w*|prettier|biome|dprint`), of(`prettier;biome;dprint`)},
		{"language of answers", re(`answer\w*|repl(?:y|ies)|respond|responses?|explain|talk`), languages},
		{"language of comments", re(`comments?`), languages},
		{"language of commit messages", re(`commit messages?`), languages},
		{"merge strategy", re(`merg\w+|squash\w*|rebas\w+|pull requests?|prs?`), of(`squash=squash\w*;rebase=rebas\w+;merge commit=merge commits?`)},
		{"container runtime", nil, of(`docker=docker(?: compose)?;podman`)},
		{"database", re(`database|db|store|persist\w*|data`), of(`postgres=postgres(?:ql)?;mysql;mariadb;sqlite;mongodb=mongo(?:db)?;dynamodb`)},
		{"HTTP client", re(`http|requests?|calls?|fetch\w*|client`), of(`axios;fetch;ky;got;superagent`)},
		{"state management", nil, of(`redux;zustand;mobx;jotai;recoil`)},
		{"date library", nil, of(`moment=moment(?:\.js)?;dayjs=day\.?js;date-fns;luxon`)},
		{"message broker", nil, of(`kafka;nats;rabbitmq;redis streams`)},
	}
})

type deciding struct{ instead, number, version, negation *regexp.Regexp }

var decidingPatterns = sync.OnceValue(func() deciding {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return deciding{
		// What stands after these was decided against.
		instead:  re(`\b(?:instead of|rather than|over|not|no longer|in place of|away from|never|don't use|do not use|avoid|stop using)\s+(?:using\s+)?`),
		number:   re(`\b(line length|max(?:imum)? line (?:length|width)|print width|coverage|timeout|port|page size|retries)\b[^.\d]{0,40}?(\d[\d_.]*)`),
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
		if v := slot.answer(s); v != "" {
			found[slot.name] = v
		}
	}
	p := decidingPatterns()
	for name, pattern := range map[string]*regexp.Regexp{"": p.number, "version of ": p.version} {
		if m := pattern.FindAllStringSubmatch(s, 2); len(m) == 1 {
			found[name+strings.ToLower(m[0][1])] = m[0][2]
		}
	}
	if len(found) == 1 {
		for subject, value := range found {
			return subject, value
		}
	}
	if len(found) > 1 {
		return "", "" // it answers several: replacing it would lose the others
	}
	return opposed(s)
}

// answer returns the one value of the slot that the text is for; "not x" when
// it is only against one.
func (q slot) answer(s string) string {
	var pro, contra []string
	for name, pattern := range q.values {
		for _, at := range pattern.FindAllStringIndex(s, -1) {
			if rejectedBefore(s[:at[0]]) {
				contra = append(contra, name)
			} else {
				pro = append(pro, name)
			}
		}
	}
	slices.Sort(pro)
	slices.Sort(contra)
	pro, contra = slices.Compact(pro), slices.Compact(contra)
	switch {
	case len(pro) == 1:
		return pro[0]
	case len(pro) == 0 && len(contra) == 1:
		return "not " + contra[0]
	}
	return ""
}

// rejectedBefore reports whether what follows is what was decided against.
func rejectedBefore(before string) bool {
	all := decidingPatterns().instead.FindAllStringIndex(before, -1)
	if len(all) == 0 {
		return false
	}
	between := before[all[len(all)-1][1]:]
	return len(strings.Fields(between)) <= 2 && !strings.ContainsAny(between, ",.;:")
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
