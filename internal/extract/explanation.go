package extract

import (
	"regexp"
	"strings"
	"sync"
)

type causes struct{ cause, plan *regexp.Regexp }

var causePatterns = sync.OnceValue(func() causes {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return causes{
		cause: re(`\b(?:(?:the )?(?:root )?(?:cause|problem|issue|reason|bug|culprit|fix|failure|error)(?: here)? (?:is|was)\b|because\b|caused by|due to|turns out|was missing|is missing|were missing|needs? to be|needed to|had to be|requires?\b|must be\b|was not\b|wasn't\b|did not\b|didn't\b|fixed by|fixed it by|fixed the)`),
		// What is only going to be tried explains nothing.
		plan: re(`^(?:let me|i'll|i will|i'm going|i am going|now i|next,? i|let's|i need to|first,? |i should|maybe|perhaps|it might|this might|hmm|wait|okay|ok|great|perfect|done|all tests)\b|\?$|\bmight\b|\bprobably\b|\bperhaps\b|\bmaybe\b`),
	}
})

// explanation picks the sentence in which the agent says what was wrong. The
// last one counts: it knew more by then.
func explanation(said []string) string {
	const most = 200
	p := causePatterns()
	best := ""
	for _, text := range said[max(0, len(said)-maxSayings):] {
		for _, s := range sentences(ownWords(text)) {
			s = causeOf(strings.TrimSpace(strings.Trim(s, "*_ ")))
			if len(s) > most || len(strings.Fields(s)) < 5 || !p.cause.MatchString(s) || p.plan.MatchString(s) || pasted(s) || startsWithPronoun().MatchString(s) {
				continue
			}
			best = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "**", "")
		}
	}
	return best
}

// causeOf leaves out that all is well now: "The tests pass; the package was not
// linked yet."
func causeOf(sentence string) string {
	const enoughWords = 5
	first, rest, ok := strings.Cut(sentence, "; ")
	if cause := causePatterns().cause; ok && !cause.MatchString(first) && cause.MatchString(rest) && len(strings.Fields(rest)) >= enoughWords {
		return rest
	}
	return sentence
}

var startsWithPronoun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:it|this|that|these|those|they|which|he|she)\b`)
})

// remedies are the parts of a successful command line that change the
// surroundings: what installs, starts, generates or migrates.
func remedies(command string) []string {
	line, ok := parseShell(command)
	if !ok {
		return nil
	}
	var out []string
	for i, part := range line.parts {
		p := bare(part)
		if line.certain[i] && remedy().MatchString(program(part)) && len(p) < 120 {
			out = append(out, strings.ReplaceAll(p, "`", "'"))
		}
	}
	return out
}

var remedy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:npm (?:ci|i|install|rebuild)|(?:pnpm|yarn|bun) (?:install|add)|pip3? install|uv (?:sync|add|pip install)|poetry (?:install|add|lock)|bundle install|composer install|go (?:mod tidy|mod download|get|generate|install)|cargo (?:add|update|fetch)|docker[ -]compose\b.*\bup|docker (?:run|start|build)|(?:sudo )?(?:apt|apt-get|brew|apk|dnf) (?:-\S+ )*(?:install|add)|(?:sudo )?(?:systemctl|service) .*start|chmod|export |alembic upgrade|(?:npx )?prisma (?:generate|migrate)|createdb|git submodule update|nvm (?:use|install)|make (?:generate|gen|deps|setup|migrate|up)|sed -i|rustup|corepack enable|ln -s|touch)\b`)
})
