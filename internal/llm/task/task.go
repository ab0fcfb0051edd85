// Package task knows what CodeMemory asks models: for each task what goes in,
// the schema of the answer, and what of an answer is believed. An answer that
// is not what was asked for is an error, never a guess. Nothing here reads or
// writes a store.
package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/prompt"
	"codememory/internal/llm/roles"
	"codememory/internal/llm/salvage"
)

// Tasks puts questions to the models that are configured for them.
type Tasks struct{ *roles.Caller }

// About says on whose behalf a model is asked, for the ledger.
type About struct{ Project, Session string }

// Longest answers, in tokens.
const (
	ExtractTokens   = 2000
	SummariseTokens = 1000
	ArcTokens       = 1200
	CompressTokens  = 700
	shortTokens     = 800
	expandTokens    = 200
)

var (
	errForm  = errors.New("the answer has not the form that was asked for")
	errShort = errors.New("the answer says nothing")
)

// ask puts a question whose answer is read by read.
func (t Tasks) ask(ctx context.Context, about About, role llm.Role, name prompt.Name, tokens int, schema string, values map[string]string, read func(string) error) (roles.Answer, error) {
	q := roles.Question{Role: role, Prompt: name, Values: values, MaxTokens: tokens, Project: about.Project, Session: about.Session, Read: read}
	if schema != "" {
		q.Schema = json.RawMessage(schema)
	}
	return t.Ask(ctx, q)
}

// Summarise writes the new summary of a session from the one so far and the
// turns since.
func (t Tasks) Summarise(ctx context.Context, about About, previous, transcript string) (string, error) {
	return t.text(ctx, about, llm.Summarise, prompt.Summarise, SummariseTokens, map[string]string{"previous": previous, "transcript": transcript}, 40, 6000)
}

// Condense writes what remains of old summaries, oldest first; "" when nothing does.
func (t Tasks) Condense(ctx context.Context, about About, summaries []string) (string, error) {
	var b strings.Builder
	for i, s := range summaries {
		fmt.Fprintf(&b, "%d. %s\n\n", i+1, s)
	}
	text, err := t.text(ctx, about, llm.Summarise, prompt.Condense, SummariseTokens, map[string]string{"summaries": b.String()}, 4, 6000)
	if strings.EqualFold(strings.Trim(text, ". "), "none") {
		return "", err
	}
	return text, err
}

// Compress tells a turn that is too long in a few lines.
func (t Tasks) Compress(ctx context.Context, about About, turn string) (string, error) {
	return t.text(ctx, about, llm.Compress, prompt.Compress, CompressTokens, map[string]string{"turn": turn}, 10, 6000)
}

// text asks for plain text of a sensible length.
func (t Tasks) text(ctx context.Context, about About, role llm.Role, name prompt.Name, tokens int, values map[string]string, least, most int) (string, error) {
	var text string
	_, err := t.ask(ctx, about, role, name, tokens, "", values, func(answer string) error {
		text = salvage.Plain(answer)
		switch {
		case len(text) < least || !utf8.ValidString(text):
			return errShort
		case len(text) > most:
			return fmt.Errorf("the answer has %d bytes, %d would have been enough", len(text), most)
		case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
			return errForm
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return text, nil
}

// arcTags are what a line of an arc can be.
var arcTags = []string{"START", "ATTEMPT", "BLOCKED", "PIVOT", "DISCOVERED", "RESOLVED", "CURRENT"}

// Arc draws the course of a session on from where the previous part ends.
func (t Tasks) Arc(ctx context.Context, about About, previous, transcript string) (string, error) {
	var arc string
	_, err := t.ask(ctx, about, llm.Arc, prompt.Arc, ArcTokens, "", map[string]string{"previous": previous, "transcript": transcript}, func(answer string) error {
		const mostLines, longest = 40, 300
		var lines []string
		for line := range strings.Lines(salvage.Plain(answer)) {
			line = strings.TrimRight(line, " \t\r\n")
			if hasTag(line) && len(line) <= longest && len(lines) < mostLines {
				lines = append(lines, line)
			}
		}
		arc = strings.Join(lines, "\n")
		if arc == "" {
			return errForm
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return arc, nil
}

func hasTag(line string) bool {
	line = strings.TrimLeft(line, "├─└│ \t-*|`'+")
	for _, tag := range arcTags {
		if strings.HasPrefix(line, tag) || strings.HasPrefix(line, "["+tag) || strings.HasPrefix(line, "**"+tag) {
			return true
		}
	}
	return false
}

// numbered lists texts for a model.
func numbered(prefix string, texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&b, "%s%d. %s\n", prefix, i+1, oneLine(text))
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func texts(ms []codememory.Memory) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = m.Text
	}
	return out
}
