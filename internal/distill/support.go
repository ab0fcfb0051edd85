package distill

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"codememory"
	"codememory/internal/llm/task"
	"codememory/internal/text"
)

// verdict is what is made of a fact that a model found.
type verdict struct {
	drop       bool
	quarantine string // why a person has to look at it first
	confidence float64
	byUser     bool
	turns      []labelled
}

// The shares of a fact's words that count. Words change when a fact is put into
// other words, so they are low; a fact with hardly a word in common with the
// conversation was invented.
const (
	invented    = 0.12
	doubtful    = 0.3
	said        = 0.5
	fromTool    = 0.5
	byToolAlone = 0.2 // more in the tools' output than anywhere else
)

// judge finds a fact again in the conversation it was taken from. Where a model
// says it comes from counts only against it.
func judge(f task.Fact, chunk []labelled) verdict {
	words := contentWords(f.Text)
	v := verdict{turns: cited(f, words, chunk)}
	var user, agent, tools vocabulary
	for _, t := range chunk {
		user.add(t.turn.Prompt)
		for _, s := range t.turn.Steps {
			agent.add(s.Text)
			if s.Tool != nil {
				tools.add(s.Tool.Output)
				tools.add(s.Tool.Error)
			}
		}
	}
	u, a, t := user.covers(words), agent.covers(words), tools.covers(words)
	v.byUser = u >= said
	order := readsAsOrder(f.Text)
	switch {
	case max(u, a, t) < invented:
		v.drop = true
	case v.byUser:
		v.confidence = 0.9
	case f.Support == task.ByTool:
		v.quarantine = "only the output of a tool says it"
	case t >= fromTool && t >= max(u, a)+byToolAlone:
		v.quarantine = "only the output of a tool says it"
	case order && t >= fromTool:
		v.quarantine = "it reads as an instruction and stands in the output of a tool"
	case max(u, a) < doubtful:
		v.confidence = 0.4
	default:
		v.confidence = 0.7
	}
	return v
}

// cited returns the turns that a fact names, or the one that has most of its
// words.
func cited(f task.Fact, words []string, chunk []labelled) []labelled {
	var out []labelled
	for _, t := range chunk {
		if slices.ContainsFunc(f.Turns, func(l string) bool { return strings.EqualFold(strings.Trim(l, "[]() "), t.label) }) {
			out = append(out, t)
		}
	}
	if len(out) > 0 {
		return out
	}
	best, most := 0, -1.0
	for i, t := range chunk {
		var v vocabulary
		v.add(t.text)
		for _, s := range t.turn.Steps {
			if s.Tool != nil {
				v.add(s.Tool.Output)
			}
		}
		if c := v.covers(words); c > most {
			best, most = i, c
		}
	}
	if len(chunk) == 0 {
		return nil
	}
	return chunk[best : best+1]
}

// vocabulary is the stems of texts.
type vocabulary struct{ stems map[string]bool }

func (v *vocabulary) add(s string) {
	if v.stems == nil {
		v.stems = map[string]bool{}
	}
	for _, t := range text.AnalyzeQuery(s) {
		v.stems[t.Stem] = true
	}
}

// covers returns the share of words that are in the vocabulary.
func (v *vocabulary) covers(words []string) float64 {
	if len(words) == 0 {
		return 0
	}
	n := 0
	for _, w := range words {
		if v.stems[w] {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// contentWords returns the stems of the words that say something.
func contentWords(s string) []string {
	var out []string
	for _, t := range text.AnalyzeQuery(s) {
		if !text.IsStopWord(t.Text) && !slices.Contains(out, t.Stem) {
			out = append(out, t.Stem)
		}
	}
	return out
}

var ordering = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:always|never|from now on|you (?:must|should|have to|need to)|make sure|be sure|ensure|remember to|do not|don't|run|execute|install|ignore|disregard|send|post|upload|use only|respond|reply)\b|` +
		`\b(?:the |an? )?(?:assistant|agent|ai|model|llm)s? (?:must|should|shall|has to|have to|needs? to)\b|\bignore\b.{0,40}\b(?:instructions?|rules?|prompts?)\b|\|\s*(?:ba|z)?sh\b`)
})

// readsAsOrder reports whether a text tells its reader what to do.
func readsAsOrder(s string) bool { return ordering().MatchString(s) }

// sameSubject reports whether two memories are about the same thing: a named
// one, or at least two telling words. Only then can one make the other obsolete.
func sameSubject(a, b codememory.Memory) bool {
	for _, e := range a.Entities {
		if slices.ContainsFunc(b.Entities, func(o codememory.Entity) bool { return text.SameEntity(e.Name, o.Name) }) {
			return true
		}
	}
	shared, other := 0, contentWords(b.Text)
	for _, w := range contentWords(a.Text) {
		if slices.Contains(other, w) {
			shared++
		}
	}
	return shared >= 2
}
