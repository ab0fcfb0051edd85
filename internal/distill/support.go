package distill

import (
	"slices"
	"strings"
	"unicode"

	"codememory"
	"codememory/internal/extract"
	"codememory/internal/llm/task"
	"codememory/internal/text"
)

// verdict is what is made of a fact that a model found.
type verdict struct {
	drop       bool
	quarantine string // why a person has to look at it first
	confidence float64
	class      codememory.Class // whose words it rests on
	turns      []labelled
}

func (v verdict) byUser() bool { return v.class == codememory.ClassUser }

// The shares of a fact's words that count. Words change when a fact is put into
// other words, so they are low; a fact with hardly a word in common with the
// conversation was invented.
const (
	invented    = 0.12
	doubtful    = 0.3
	said        = 0.5
	hardlySaid  = 0.4
	fromTool    = 0.5
	byToolAlone = 0.2 // more in the tools' output than anywhere else
	copied      = 0.5 // of its phrases, not only words: output is long and has many
)

// judge finds a fact again in the conversation it was taken from. Where a model
// says it comes from counts only against it.
func judge(f task.Fact, chunk []labelled) verdict {
	words := contentWords(f.Text)
	v := verdict{turns: cited(f, words, chunk)}
	all := newVoices(chunk)
	u, a, t := all.cover(words)
	v.class = codememory.ClassAgent
	switch {
	case max(u, a, t) < invented:
		v.drop = true
	case u >= said:
		v.confidence = 0.9
		if f.Support != task.ByAssistant { // else the agent put together what the user mentioned
			v.class = codememory.ClassUser
		}
	case f.Support == task.ByTool, all.phrases.cover(f.Text) >= copied, t >= fromTool && a < hardlySaid && t >= max(u, a)+byToolAlone:
		v.class, v.quarantine = codememory.ClassTool, "only the output of a tool says it"
	case t >= fromTool && extract.ReadsAsInstruction(f.Text):
		v.class, v.quarantine = codememory.ClassTool, "it reads as an instruction and stands in the output of a tool"
	case max(u, a) < doubtful:
		v.confidence = 0.4
	default:
		v.confidence = 0.7
	}
	return v
}

// voices are the words of the user, of the agent and of its tools, and what the
// tools printed phrase by phrase.
type voices struct {
	user, agent, tools vocabulary
	phrases            phrases
}

func newVoices(chunk []labelled) *voices {
	v := &voices{}
	for _, t := range chunk {
		v.user.add(t.turn.Prompt)
		for _, s := range t.turn.Steps {
			v.agent.add(s.Text)
			if s.Tool != nil {
				v.tools.add(s.Tool.Output)
				v.tools.add(s.Tool.Error)
				v.phrases.add(s.Tool.Output)
				v.phrases.add(s.Tool.Error)
			}
		}
	}
	return v
}

func (v *voices) cover(words []string) (user, agent, tools float64) {
	return v.user.covers(words), v.agent.covers(words), v.tools.covers(words)
}

// withoutOrders takes the sentences out of a text that come from the output of a
// tool and not from the user, and repeat it or tell their reader what to do.
func withoutOrders(text string, chunk []labelled) string {
	v := newVoices(chunk)
	var kept []string
	for line := range strings.Lines(text) {
		var sentences []string
		for _, s := range strings.SplitAfter(strings.TrimRight(line, "\n"), ". ") {
			words := contentWords(s)
			if u, _, t := v.cover(words); t >= fromTool && u < said && (extract.ReadsAsInstruction(s) || v.phrases.cover(s) >= copied) {
				continue
			}
			sentences = append(sentences, s)
		}
		kept = append(kept, strings.TrimRight(strings.Join(sentences, ""), " "))
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
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

// phraseWords is how many words in a row are a phrase.
const phraseWords = 4

// phrases are the runs of words of texts, and the texts themselves for what is
// shorter than a run.
type phrases struct {
	runs map[string]bool
	text strings.Builder
}

func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func (p *phrases) add(s string) {
	if p.runs == nil {
		p.runs = map[string]bool{}
	}
	words := plainWords(s)
	for i := 0; i+phraseWords <= len(words); i++ {
		p.runs[strings.Join(words[i:i+phraseWords], " ")] = true
	}
	p.text.WriteString(" " + strings.Join(words, " ") + " \n")
}

// cover returns the share of a text's phrases that are among them.
func (p *phrases) cover(s string) float64 {
	words := plainWords(s)
	switch {
	case len(words) == 0:
		return 0
	case len(words) < phraseWords:
		if strings.Contains(p.text.String(), " "+strings.Join(words, " ")+" ") {
			return 1
		}
		return 0
	}
	n := 0
	for i := 0; i+phraseWords <= len(words); i++ {
		if p.runs[strings.Join(words[i:i+phraseWords], " ")] {
			n++
		}
	}
	return float64(n) / float64(len(words)-phraseWords+1)
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
