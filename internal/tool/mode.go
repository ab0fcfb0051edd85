package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"codememory"
)

// answer is the result of an operation on memories.
type answer interface {
	text(r *Router) string
}

// shrinker is an answer that can be made shorter, to about this share; false
// when it cannot be.
type shrinker interface {
	shrink(share float64) bool
}

// memoryOp is an operation on memories, under the same name as a mode with
// JSON answers and as a tool with text.
type memoryOp func(r *Router, ctx context.Context, c call) (answer, error)

var memoryOps = map[string]memoryOp{
	"add": (*Router).add, "list": (*Router).list, "profile": (*Router).profile, "forget": (*Router).forget,
	"get": (*Router).get, "history": (*Router).history, "undo": (*Router).undo, "link": (*Router).link, "supersede": (*Router).supersede,
}

// mode answers {mode: …}. Its search is one of memories.
func (r *Router) mode(ctx context.Context, name string, c call) (string, error) {
	name = strings.ToLower(name)
	switch name {
	case "help":
		return encode(modeHelp()), nil
	case "search":
		return r.asJSON((*Router).search(r, ctx, c))
	}
	op, ok := memoryOps[name]
	if !ok && findOp(name) != nil {
		return failure(fmt.Sprintf("%s is not a mode: call memory({tool: %q, args: {...}}).", name, name)), nil
	}
	if !ok {
		return failure(fmt.Sprintf("Unknown mode: %s. Call memory({mode: \"help\"}) for available modes.", inline(name, 60))), nil
	}
	return r.asJSON(op(r, ctx, c))
}

// asJSON renders an answer within bounds, and an error that the model can do
// something about as {success: false, error}.
func (r *Router) asJSON(a any, err error) (string, error) {
	if err != nil {
		if told, ok := explain(err); ok {
			return failure(told), nil
		}
		return "", err
	}
	for {
		text := encode(a)
		s, ok := a.(shrinker)
		if len(text) <= maxAnswer || !ok || !s.shrink(float64(maxAnswer)/float64(len(text))) {
			return text, nil
		}
	}
}

// textOf makes the tool of a mode.
func textOf(op memoryOp) func(r *Router, ctx context.Context, c call) (string, error) {
	return func(r *Router, ctx context.Context, c call) (string, error) {
		a, err := op(r, ctx, c)
		if err != nil {
			return "", err
		}
		return a.text(r), nil
	}
}

func failure(why string) string {
	return encode(struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}{false, why})
}

// encode renders v as JSON that a model can read: what is stored has lost its
// tags already, so "<" need not become \u003c.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return failureOf(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// failureOf cannot use encode: only metadata of others can make it fail.
func failureOf(err error) string {
	why, _ := json.Marshal("the answer cannot be written as JSON: " + err.Error())
	return `{"success":false,"error":` + string(why) + `}`
}

// shrunk drops items from the end until about this share is left.
func shrunk[T any](items []T, share float64) []T {
	return items[:min(max(0, len(items)-1), int(float64(len(items))*share))]
}

func leftOut(before, after int, note string) string {
	if before == after {
		return note
	}
	return fmt.Sprintf("only the first %d fit into the answer: ask for less at once", after)
}

type modeGuide struct {
	Success  bool              `json:"success"`
	Message  string            `json:"message"`
	Commands []modeCommand     `json:"commands"`
	Scopes   map[string]string `json:"scopes"`
	Types    []codememory.Type `json:"types"`
}

type modeCommand struct {
	Command     string   `json:"command"`
	Description string   `json:"description"`
	Args        []string `json:"args"`
}

func modeHelp() modeGuide {
	return modeGuide{
		Success: true,
		Message: "Memory usage guide. memory({tool: \"help\"}) lists the operations on history.",
		Commands: []modeCommand{
			{"add", "Store a memory, in the words given", []string{"content", "type?", "scope?"}},
			{"search", "Search memories", []string{"query", "scope?", "limit?"}},
			{"profile", "What is known of the user", []string{"limit?"}},
			{"list", "List recent memories", []string{"scope?", "type?", "limit?"}},
			{"forget", "Remove a memory; undo brings it back", []string{"memoryId", "reason?"}},
			{"get", "One memory in full, with its source and links", []string{"memoryId"}},
			{"history", "What a memory said before, and what replaced it", []string{"memoryId"}},
			{"undo", "Take back the last change of a memory", []string{"memoryId"}},
			{"link", "State how a memory relates to another", []string{"memoryId", "to", "type", "reason?"}},
			{"supersede", "Say that a memory makes another obsolete", []string{"memoryId", "supersedes", "reason?"}},
			{"help", "This guide", []string{}},
		},
		Scopes: map[string]string{"user": "holds in all projects: preferences, knowledge about the user", "project": "this project only (default)"},
		Types:  codememory.Types,
	}
}
