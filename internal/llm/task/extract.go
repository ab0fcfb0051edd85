package task

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/prompt"
	"codememory/internal/llm/roles"
	"codememory/internal/llm/salvage"
)

// Fact is something a model found worth a memory.
type Fact struct {
	Text       string
	Type       codememory.Type
	Category   codememory.Category
	Importance *float64
	Turns      []string // labels of the turns it comes from, as the transcript has them
	Support    Support
}

// Support says where a fact comes from, in the words of the model.
type Support string

// The kinds of support. The empty one means that the model did not say.
const (
	ByUser      Support = "user"
	ByAssistant Support = "assistant"
	ByTool      Support = "tool"
)

// Conversation is what a model reads to find facts.
type Conversation struct {
	Transcript string
	Known      []codememory.Memory // what need not be found again
	Arc        string
}

const extractSchema = `{"type":"object","properties":{"memories":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"type":{"type":"string","enum":["architecture","architecture-pattern","tech-context","product-context","project-config","error-solution","learned-pattern","preference","progress"]},"category":{"type":"string","enum":["decision_rationale","rejected_alternative","error_handling","dependency_philosophy","hidden_constraint","testing_convention","naming_convention","debugging_style","priority","vocabulary",""]},"importance":{"type":"number"},"turns":{"type":"array","items":{"type":"string"}},"support":{"type":"string","enum":["user","assistant","tool"]}},"required":["text","type","category","importance","turns","support"],"additionalProperties":false}}},"required":["memories"],"additionalProperties":false}`

// The size of a fact: shorter ones say too little, longer ones are stories.
const (
	minFact  = 12
	maxFact  = 1200
	maxFacts = 12
)

// Extract finds what of a conversation is worth a memory. No facts is an answer.
func (t Tasks) Extract(ctx context.Context, about About, c Conversation) ([]Fact, roles.Answer, error) {
	var known strings.Builder
	for _, m := range c.Known {
		fmt.Fprintf(&known, "- [%s] %s\n", m.Type, oneLine(m.Text))
	}
	var facts []Fact
	answer, err := t.ask(ctx, about, llm.Extract, prompt.Extract, ExtractTokens, extractSchema,
		map[string]string{"transcript": c.Transcript, "memories": known.String(), "arc": c.Arc},
		func(text string) (err error) {
			facts, err = ParseFacts(text)
			return err
		})
	return facts, answer, err
}

// wireFact is a fact as models write it: {text, category, importance} or
// {memory, type}, with what else was asked for.
type wireFact struct {
	Text       string          `json:"text"`
	Memory     string          `json:"memory"`
	Type       string          `json:"type"`
	Category   string          `json:"category"`
	Importance json.RawMessage `json:"importance"`
	Turns      json.RawMessage `json:"turns"`
	Support    string          `json:"support"`
}

// ParseFacts reads the facts in an answer. Items that cannot be right are left
// out; if none is left of some, the whole answer is wrong.
func ParseFacts(text string) ([]Fact, error) {
	items, err := salvage.List(text)
	if err != nil {
		return nil, err
	}
	facts := []Fact{}
	for _, item := range items {
		if f, ok := parseFact(item); ok && len(facts) < maxFacts {
			facts = append(facts, f)
		}
	}
	if len(items) > 0 && len(facts) == 0 {
		return nil, errForm
	}
	return facts, nil
}

func parseFact(item json.RawMessage) (Fact, bool) {
	var w wireFact
	if json.Unmarshal(item, &w.Text) != nil { // a bare text is a fact too
		if json.Unmarshal(item, &w) != nil {
			return Fact{}, false
		}
	}
	f := Fact{Text: cleanFact(w.Text), Category: codememory.Category(slug(w.Category, "_")), Type: codememory.Type(slug(w.Type, "-")), Support: Support(strings.ToLower(w.Support))}
	if f.Text == "" {
		f.Text = cleanFact(w.Memory)
	}
	if len(f.Text) < minFact || len(f.Text) > maxFact || !utf8.ValidString(f.Text) {
		return Fact{}, false
	}
	if !f.Category.Valid() {
		f.Category = ""
	}
	switch f.Type {
	case codememory.SessionSummary, codememory.ActiveContext, codememory.Conversation: // those are made in other ways
		f.Type = ""
	default:
	}
	if !f.Type.Valid() {
		f.Type = codememory.TypeOf(f.Category)
	}
	var importance float64
	if json.Unmarshal(w.Importance, &importance) == nil && importance >= 0 && importance <= 1 {
		f.Importance = &importance
	}
	if json.Unmarshal(w.Turns, &f.Turns) != nil {
		var one string
		if json.Unmarshal(w.Turns, &one) == nil && one != "" {
			f.Turns = strings.FieldsFunc(one, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	return f, true
}

func slug(s, joint string) string {
	return strings.NewReplacer(" ", joint, "-", joint, "_", joint).Replace(strings.ToLower(strings.TrimSpace(s)))
}

var turnLabels = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s*[\[(](?:turns?\s+)?T\d+(?:\s*(?:,|and|-|–)\s*T\d+)*[\])]`)
})

// cleanFact puts a fact on one line and takes out labels that mean nothing
// outside of the transcript.
func cleanFact(s string) string { return oneLine(turnLabels().ReplaceAllString(s, "")) }
