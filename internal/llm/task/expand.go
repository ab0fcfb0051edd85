package task

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/prompt"
	"codememory/internal/llm/salvage"
)

// Moment is a call of an agent's model, for which memories are wanted.
type Moment struct {
	Goal    string
	Actions []codememory.Action
	Visible []codememory.Memory
	Arc     string
}

// Expansion is what to look for at a moment.
type Expansion struct {
	Queries  []string
	Entities []string
	Keep     []string // ids of visible memories that still matter; empty: all
}

const expandSchema = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}},"entities":{"type":"array","items":{"type":"string"}},"keep":{"type":"array","items":{"type":"string"}}},"required":["queries","entities","keep"],"additionalProperties":false}`

// Expand says what to look for.
func (t Tasks) Expand(ctx context.Context, about About, m Moment) (Expansion, error) {
	var actions, visible strings.Builder
	for _, a := range m.Actions {
		fmt.Fprintf(&actions, "- %s %s: %s\n", a.Tool, oneLine(a.Target), oneLine(a.Result))
	}
	for _, v := range m.Visible {
		fmt.Fprintf(&visible, "%s - %s\n", codememory.ShownID(v.ID), firstWords(v.Text, 20))
	}
	var out Expansion
	values := map[string]string{"goal": m.Goal, "actions": actions.String(), "memories": visible.String(), "arc": m.Arc}
	_, err := t.ask(ctx, about, llm.Expand, prompt.Expand, expandTokens, expandSchema, values, func(answer string) (err error) {
		out, err = parseExpansion(answer)
		return err
	})
	return out, err
}

var analysisPart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<(entities|keep|query_expansion)>(.*?)</`)
})

// parseExpansion reads our JSON, or the XML that prompts made for CodeMira ask for.
func parseExpansion(answer string) (Expansion, error) {
	var w struct{ Queries, Entities, Keep []string }
	if salvage.Object(answer, &w) != nil {
		for _, m := range analysisPart().FindAllStringSubmatch(answer, -1) {
			switch strings.ToLower(m[1]) {
			case "entities":
				w.Entities = strings.Split(m[2], ",")
			case "keep":
				w.Keep = strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
			default:
				w.Queries = strings.Split(m[2], ";")
			}
		}
	}
	out := Expansion{Queries: few(w.Queries, 4, 200), Entities: few(w.Entities, 2, 80), Keep: few(w.Keep, 20, 40)}
	if len(out.Queries) == 0 && len(out.Entities) == 0 {
		return out, errForm
	}
	return out, nil
}

// few keeps the first entries that say something.
func few(list []string, most, longest int) []string {
	var out []string
	for _, s := range list {
		s = oneLine(s)
		if s != "" && !strings.EqualFold(s, "none") && len(s) <= longest && len(out) < most {
			out = append(out, s)
		}
	}
	return out
}

func firstWords(s string, n int) string {
	words := strings.Fields(s)
	if len(words) <= n {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:n], " ") + "…"
}
