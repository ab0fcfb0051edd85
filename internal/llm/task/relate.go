package task

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/prompt"
	"codememory/internal/llm/salvage"
)

const entitiesSchema = `{"type":"object","properties":{"memories":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},"entities":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"type":{"type":"string","enum":["library","framework","tool","pattern","protocol","error","project_concept","file","symbol","other"]}},"required":["name","type"],"additionalProperties":false}}},"required":["n","entities"],"additionalProperties":false}}},"required":["memories"],"additionalProperties":false}`

// Entities names the things that each of the texts is about.
func (t Tasks) Entities(ctx context.Context, about About, of []string) ([][]codememory.Entity, error) {
	out := make([][]codememory.Entity, len(of))
	_, err := t.ask(ctx, about, llm.Entities, prompt.Entities, shortTokens, entitiesSchema, map[string]string{"memories": numbered("", of)}, func(answer string) error {
		items, err := salvage.List(answer)
		if err != nil {
			return err
		}
		understood := 0
		for _, item := range items {
			var w struct {
				N        int `json:"n"`
				Entities []struct{ Name, Type string }
			}
			if json.Unmarshal(item, &w) != nil || w.N < 1 || w.N > len(of) {
				continue
			}
			understood++
			out[w.N-1] = nil
			for _, e := range w.Entities {
				if name, ok := entityName(e.Name, of[w.N-1]); ok && len(out[w.N-1]) < 6 {
					out[w.N-1] = append(out[w.N-1], codememory.Entity{Name: name, Type: entityType(e.Type)})
				}
			}
		}
		if len(items) > 0 && understood == 0 {
			return errForm
		}
		return nil
	})
	return out, err
}

// entityName accepts a name that the text really holds: an invented one would
// tie memories together that have nothing in common.
func entityName(name, text string) (string, bool) {
	name = strings.ToLower(oneLine(name))
	if len(name) < 2 || len(name) > 80 {
		return "", false
	}
	squeeze := strings.NewReplacer(" ", "", "-", "", "_", "", ".", "", "`", "").Replace
	return name, strings.Contains(squeeze(strings.ToLower(text)), squeeze(name))
}

func entityType(s string) codememory.EntityType {
	t := codememory.EntityType(slug(s, "_"))
	switch t {
	case codememory.EntityLibrary, codememory.EntityFramework, codememory.EntityTool, codememory.EntityPattern, codememory.EntityProtocol,
		codememory.EntityError, codememory.EntityConcept, codememory.EntityFile, codememory.EntitySymbol:
		return t
	default:
		return codememory.EntityOther
	}
}

// Pair is two memories that may have something to do with each other.
type Pair struct{ A, B string }

const linkSchema = `{"type":"object","properties":{"links":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},"type":{"type":"string","enum":["corroborates","conflicts","supersedes","refines","contextualizes"]}},"required":["n","type"],"additionalProperties":false}}},"required":["links"],"additionalProperties":false}`

// Link says for each pair how A relates to B. What the model leaves out or says
// in other words is the weakest relation.
func (t Tasks) Link(ctx context.Context, about About, pairs []Pair) ([]codememory.LinkType, error) {
	var b strings.Builder
	for i, p := range pairs {
		fmt.Fprintf(&b, "%d.\nA: %s\nB: %s\n", i+1, oneLine(p.A), oneLine(p.B))
	}
	out := make([]codememory.LinkType, len(pairs))
	_, err := t.ask(ctx, about, llm.Link, prompt.Link, shortTokens, linkSchema, map[string]string{"pairs": b.String()}, func(answer string) error {
		for i := range out {
			out[i] = codememory.Contextualizes
		}
		items, err := salvage.List(answer)
		if err != nil {
			// A single pair may be answered with a single word.
			if word := codememory.LinkType(strings.ToLower(strings.Trim(salvage.Plain(answer), ". "))); len(pairs) == 1 && word.Valid() {
				out[0] = word
				return nil
			}
			return err
		}
		for _, item := range items {
			var w struct {
				N    int
				Type string
			}
			if json.Unmarshal(item, &w) == nil && w.N >= 1 && w.N <= len(out) {
				if lt := codememory.LinkType(strings.ToLower(strings.TrimSpace(w.Type))); lt.Valid() {
					out[w.N-1] = lt
				}
			}
		}
		return nil
	})
	return out, err
}

// Obsolete says that a new memory makes an old one obsolete: both by position.
type Obsolete struct {
	New, Old int
	Reason   string
}

const contradictSchema = `{"type":"object","properties":{"obsolete":{"type":"array","items":{"type":"object","properties":{"new":{"type":"string"},"old":{"type":"string"},"reason":{"type":"string"}},"required":["new","old","reason"],"additionalProperties":false}}},"required":["obsolete"],"additionalProperties":false}`

// Contradict finds which of the old memories the new ones make obsolete.
func (t Tasks) Contradict(ctx context.Context, about About, fresh, old []codememory.Memory) ([]Obsolete, error) {
	var out []Obsolete
	values := map[string]string{"new": numbered("N", texts(fresh)), "old": numbered("O", texts(old))}
	_, err := t.ask(ctx, about, llm.Contradict, prompt.Contradict, shortTokens, contradictSchema, values, func(answer string) error {
		out = nil
		items, err := salvage.List(answer)
		if err != nil {
			return err
		}
		understood := 0
		for _, item := range items {
			var w struct{ New, Old, Reason string }
			if json.Unmarshal(item, &w) != nil {
				continue
			}
			n, o := position(w.New, "N", len(fresh)), position(w.Old, "O", len(old))
			if n < 0 || o < 0 {
				continue
			}
			understood++
			reason := oneLine(w.Reason)
			if len(reason) > 200 {
				reason = strings.ToValidUTF8(reason[:200], "") + "…"
			}
			out = append(out, Obsolete{n, o, reason})
		}
		if len(items) > 0 && understood == 0 {
			return errForm
		}
		return nil
	})
	return out, err
}

// position reads a label such as N3; -1 when there is no such thing.
func position(label, prefix string, count int) int {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(label)), prefix))
	if err != nil || n < 1 || n > count {
		return -1
	}
	return n - 1
}

// Decision is what becomes of similar memories.
type Decision struct {
	Squash bool
	Text   string // what replaces them, when they are one
	Reason string
}

const consolidateSchema = `{"type":"object","properties":{"decision":{"type":"string","enum":["squash","separate"]},"consolidated":{"type":"string"},"reasoning":{"type":"string"}},"required":["decision","consolidated","reasoning"],"additionalProperties":false}`

// Consolidate decides whether similar memories are one.
func (t Tasks) Consolidate(ctx context.Context, about About, ms []codememory.Memory) (Decision, error) {
	var d Decision
	_, err := t.ask(ctx, about, llm.Consolidate, prompt.Consolidate, shortTokens, consolidateSchema, map[string]string{"memories": numbered("", texts(ms))}, func(answer string) error {
		var w struct{ Decision, Consolidated, Reasoning string }
		if err := salvage.Object(answer, &w); err != nil {
			return err
		}
		d = Decision{Text: oneLine(w.Consolidated), Reason: oneLine(w.Reasoning)}
		switch strings.ToLower(strings.TrimSpace(w.Decision)) {
		case "squash":
			d.Squash = true
		case "separate":
			d.Text = ""
		default:
			return errForm
		}
		if d.Squash && (len(d.Text) < minFact || len(d.Text) > 4*maxFact) {
			return errShort
		}
		return nil
	})
	return d, err
}
